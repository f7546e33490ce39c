// Fills the header of a family: it matches what the kernels' functions take, and lists which kernel
// was the fastest at each size that any of them was measured at.

#include "tuner/deploy/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/deploy/cpp_text.h"
#include "tuner/deploy/launcher_signature.h"
#include "tuner/deploy/selection.h"

namespace tuner {
namespace {

using Arguments = std::vector<const LauncherArgument*>;

[[noreturn]] void refuse(const Study& study, const Position& where, const std::string& message,
                         const std::string& hint = "") {
  throw InputError({Complaint{where, message, hint}}, study.text);
}

// A kernel of the family, and how its function is called with what the family's own is given.
struct FamilyKernel {
  const FamilyMember* member;
  HeaderModel model;
  LauncherSignature signature;
  Arguments given{};                // by the caller, but for those that are dimensions
  std::vector<std::size_t> dims{};  // the first kernel's, for each of its own

  const Study& study() const { return *member->study; }
};

// The place of the dimension that an argument is; nothing: it is none.
std::optional<std::size_t> dimension_of(const FamilyKernel& kernel, const std::string& argument) {
  std::size_t place = 0;
  const auto& lists = kernel.signature.filling.lists;
  if (const auto sizes = lists.find("SIZES"); sizes != lists.end()) {
    for (const Filling& one : sizes->second) {
      if (one.words.at("VALUE") == argument) return place;
      ++place;
    }
  }
  return std::nullopt;
}

// Visits the parameters of a kernel's function in order: visit(argument, dimension), of which one
// is nothing.
template <typename Visit>
void for_each_parameter(const FamilyKernel& kernel, const Visit& visit) {
  for (const auto* list : {&kernel.signature.arguments, &kernel.signature.constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from != LauncherArgument::From::kCaller) continue;
      const auto d = one.spec->is_scalar ? dimension_of(kernel, one.name) : std::nullopt;
      visit(&one, d);
    }
  }
  for (const std::string& name : kernel.signature.more_sizes) {
    visit(nullptr, dimension_of(kernel, name));
  }
}

FamilyKernel kernel_of(const FamilyMember& member) {
  // Names that the family's function uses itself: no parameter hides them.
  static const std::vector<std::string> kOwn{"done",     "all",   "d",      "chosen", "detail",
                                             "launched", "match", "kernel", "dims"};
  HeaderModel model = header_model(*member.study, member.table, "_launcher");
  LauncherSignature signature = launcher_signature(model, kOwn);
  FamilyKernel kernel{&member, std::move(model), std::move(signature)};
  for_each_parameter(kernel, [&](const LauncherArgument* one, const auto& dimension) {
    if (one != nullptr && !dimension) kernel.given.push_back(one);
  });
  return kernel;
}

// ---- what has to be the same --------------------------------------------------------------------

std::string kind_of(const LauncherArgument& one) {
  if (one.spec->is_scalar) return one.type;
  const bool is_read = one.spec->role == Role::kIn;
  return (is_read ? "const " : "") + one.type + "*";
}

std::vector<std::string> dimension_order(const FamilyKernel& kernel) {
  std::vector<std::string> names;
  for_each_parameter(kernel, [&](const LauncherArgument*, const auto& dimension) {
    if (dimension) names.push_back(kernel.model.dims[*dimension].name);
  });
  return names;
}

std::size_t place_of(const FamilyKernel& kernel, const std::string& dimension) {
  const auto at = std::ranges::find(kernel.model.dims, dimension, &HeaderField::name);
  return static_cast<std::size_t>(at - kernel.model.dims.begin());
}

// Matches dimensions by name if both studies have the same ones, else in the order of the calls.
void match_dimensions(const FamilyKernel& first, FamilyKernel& other) {
  const auto here = dimension_order(other);
  const auto there = dimension_order(first);
  if (here.size() != there.size()) {
    refuse(other.study(), other.study().kernel.where,
           fmt::format("'{}' has {} ({}), and '{}' has {} ({}): a family has one size",
                       other.study().kernel.name, count_text(here.size(), "dimension"),
                       listed(here), first.study().kernel.name,
                       count_text(there.size(), "dimension"), listed(there)));
  }
  const bool by_name = std::ranges::is_permutation(here, there);
  other.dims.resize(here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    other.dims[place_of(other, here[i])] = place_of(first, by_name ? here[i] : there[i]);
  }
}

// The extents of a buffer, or the number of its elements alone, for three sizes whose numbers tell
// dimensions apart. An extent that needs more than the size to be known is its text.
std::vector<std::string> extents_of(const FamilyKernel& kernel, const ArgumentSpec& spec,
                                    bool count_alone) {
  constexpr std::array<std::int64_t, 8> kPrimes{101, 211, 307, 401, 503, 601, 701, 809};
  std::vector<std::string> out;
  const auto& dims = kernel.member->table.entries.front().size.dims;
  for (const std::int64_t times : {1, 8, 64}) {
    Bindings size;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      size[dims[d].first] = times * (kPrimes[kernel.dims[d] % kPrimes.size()] +
                                     1000 * static_cast<std::int64_t>(kernel.dims[d] / 8));
    }
    double count = 1;
    for (const Expression& one : spec.shape) {
      const auto value = one.evaluate(size);
      if (value) count *= to_number(*value);
      if (!count_alone || !value) out.push_back(value ? to_text(*value) : one.text());
    }
    if (count_alone) out.push_back(to_text(Value(count)));
  }
  return out;
}

