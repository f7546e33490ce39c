// Checks a study for one problem size, and parses the option --size.

#include "tuner/check/size_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/measure/data_file.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/host_fills.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/captured_plans.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/study/extents.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {
namespace {

class SizeCheck {
 public:
  SizeCheck(const Study& study, const ProblemSize& size, DataFiles data)
      : study_(study), size_(size), data_(data) {
    for (const auto& [name, extent] : size.dims) {
      names_[name] = extent;
      for_size_ += (for_size_.empty() ? " for " : ", ") + name + "=" + std::to_string(extent);
    }
  }

  std::vector<Complaint> run() {
    if (const CapturedLaunch* launch = captured_at(study_, size_)) check_captured(*launch);
    for (const ArgumentSpec& argument : study_.arguments) check_argument(argument);
    for (const ArgumentSpec& constant : study_.constants) check_argument(constant);
    if (study_.reference) check_reference(*study_.reference);
    for (const auto& [name, tolerance] : study_.verify) {
      check_tolerance(name, "rtol", tolerance.rtol);
      check_tolerance(name, "atol", tolerance.atol);
    }
    return std::move(complaints_);
  }

 private:
  // Empty where the expression needs names that only a device or a configuration has.
  std::optional<Value> evaluate(const Expression& expression) {
    if (expression.empty()) return std::nullopt;
    for (const std::string& name : expression.names()) {
      if (!names_.contains(name)) return std::nullopt;
    }
    auto value = expression.evaluate(names_);
    if (value) return *value;
    complaints_.push_back(
        {place_of(expression, value.error()), value.error().message + for_size_, ""});
    return std::nullopt;
  }

  std::optional<std::int64_t> count(const Expression& expression, std::int64_t least,
                                    const std::string& what) {
    const auto value = evaluate(expression);
    if (!value) return std::nullopt;
    const auto number = whole_number(*value);
    if (number && *number >= least) return *number;
    const std::string reason =
        number ? "is " + std::to_string(*number) + ", less than " + std::to_string(least)
               : "is not a whole number (" + to_text(*value) + ")";
    complain(expression, what + " " + reason);
    return std::nullopt;
  }

  void complain(const Expression& expression, const std::string& message) {
    complaints_.push_back({expression.origin(), message + for_size_, ""});
  }

  void check_argument(const ArgumentSpec& argument) {
    if (argument.map) {
      for (const Expression& extent : argument.map->box) {
        count(extent, 1, "the box of '" + argument.name + "'");
      }
      return;
    }
    if (argument.is_scalar && argument.record) {
      for (const MemberSpec& member : argument.record->members) {
        const std::string name = argument.name + (member.path.empty() ? "" : "." + member.path);
        if (member.texture) check_texture(member);
        if (member.value.empty()) continue;
        if (member.is_address) {
          count(member.value, 0, "the offset of '" + name + "'");
        } else {
          check_number(member.type, member.value, name);
        }
      }
      return;
    }
    if (argument.is_scalar) {
      check_number(argument.type, argument.value, argument.name);
      return;
    }
    const auto wanted = wanted_of(argument);
    if (wanted && !argument.fill.same_as.empty()) check_same(argument, *wanted);
    if (wanted) check_fill(argument, *wanted);
    if (wanted && argument.fill.kind == FillSpec::Kind::kFile) {
      check_file(argument.fill, *wanted, argument.where, names_);
    }
  }

  // Checks that numbers of the study are those that the captured launch passed.
  void check_captured(const CapturedLaunch& launch) {
    std::size_t place = 0;
    for (const ArgumentSpec& one : study_.arguments) {
      if (one.is_beside || launch.folder.empty()) continue;
      const std::size_t at = place++;
      if (!one.is_scalar || one.is_captured || one.record || one.map) continue;
      const auto value = evaluate(one.value);
      if (!value || std::holds_alternative<std::string>(*value)) continue;
      const auto* whole = std::get_if<std::int64_t>(&*value);
      const auto bytes = whole != nullptr ? scalar_bytes(one.type, *whole)
                                          : scalar_bytes(one.type, to_number(*value));
      if (at < launch.parameters.size() && launch.parameters[at].bytes == bytes) continue;
      complain(one.value,
               fmt::format("'{}' is {}, and the launch in {} had {}", one.name, to_text(*value),
                           launch.folder.string(), passed_at(launch, at, one.type)));
    }
  }

