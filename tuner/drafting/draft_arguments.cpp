// Arguments, constants and outputs.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/captured_launches.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

const std::vector<std::string> kNoNames;

class Arguments {
 public:
  Arguments(DraftContext& context, const std::string& source_name)
      : c_(context),
        source_name_(source_name),
        along_(extents_of_axes(context.kernel.body, context.extent_arguments)) {}

  void take_arguments() {
    for (std::size_t i = 0; i < c_.kernel.arguments.size(); ++i) {
      FoundArgument one = c_.with_type(c_.kernel.arguments[i]);
      if (const std::string name = record_name(c_, one); name != one.c_type) {
        const auto numbers = numbers_in(c_.records.at(name));
        one.c_type = name;
        if (one.is_pointer() && numbers) one.type = numbers->name;
        if (one.is_pointer() && numbers) one.lanes = numbers->lanes;
      }
      const bool is_memory = one.c_type == "void" && one.pointers == 1;
      const int state = bytes_of_random_state(one.c_type);
      if (state > 0 && one.pointers == 1) one.type = "uint8";
      if (state > 0) one.lanes = state;
      if (!c_.request.captured.empty()) {
        const bool is_numbers = one.pointers == 1 && !one.type.empty();
        c_.plan.arguments.push_back(captured_argument(
            c_, one, i, is_numbers ? buffer(one) : DraftedArgument{.name = one.name}));
        continue;
      }
      const bool is_plain = !one.type.empty() && one.pointers < 2 && one.is_plain &&
                            (one.is_pointer() || one.lanes == 1);
      if (!is_plain && !c_.request.launcher_name.empty()) continue;  // the launcher's own
      if (auto record = drafted_record(c_, one)) {
        c_.plan.arguments.push_back(std::move(*record));
        continue;
      }
      if (auto texture = drafted_texture(c_, one)) {
        c_.plan.arguments.push_back(std::move(*texture));
        continue;
      }
      if (one.type.empty() || one.pointers > 1) refuse_type(one);
      DraftedArgument drafted = one.is_pointer() ? buffer(one) : scalar(one);
      if (is_memory) drafted.remark = "a guess: void* does not tell the type of the elements";
      c_.plan.arguments.push_back(std::move(drafted));
    }
    for (DraftedArgument& one : c_.plan.arguments) {
      if (!one.remark.empty() && one.is_number() && is_pitch(one.name)) refine_pitch(one);
    }
    draft_indices(c_);
  }

  void take_constants() {
    for (const FoundConstant& one : c_.source.constants) {
      if (!mentions(c_.kernel.body, one.is.name)) continue;
      bool is_tuned = false;
      const std::string shape = with_commas(one.extents, [&](Tokens extent) {
        const std::string text = c_.in_study(extent).value_or("1");
        const std::string present = with_present_values(c_.plan, text);
        is_tuned |= present != text;
        return quoted_if_needed(present);
      });
      auto drafted = drafted_constant(c_, one.is);
      if (!drafted) {
        c_.plan.guessed.push_back("nothing sets the symbol '" + one.is.name +
                                  "': its type is none that a study can fill");
        continue;
      }
      drafted->shape = "[" + (shape.empty() ? "1" : shape) + "]";
      if (is_captured(drafted->name)) drafted->fill = "{captured: " + drafted->name + "}";
      if (is_tuned) drafted->remark = "a guess: parameters change its size";
      c_.plan.constants.push_back(std::move(*drafted));
    }
  }

 private:
  bool is_captured(const std::string& constant) const {
    const auto is = [&](const CapturedVariable& one) {
      return one.name.find(constant) != std::string::npos;
    };
    return !c_.request.captured.empty() &&
           std::ranges::any_of(c_.request.captured.front().variables, is);
  }

  // cuRAND's states, of which a study gives the bytes; 0: it is none.
  static int bytes_of_random_state(const std::string& c_type) {
    const std::string kind = c_type.ends_with("_t") ? c_type.substr(0, c_type.size() - 2) : c_type;
    if (kind == "curandState" || kind == "curandStateXORWOW") return 48;
    if (kind == "curandStatePhilox4_32_10") return 64;
    return kind == "curandStateSobol32" ? 140 : 0;
  }

  static std::string quoted_if_needed(const std::string& text) {
    return std::ranges::all_of(text, is_word_part) ? text : "\"" + text + "\"";
  }