// Whether two buffers have the same extents, or, where one is given as rows and the other is not,
// as many elements.
bool have_same_extents(const FamilyKernel& first, const ArgumentSpec& there,
                       const FamilyKernel& other, const ArgumentSpec& here) {
  const bool count_alone = there.shape.size() != here.shape.size();
  return extents_of(first, there, count_alone) == extents_of(other, here, count_alone);
}

std::string shape_text(const ArgumentSpec& spec) {
  return "[" + joined(spec.shape, [](const Expression& one) { return one.text(); }) + "]";
}

void compare_arguments(const FamilyKernel& first, const FamilyKernel& other) {
  const Study& study = other.study();
  const std::string& name = first.study().kernel.name;
  if (other.given.size() != first.given.size()) {
    const auto name_of = [](const LauncherArgument* one) { return one->name; };
    refuse(study, study.kernel.where,
           fmt::format("'{}' takes {} beside its size ({}), and '{}' takes {} ({}): one function "
                       "takes the same for all kernels",
                       study.kernel.name, count_text(other.given.size(), "argument"),
                       joined(other.given, name_of), name, first.given.size(),
                       joined(first.given, name_of)));
  }
  for (std::size_t i = 0; i < other.given.size(); ++i) {
    const LauncherArgument& here = *other.given[i];
    const LauncherArgument& there = *first.given[i];
    const auto differ = [&](const std::string& mine, const std::string& its) {
      refuse(study, here.spec->where,
             fmt::format("'{}' is {}, and '{}', which '{}' takes in its place, is {}",
                         here.spec->name, mine, there.spec->name, name, its),
             "a family's kernels take the same arguments in the same order and layout");
    };
    if (kind_of(here) != kind_of(there)) differ(kind_of(here), kind_of(there));
    if (!have_same_extents(first, *there.spec, other, *here.spec)) {
      std::string names;
      for (std::size_t d = 0; d < other.dims.size(); ++d) {
        const std::string& mine = other.model.dims[d].name;
        const std::string& its = first.model.dims[other.dims[d]].name;
        if (mine != its) names += fmt::format("{}{} is {}", names.empty() ? "" : ", ", mine, its);
      }
      differ(shape_text(*here.spec) + (names.empty() ? "" : " (" + names + ")"),
             shape_text(*there.spec));
    }
  }
}

void compare_measures(const FamilyKernel& first, const FamilyKernel& other) {
  const Study& study = other.study();
  const std::string& name = first.study().kernel.name;
  const ObjectiveSpec& mine = study.objective;
  const ObjectiveSpec& its = first.study().objective;
  const auto said = [](const ObjectiveSpec& one) {
    return (one.maximize ? "maximize " : "minimize ") + one.name;
  };
  const auto differ = [&](const std::string& what, const std::string& here,
                          const std::string& there) {
    refuse(study, study.kernel.where,
           fmt::format("the {} is '{}', and that of '{}' is '{}': kernels are chosen by figures "
                       "that can be compared",
                       what, here, name, there));
  };
  if (said(mine) != said(its)) differ("objective", said(mine), said(its));
  const std::string timed = timing_text(study.measure);
  const std::string other_timed = timing_text(first.study().measure);
  if (timed != other_timed) differ("measure", timed, other_timed);
}