  static std::string passed_at(const CapturedLaunch& launch, std::size_t at, DataType type) {
    if (at >= launch.parameters.size()) return "no such parameter";
    const std::vector<std::byte>& bytes = launch.parameters[at].bytes;
    if (bytes.size() != size_of(type)) return fmt::format("{} bytes", bytes.size());
    return number_text(static_cast<double>(number_at(bytes, type, 0)), 9);
  }

  void check_texture(const MemberSpec& member) {
    for (const ArgumentSpec& of : study_.arguments) {
      if (of.name != member.of || of.is_scalar || of.shape.empty()) continue;
      const auto wanted = wanted_again(of);
      if (!wanted) continue;
      const TextureView view = view_of(*member.texture, of, wanted->shape);
      if (auto wrong = texture_fault(view)) {
        complaints_.push_back({member.where, "'" + of.name + "': " + *wrong + for_size_,
                               view.is_over_array() ? "" : "array: true"});
      }
    }
  }

  // Checks a fill that the host makes, at its first and last elements.
  void check_fill(const ArgumentSpec& argument, const DataWanted& wanted) {
    ArgumentPlan plan;
    plan.type = argument.type;
    plan.fill = argument.fill;
    plan.elements = wanted.bytes() / size_of(argument.type);
    auto wrong = plan_fill(names_, plan.fill);
    if (!wrong) wrong = fill_fault(plan);
    if (!wrong) return;
    const bool has_rule = !argument.fill.rule.empty() && argument.fill.same_as.empty();
    complaints_.push_back({has_rule ? argument.fill.rule.origin() : argument.where,
                           "the fill of '" + argument.name + "': " + *wrong + for_size_, ""});
  }

  // Checks an argument that is filled as another one: it may hold the first elements of that, but
  // not more than there are.
  void check_same(const ArgumentSpec& argument, const DataWanted& wanted) {
    for (const auto* list : {&study_.arguments, &study_.constants}) {
      for (const ArgumentSpec& other : *list) {
        if (&other == &argument || other.name != argument.fill.same_as) continue;
        if (argument.choice && other.choice &&
            !same_value(argument.choice->value, other.choice->value)) {
          continue;
        }
        const auto source = wanted_again(other);
        if (!source || wanted.bytes() <= source->bytes()) return;
        complain(argument.shape.front(),
                 "'" + argument.name + "' is filled as '" + other.name + "' and larger than that");
        return;
      }
    }
  }

  // Returns the contents that a file needs to fill this buffer; empty where they are not known, or
  // make no sense.
  std::optional<DataWanted> wanted_of(const ArgumentSpec& argument) {
    DataWanted wanted{argument.name, argument.type, {}};
    std::uint64_t bytes = size_of(argument.type);
    bool known = !argument.shape.empty();
    for (const Expression& extent : argument.shape) {
      const auto value = count(extent, 1, "the shape of '" + argument.name + "'");
      known = known && value.has_value();
      if (!known) continue;
      wanted.shape.push_back(static_cast<std::uint64_t>(*value));
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes) ||
          bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        complain(extent, "'" + argument.name + "' is larger than 2^63 bytes");
        return std::nullopt;
      }
    }
    if (argument.lanes > 1) wanted.shape.push_back(static_cast<std::uint64_t>(argument.lanes));
    return known ? std::optional(wanted) : std::nullopt;
  }

  // Returns what wanted_of() does for an argument whose mistakes were reported already.
  std::optional<DataWanted> wanted_again(const ArgumentSpec& argument) {
    const std::size_t before = complaints_.size();
    auto wanted = wanted_of(argument);
    complaints_.resize(before);
    return wanted;
  }

  // Answers depend on the size, and on parameters where the reference says so: there is a file for
  // each combination.
  void check_reference(const ReferenceSpec& reference) {
    if (!reference.is_given()) check_geometry(reference.launch);
    for (const NextLaunchSpec& next : reference.then) check_geometry(next.launch);
    count(reference.rounds.repeat, 1, "the reference's repeat");
    const std::vector<Bindings> cases = answer_cases(study_, names_);
    for (const auto& [name, file] : reference.files) {
      for (const Bindings& names : cases) {
        const auto output = positions_of(study_.arguments, {name}, "", names);
        if (!output) continue;
        const auto wanted = wanted_again(study_.arguments[output->front()]);
        if (wanted) check_file(file, *wanted, reference.where, names);
      }
    }
  }

  void check_file(const FillSpec& fill, DataWanted wanted, const Position& where,
                  const Bindings& names) {
    if (data_ == DataFiles::kIgnored) return;
    const auto file = substitute(fill.file.string(), names);
    wanted.offset = fill.offset;
    if (!file || file->empty()) return;  // that was complained of
    if (const auto mismatch = data_mismatch(*file, wanted)) {
      complaints_.push_back({where, *mismatch + for_size_, ""});
    }
  }

  void check_number(DataType type, const Expression& expression, const std::string& name) {
    const auto value = evaluate(expression);
    if (!value) return;
    const std::string what = "the value of '" + name + "'";
    if (std::holds_alternative<std::string>(*value)) {
      complain(expression, what + " is text");
    } else if (!is_floating(type)) {
      const auto number = whole_number(*value);
      if (!number || !fits(type, *number)) {
        complain(expression,
                 what + ", " + to_text(*value) + ", does not fit in " + std::string(name_of(type)));
      }
    }
  }

  static bool fits(DataType type, std::int64_t number) {
    const auto bits = static_cast<int>(size_of(type) * 8);
    if (!is_signed(type)) return number >= 0 && (bits == 64 || number < (std::int64_t{1} << bits));
    if (bits == 64) return true;
    const std::int64_t end = std::int64_t{1} << (bits - 1);
    return number >= -end && number < end;
  }

  void check_geometry(const LaunchSpec& launch) {
    for (const Expression& axis : launch.block) count(axis, 1, "the reference's block");
    for (const Expression& axis : launch.grid) count(axis, 1, "the reference's grid");
    count(launch.dynamic_shared_bytes, 0, "the reference's dynamic_shared_bytes");
  }

  void check_tolerance(const std::string& name, const char* which, const Expression& tolerance) {
    const auto value = evaluate(tolerance);
    if (!value) return;
    const double number = to_number(*value);
    if (number >= 0 && std::isfinite(number)) return;
    complain(tolerance, std::string(which) + " of '" + name + "' must not be negative, and is " +
                            to_text(*value));
  }

  const Study& study_;
  const ProblemSize& size_;
  DataFiles data_;
  std::string for_size_;  // " for M=64, N=32"
  Bindings names_;
  std::vector<Complaint> complaints_;
};

}  // namespace