  [[noreturn]] void refuse_type(const FoundArgument& one) const {
    refuse(c_.kernel.is_own ? c_.kernel.line : 0,
           fmt::format("'{}' of {} has the type '{}{}'", one.name, c_.kernel.name, one.c_type,
                       one.pointers > 1 ? "**" : ""),
           one.pointers > 1 ? "no host code shows how many pointers there are, so: init --launcher"
                            : "a study gives numbers, structs of them, and buffers; a launcher "
                              "gives the rest: init --launcher");
  }

  [[noreturn]] void refuse(int line, const std::string& what, const std::string& suggestion) const {
    throw InputError(Complaint{{source_name_, line, 1}, what, suggestion});
  }

  DraftedArgument scalar(const FoundArgument& one) {
    DraftedArgument out{.name = one.name, .type = one.type};
    const auto extent = c_.plan.extent_of.find(one.name);
    if (extent != c_.plan.extent_of.end()) {
      out.value = extent->second;
    } else if (const auto passed = passed_value(one)) {
      out.value = *passed;
    } else if (const auto named = named_value(c_.kernel.body, one.name, c_.source.numbers)) {
      out.value = std::to_string(*named);
      out.remark = "a guess: the first value that the kernel compares it with";
    } else {
      const bool is_row = is_pitch(one.name) || is_stride_of_output(one.name);
      const bool has_rows = is_row && !c_.plan.extents.empty();
      const char* usual = is_real(one) ? "0.5" : one.c_type == "bool" ? "1" : "16";
      out.value = has_rows ? usual_row() : usual;
      out.remark = "a guess";
    }
    return out;
  }

  // The length of a row: an extent with the name of one, else the last.
  std::string usual_row() const {
    const auto row = std::ranges::find_if(c_.plan.extents, [](const auto& one) {
      return axis_of_extent(one.first) == 'x' && one.first.size() > 1;
    });
    return row == c_.plan.extents.end() ? c_.plan.extents.back().first : row->first;
  }

  static bool is_pitch(const std::string& argument) {
    const std::string name = lower(argument);
    return name.starts_with("ld") || name.find("stride") != name.npos ||
           name.find("pitch") != name.npos;
  }