std::vector<FamilyKernel> kernels_of(const std::vector<FamilyMember>& members) {
  std::vector<FamilyKernel> kernels;
  std::set<std::string> spaces;
  for (const FamilyMember& member : members) {
    const Study& study = *member.study;
    FamilyKernel kernel = kernel_of(member);
    if (!spaces.insert(kernel.model.space).second) {
      refuse(study, study.kernel.where,
             "two kernels of the family are called '" + study.kernel.name + "'",
             "'kernel: {name: ...}' gives one of them another name");
    }
    const FamilyKernel& first = kernels.empty() ? kernel : kernels.front();
    match_dimensions(first, kernel);
    compare_arguments(first, kernel);
    compare_measures(first, kernel);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// ---- which kernel was the fastest ---------------------------------------------------------------

// A size on a device, and what each kernel's selected configuration came to there.
struct Meeting {
  std::size_t device = 0;                    // in Meetings::devices
  ProblemSize size;                          // the first kernel's dimensions
  std::vector<const TunedEntry*> entries{};  // by kernel; null: not measured

  std::size_t fastest(bool maximize) const {
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (entries[k] == nullptr) continue;
      const auto figure = [&](std::size_t of) { return entries[of]->shown.objective; };
      const bool is_better =
          best && (maximize ? figure(k) > figure(*best) : figure(k) < figure(*best));
      if (!best || is_better) best = k;
    }
    return best.value_or(0);
  }
};

struct Meetings {
  std::vector<DeviceFacts> devices;
  std::vector<Meeting> all;
};

ProblemSize size_of_first(const std::vector<FamilyKernel>& kernels, std::size_t k,
                          const ProblemSize& own) {
  ProblemSize size = kernels.front().member->table.entries.front().size;
  for (std::size_t d = 0; d < own.dims.size(); ++d) {
    size.dims[kernels[k].dims[d]].second = own.dims[d].second;
  }
  return size;
}

ProblemSize size_of(const FamilyKernel& kernel, const ProblemSize& of_first) {
  ProblemSize size = kernel.member->table.entries.front().size;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    size.dims[d].second = of_first.dims[kernel.dims[d]].second;
  }
  return size;
}

Meetings meetings_of(const std::vector<FamilyKernel>& kernels) {
  Meetings out;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const TunedTable& table = kernels[k].member->table;
    for (const TunedEntry& entry : table.entries) {
      const DeviceFacts& facts = table.devices[entry.device];
      auto device = std::ranges::find_if(
          out.devices, [&](const DeviceFacts& one) { return is_one_model(one, facts); });
      if (device == out.devices.end()) device = out.devices.insert(device, facts);
      const auto place = static_cast<std::size_t>(device - out.devices.begin());
      ProblemSize size = size_of_first(kernels, k, entry.size);
      auto at = std::ranges::find_if(
          out.all, [&](const Meeting& one) { return one.device == place && one.size == size; });
      if (at == out.all.end()) at = out.all.insert(at, Meeting{place, std::move(size)});
      at->entries.resize(kernels.size());
      at->entries[k] = &entry;
    }
  }
  return out;
}

// Lists the sizes where a kernel could run and was not measured: there its time plays no part.
std::string notes_of(const std::vector<FamilyKernel>& kernels, const Meetings& meetings) {
  std::string out;
  constexpr std::size_t kShown = 3;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::vector<std::string> sizes;
    for (const Meeting& one : meetings.all) {
      if (one.entries[k] != nullptr) continue;
      const ProblemSize size = size_of(kernels[k], one.size);
      const Selection found =
          select(kernels[k].study(), kernels[k].member->table, meetings.devices[one.device], size);
      if (found.how == Match::kUnsupported) continue;
      const std::string text = joined(
          size.dims, [](const auto& dim) { return fmt::format("{}={}", dim.first, dim.second); },
          ",");
      if (std::ranges::find(sizes, text) == sizes.end()) sizes.push_back(text);
    }
    if (sizes.empty()) continue;
    out += fmt::format("'{}' could run {} at which only others were measured",
                       kernels[k].study().kernel.name, count_text(sizes.size(), "size"));
    out += "; to compare: tuner run " + shell_word(kernels[k].study().file.string());
    for (std::size_t i = 0; i < std::min(kShown, sizes.size()); ++i) out += " --size " + sizes[i];
    out += sizes.size() > kShown ? " ...\n" : "\n";
  }
  return out;
}

// ---- the text -----------------------------------------------------------------------------------

std::string all_dims(const HeaderModel& model, const std::string& pattern,
                     const std::string& between, const std::string& none) {
  const std::string all = joined(
      model.dims, [&](const HeaderField& dim) { return replaced(pattern, "@", dim.name); },
      between);
  return all.empty() ? none : all;
}

// "A, B, static_cast<std::int32_t>(d.M), ": a kernel's call with what the family's function has.
std::string call_of(const FamilyKernel& first, const FamilyKernel& kernel) {
  std::string out;
  std::size_t next = 0;
  for_each_parameter(kernel, [&](const LauncherArgument* one, const auto& dimension) {
    if (!dimension) {
      out += first.given[next++]->name + ", ";
      return;
    }
    const std::string value = "d." + first.model.dims[kernel.dims[*dimension]].name;
    out += one != nullptr ? fmt::format("static_cast<{}>({}), ", one->type, value) : value + ", ";
  });
  return out;
}