std::vector<Complaint> check_size(const Study& study, const ProblemSize& size, DataFiles data) {
  return SizeCheck(study, size, data).run();
}

// ---- the option --size --------------------------------------------------------------------------

namespace {

class SizeOption {
 public:
  explicit SizeOption(const std::string& text) : prefix_("--size " + text + ": ") {}

  void complain(const std::string& message, std::string suggestion = {}) {
    complaints_.push_back({{}, prefix_ + message, std::move(suggestion)});
  }

  void read(const std::string& piece, const std::vector<std::string>& known) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string::npos) {
      const bool is_number = !piece.empty() && piece.find_first_not_of("0123456789") == piece.npos;
      complain("'" + piece + "' is not NAME=EXTENT",
               is_number && !known.empty() ? "--size " + known.front() + "=" + piece : "");
      return;
    }
    const std::string name = piece.substr(0, equals);
    const std::string digits = piece.substr(equals + 1);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      complain("the study has no dimension '" + name + "'", suggestion_for(name, known));
      return;
    }
    const std::int64_t extent = extent_from(digits).value_or(0);
    if (extent <= 0) {
      complain("'" + digits + "' is not a positive whole number", meant_by(digits));
    }
    if (!extents_.emplace(name, extent).second) complain("'" + name + "' is given twice");
  }

  ProblemSize finish(const std::vector<std::string>& names) {
    ProblemSize size;
    for (const std::string& name : names) {
      const auto found = extents_.find(name);
      if (found == extents_.end()) {
        if (complaints_.empty()) complain("'" + name + "' is missing");
        continue;
      }
      size.dims.emplace_back(name, found->second);
    }
    if (!complaints_.empty()) throw InputError(complaints_, {});
    return size;
  }

 private:
  std::string prefix_;
  std::map<std::string, std::int64_t> extents_;
  std::vector<Complaint> complaints_;
};

}  // namespace

ProblemSize parse_size_option(const std::string& text, const Study& study, DataFiles data) {
  const std::vector<std::string> names =
      dimension_names(study.sizes.empty() ? ProblemSize() : study.sizes.front());
  SizeOption option(text);
  if (names.empty()) {
    option.complain("the study has no problem sizes to choose from");
    return option.finish({});
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    option.read(text.substr(begin, comma - begin), names);
    begin = comma + 1;
  }
  ProblemSize size = option.finish(names);
  std::vector<Complaint> complaints = check_size(study, size, data);
  if (!complaints.empty()) throw InputError(std::move(complaints), study.text);
  return size;
}

}  // namespace tuner