  // Whether an output has elements at its multiples: rows that are too short would overlap.
  bool is_stride_of_output(const std::string& argument) const {
    return std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& one) {
      const Use use = one.is_pointer() ? use_of(c_.kernel.body, one.name) : Use{};
      return use.writes && !one.is_const && multiplies(use, c_.kernel.body, argument);
    });
  }

  // Takes for "lda" the length of a row of the buffer that it is the pitch of: the extents of "a"
  // in "a[row * lda + i]" but that which "row" runs along; else, by its name, of a buffer "a".
  void refine_pitch(DraftedArgument& pitch) const {
    const DraftedArgument* named = nullptr;
    for (const DraftedArgument& one : c_.plan.arguments) {
      if (!one.is_buffer() || one.extents().size() < 2) continue;
      const Use use = use_of(c_.kernel.body, one.name);
      const bool is_of = multiplies(use, c_.kernel.body, pitch.name);
      if (!is_of && lower(pitch.name) != "ld" + lower(one.name)) continue;
      named = &one;
      if (is_of) break;
    }
    if (named == nullptr) return;
    const std::vector<std::string> extents = named->extents();
    const bool is_first = runs_along(factor_of(pitch.name), extents[1]);
    pitch.value = quoted_if_needed(extents[is_first ? 0 : 1]);
  }

  // "row" of "row * lda" and of "lda * row"; empty: none.
  std::string factor_of(const std::string& pitch) const {
    const Tokens body = c_.kernel.body;
    for (std::size_t at = 1; at + 2 < body.size(); ++at) {
      if (!body[at].is(pitch)) continue;
      if (body[at - 1].is("*") && at > 1 && body[at - 2].is_word()) {
        return std::string(body[at - 2].text);
      }
      if (body[at + 1].is("*") && body[at + 2].is_word()) return std::string(body[at + 2].text);
    }
    return {};
  }

  // Whether a variable is compared with the argument that is this extent: "row < m".
  bool runs_along(const std::string& variable, const std::string& extent) const {
    const Tokens body = c_.kernel.body;
    for (std::size_t at = 0; at + 2 < body.size(); ++at) {
      if (!body[at].is(variable) || !is_one_of("< >", body[at + 1].text)) continue;
      const auto known = c_.plan.extent_of.find(std::string(body[at + 2].text));
      if (known != c_.plan.extent_of.end() && known->second == extent) return true;
    }
    return false;
  }

  static bool is_real(const FoundArgument& one) {
    return one.type.find("float") != std::string::npos;
  }

  // Returns the value that the host code passes, as a study writes it; nothing where it is not
  // known.
  std::optional<std::string> passed_value(const FoundArgument& one) const {
    const Tokens passed = c_.passed_for(one.name);
    auto text = passed.empty() ? std::nullopt : c_.in_study(passed);
    const auto value = text ? c_.value_of(*text) : std::nullopt;
    if (!value) return std::nullopt;
    const bool is_plain = text->find_first_not_of("0123456789.e") == std::string::npos;
    if (is_real(one)) {
      if (is_plain) return text;
      return names_in(*text) ? "\"" + *text + "\"" : fmt::format("{}", *value);
    }
    const std::int64_t wrapped = as_type(*value, one.type);
    const bool fits = static_cast<double>(wrapped) == *value;
    if (!fits || !names_in(*text)) return std::to_string(wrapped);
    return "\"" + *text + "\"";
  }

  static bool names_in(const std::string& text) {
    return std::ranges::any_of(text,
                               [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
  }

  // Converts a value to an integer type as C does: 0xDEADBEEF is a negative int.
  static std::int64_t as_type(double value, const std::string& type) {
    const auto whole = static_cast<std::int64_t>(std::clamp(value, -9e18, 9e18));
    const int bits = std::stoi(type.substr(type.find_first_of("0123456789")));
    if (bits >= 64) return whole;
    const std::int64_t mask = (std::int64_t{1} << bits) - 1, low = whole & mask;
    const bool is_negative = type.front() == 'i' && (low >> (bits - 1)) != 0;
    return is_negative ? low - mask - 1 : low;
  }

  DraftedArgument buffer(const FoundArgument& one) {
    const Use use = use_of(c_.kernel.body, one.name);
    DraftedArgument out{.name = one.name, .type = one.type, .lanes = one.lanes};
    const auto allocated = allocated_shape(c_, one, {c_.passed_for(one.name)}, use);
    const bool has_rows = one.type.find("int") != std::string::npos && !use.writes &&
                          holds_offsets(use) && c_.plan.extents.size() == 1;
    if (!allocated && has_rows) return offsets(one);
    out.shape = allocated ? allocated->shape : shape_by_use(c_, one, use);
    out.remark = allocated || c_.plan.extents.size() == 1 ? "" : "a guess: the shape";
    const auto& unwritten = c_.request.unwritten;
    const bool is_changed = unwritten.contains(one.name);  // by whom it is passed to
    if ((!use.writes || one.is_const) && !is_changed) {
      out.fill = has_rows ? rows_fill() : fill_for(one);
      if (c_.request.small && !is_real(one))
        out.remark = "larger numbers crashed when it was tried";
      return out;
    }
    if (c_.request.unsteady.contains(one.name)) {
      out.role = "scratch";
      out.remark = "not verified: two launches wrote different values when it was tried";
      return out;
    }
    c_.plan.outputs.emplace_back(one.name, one.type);
    const bool is_unwritten = is_changed || unwritten.contains(kEvery);
    const bool has_parts = depends_on_the_grid(use, allocated ? allocated->choices : kNoNames);
    if (has_parts && !use.reads) {
      out.role = "inout";
      out.fill = "zeros";
      out.remark = "each configuration writes another number of elements";
      return out;
    }
    if (is_unwritten) out.remark = "not every element of it was written when it was tried";
    if (use.reads || is_unwritten) {
      out.role = "inout";
      out.fill = use.reads ? fill_for(one) : "zeros";
      return out;
    }
    take_output(one, use, allocated.has_value(), out);
    return out;
  }

  // Whether the answer has as many elements as the grid has blocks, or as the host code gives
  // memory for: then it depends on the parameters that say so.
  bool depends_on_the_grid(const Use& use, std::vector<std::string> choices) const {
    const bool is_by_block =
        !use.subscripts.empty() && std::ranges::all_of(use.subscripts, [&](Tokens subscript) {
          const auto words = words_in(subscript, c_.kernel.body);
          return words.contains("blockIdx") && !words.contains("threadIdx");
        });
    for (std::size_t axis = 0; is_by_block && axis < c_.plan.grid.size(); ++axis) {
      const auto more = choices_in(c_.plan, c_.plan.grid[axis]);
      choices.insert(choices.end(), more.begin(), more.end());
    }
    std::size_t answers = 1;
    for (const std::string& one : c_.plan.per) answers *= c_.plan.parameter(one)->values.size();
    for (const std::string& one : choices) {
      if (std::ranges::find(c_.plan.per, one) != c_.plan.per.end()) continue;
      auto& parameter = *std::ranges::find(c_.plan.parameters, one, &DraftedParameter::name);
      if (answers * parameter.values.size() > kMostRightAnswers) {
        parameter.values = {parameter.present};
        parameter.from += "; others give too many different answers";
        continue;
      }
      answers *= parameter.values.size();
      c_.plan.per.push_back(one);
    }
    return !choices.empty();
  }

  // Makes an argument an output. Elements that no thread writes are poison in the right answer,
  // too: a run reports that, and zeros would hide it. Zeros are kept only where borders are
  // skipped, or where each block writes one element and the launch gives the number of blocks.
  void take_output(const FoundArgument& one, const Use& use, bool is_allocated,
                   DraftedArgument& out) const {
    const bool skips = skips_borders(c_.kernel.body, c_.extent_arguments);
    const auto axis = skips || is_allocated ? std::nullopt : axis_of_index(use);
    const auto extent = axis ? along_.find(*axis) : along_.end();
    out.role = "out";
    if (!skips && extent == along_.end()) return;
    if (!skips) {
      const bool is_by_thread = std::ranges::all_of(use.subscripts, [&](Tokens subscript) {
        return words_in(subscript, c_.kernel.body).contains("threadIdx");
      });
      const std::string& name = c_.plan.extent_of.at(extent->second);
      const auto place = static_cast<std::size_t>(*axis - 'x');
      if (is_by_thread || (place < c_.plan.grid.size() && c_.plan.grid[place] == name)) {
        out.shape = finished_shape(c_, one, {name});
        out.remark.clear();
        return;
      }
    }
    out.role = "inout";
    out.fill = "zeros";
    out.remark = fmt::format("a guess: {}; role: out, if every element is written",
                             skips ? "borders stay as they are" : "one element a block");
  }

  // The one axis that all indices depend on, of a buffer that has no rows.
  std::optional<char> axis_of_index(const Use& use) const {
    const bool has_rows = std::ranges::any_of(c_.extent_arguments, [&](const auto& extent) {
      return multiplies(use, c_.kernel.body, extent);
    });
    return has_rows ? std::nullopt : axis_of(use.subscripts, c_.kernel.body);
  }

  static std::string rows_fill() { return fmt::format("{{sequence: [0, {}]}}", kRowLength); }

  // Rows of equal length; whatever lies in them has as many elements as all rows together.
  DraftedArgument offsets(const FoundArgument& one) const {
    const std::string& extent = c_.plan.extents.front().first;
    return {.name = one.name,
            .type = one.type,
            .shape = "[" + extent + " + 1]",
            .fill = rows_fill(),
            .remark = fmt::format("a guess: rows of {} elements", kRowLength)};
  }

  // Tells a buffer of begins, whose ends another buffer has, by its name.
  static bool is_begin(const std::string& buffer) {
    const std::string name = lower(buffer);
    return name.find("begin") != name.npos || name.find("start") != name.npos ||
           name.find("offset") != name.npos;
  }

  std::string fill_for(const FoundArgument& one) const {
    if (bytes_of_random_state(one.c_type) > 0) return "zeros";
    if (is_real(one)) return c_.request.positive ? "{uniform: [0, 1]}" : "{uniform: [-1, 1]}";
    if (c_.request.small && is_begin(one.name)) return "zeros";
    if (one.c_type == "bool" || c_.request.small) return "{integers: [0, 1]}";
    return one.type == "int8" ? "{integers: [-100, 100]}" : "{integers: [0, 100]}";
  }

  DraftContext& c_;
  const std::string& source_name_;
  std::map<char, std::string> along_;  // by axis of the grid: the argument that is its extent
};

}  // namespace

void draft_arguments(DraftContext& context, const std::string& source_name) {
  Arguments arguments(context, source_name);
  arguments.take_arguments();
  arguments.take_constants();
}

}  // namespace tuner