void fill_kernels(const std::vector<FamilyKernel>& kernels, Filling& out) {
  const FamilyKernel& first = kernels.front();
  for (const FamilyKernel& kernel : kernels) {
    std::vector<Filling>& all = out.lists["KERNELS"];
    const auto extent = [&](std::size_t of_first) {
      return "d." + first.model.dims[of_first].name;
    };
    all.push_back({{{"N", std::to_string(all.size())},
                    {"STEM", kernel.member->stem},
                    {"OWN", kernel.model.space},
                    {"OWN_FUNCTION", kernel.signature.function},
                    {"EXTENTS", joined(kernel.dims, extent)},
                    {"SAME", all_dims(kernel.model, "has.@ == size.@", " && ", "true")},
                    {"IS_SIZED", kernel.member->is_sized ? "yes" : ""},
                    {"CALL", call_of(first, kernel)}}});
  }
  const auto name = [](const FamilyKernel& one) { return cpp_identifier(one.study().kernel.name); };
  const auto quoted = [](const FamilyKernel& one) { return cpp_string(one.study().kernel.name); };
  out.words.insert({{"COUNT", std::to_string(kernels.size())},
                    {"FIRST", first.model.space},
                    {"NAMES", joined(kernels, name)},
                    {"QUOTED", joined(kernels, quoted)},
                    {"CALL_FIRST", first.signature.call()},
                    {"PARAMETERS", first.signature.parameters() + "cudaStream_t stream = nullptr"},
                    {"POSITIVE", all_dims(first.model, "d.@ > 0", " && ", "true")},
                    {"SAME", all_dims(first.model, "size.@ == d.@", " && ", "true")}});
  if (!first.dims.empty()) out.lists["SIZES"] = first.signature.filling.lists.at("SIZES");
}

void fill_meetings(const std::vector<FamilyKernel>& kernels, const Meetings& meetings,
                   Filling& out) {
  const HeaderModel& model = kernels.front().model;
  for (const DeviceFacts& one : meetings.devices) {
    out.lists["DEVICES"].push_back({{{"DEVICE", cpp_string(one.name)},
                                     {"CAPABILITY", std::to_string(one.compute_capability)},
                                     {"PROCESSORS", std::to_string(one.multiprocessors)}}});
  }
  for (const Meeting& one : meetings.all) {
    std::string times;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::string name = for_terminal(kernels[k].study().kernel.name);
      times += times.empty() ? "" : ", ";
      times += one.entries[k] == nullptr
                   ? name + " not measured"
                   : fmt::format("{} {:.6g} ms", name, one.entries[k]->shown.median_ms);
    }
    std::ranges::replace(times, '\\', ' ');
    const auto extent = [](const auto& dim) { return std::to_string(dim.second); };
    const std::size_t fastest = one.fastest(kernels.front().study().objective.maximize);
    out.lists["ENTRIES"].push_back({{{"DEVICE", std::to_string(one.device)},
                                     {"KERNEL", std::to_string(fastest)},
                                     {"EXTENTS", joined(one.size.dims, extent)},
                                     {"TIMES", times}}});
  }
  const SizeDistance weighted(model.table->weights);
  std::size_t place = 0;
  const auto term = [&](const HeaderField& dim) {
    return fmt::format("{0} * square(lg256(size.{1}) - lg256(d.{1}))", weighted.factor(place++),
                       dim.name);
  };
  out.words.insert({{"DEVICE_COUNT", std::to_string(meetings.devices.size())},
                    {"ENTRY_COUNT", std::to_string(meetings.all.size())},
                    {"DISTANCE", model.dims.empty() ? "0" : joined(model.dims, term, " + ")}});
}

}  // namespace

void check_family(const std::vector<FamilyMember>& members) {
  static_cast<void>(kernels_of(members));
}

Family export_family(const std::vector<FamilyMember>& members, const FamilyOptions& options) {
  const std::vector<FamilyKernel> kernels = kernels_of(members);
  const Meetings meetings = meetings_of(kernels);
  const std::string function = cpp_identifier(options.stem);
  for (const FamilyKernel& kernel : kernels) {
    if (kernel.model.space != function) continue;
    refuse(kernel.study(), kernel.study().kernel.where,
           "'" + function + "' is the namespace of this kernel's own launcher",
           "name the family's header otherwise: -o FOLDER/NAME");
  }
  std::string prefix = function + "_family";
  std::ranges::transform(prefix, prefix.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  Filling all{{{"FUNCTION", function},
               {"SPACE", function},
               {"PREFIX", prefix},
               {"GENERATOR", options.generator}}};
  fill_kernels(kernels, all);
  fill_meetings(kernels, meetings, all);
  return {filled(embedded_text("family.hpp"), all), notes_of(kernels, meetings)};
}

}  // namespace tuner
