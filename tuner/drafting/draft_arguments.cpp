// Arguments, constants and outputs.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"
#include "tuner/drafting/draft_records.h"
#include "tuner/drafting/grid_axes.h"
#include "tuner/drafting/guesses.h"
#include "tuner/drafting/host_memory.h"
#include "tuner/drafting/study_text.h"

namespace tuner {
namespace {

constexpr int kRowLength = 16;
constexpr double kMostBytes = 256 << 20;  // of a buffer
constexpr double kMostRoom = 128 << 20;   // of one that is made larger than it seems to be

class Arguments {
 public:
  Arguments(DraftContext& context, const std::string& source_name)
      : c_(context),
        source_name_(source_name),
        along_(extents_of_axes(context.kernel.body, context.extent_arguments)) {}

  void take_arguments() {
    for (const FoundArgument& plain : c_.kernel.arguments) {
      FoundArgument one = plain;
      if (const auto type = c_.types.find(one.c_type); type != c_.types.end()) {
        const auto element = element_type(type->second);
        if (element) one.type = element->name;
      }
      const bool is_memory = one.type.empty() && one.c_type == "void" && one.pointers == 1;
      const int state = bytes_of_random_state(one.c_type);
      if (is_memory || (state > 0 && one.pointers == 1)) one.type = "uint8";
      if (state > 0) one.lanes = state;
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
      if (is_memory) drafted.remark = "a guess: void* says nothing of its elements";
      c_.plan.arguments.push_back(std::move(drafted));
    }
  }

  void take_constants() {
    for (const FoundConstant& one : c_.source.constants) {
      if (!mentions(c_.kernel.body, one.name)) continue;
      std::string shape;
      for (const Tokens extent : one.extents) {
        const auto text = c_.in_study(extent);
        shape += (shape.empty() ? "" : ", ") +
                 quoted_if_needed(with_present_values(c_.plan, text.value_or("1")));
      }
      if (one.type.empty()) {
        c_.plan.guessed.push_back("nothing sets __constant__ '" + one.name +
                                  "': its type is no number");
        continue;
      }
      const std::string fill =
          one.type.find("float") != std::string::npos ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}";
      c_.plan.constants.push_back({one.name,
                                   fmt::format("type: {}, shape: [{}], fill: {}", one.type,
                                               shape.empty() ? "1" : shape, fill),
                                   ""});
    }
  }

 private:
  // cuRAND's states, of which a study gives the bytes; 0: it is none.
  static int bytes_of_random_state(const std::string& c_type) {
    const std::string kind = c_type.ends_with("_t") ? c_type.substr(0, c_type.size() - 2) : c_type;
    if (kind == "curandState" || kind == "curandStateXORWOW") return 48;
    if (kind == "curandStatePhilox4_32_10") return 64;
    return kind == "curandStateSobol32" ? 140 : 0;
  }

  static std::string trimmed_quotes(const std::string& text) {
    return text.front() == '"' ? text.substr(1, text.size() - 2) : text;
  }

  static std::string quoted_if_needed(const std::string& text) {
    return std::ranges::all_of(text, is_word_part) ? text : "\"" + text + "\"";
  }

  [[noreturn]] void refuse_type(const FoundArgument& one) const {
    refuse(c_.kernel.is_own ? c_.kernel.line : 0,
           fmt::format("'{}' of {} has the type '{}{}'", one.name, c_.kernel.name, one.c_type,
                       one.pointers > 1 ? "**" : ""),
           one.pointers > 1 ? "no host code shows how many pointers there are"
                            : "a study gives numbers, structs of them, and buffers");
  }

  [[noreturn]] void refuse(int line, const std::string& what, const std::string& suggestion) const {
    throw InputError(Complaint{{source_name_, line, 1}, what, suggestion});
  }

  DraftedArgument scalar(const FoundArgument& one) {
    const auto extent = c_.plan.extent_of.find(one.name);
    if (extent != c_.plan.extent_of.end()) {
      return {one.name, fmt::format("type: {}, value: {}", one.type, extent->second), ""};
    }
    if (const auto value = passed_value(one)) {
      return {one.name, fmt::format("type: {}, value: {}", one.type, *value), ""};
    }
    const std::string name = lower(one.name);
    const bool is_pitch = name.starts_with("ld") || name.find("stride") != name.npos ||
                          name.find("pitch") != name.npos;
    if (is_pitch && !c_.plan.extents.empty()) {
      return {one.name, fmt::format("type: {}, value: {}", one.type, c_.plan.extents.back().first),
              "a guess"};
    }
    return {one.name, fmt::format("type: {}, value: {}", one.type, is_real(one) ? "0.5" : "16"),
            "a guess"};
  }

  static bool is_real(const FoundArgument& one) {
    return one.type.find("float") != std::string::npos;
  }

  // What the host code passes, as a study says it; nothing where it is not known.
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

  // As C converts it: 0xDEADBEEF is a negative int.
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
    if (one.type.find("int") != std::string::npos && one.is_const && holds_offsets(use) &&
        c_.plan.extents.size() == 1) {
      return offsets(one);
    }
    const auto allocated = allocated_shape(one);
    const std::string shape = allocated ? listed_shape(one, *allocated) : shape_of(one, use);
    const std::string text = fmt::format("type: {}, shape: {}", one.type, shape);
    const std::string guess = allocated || c_.plan.extents.size() == 1 ? "" : "a guess: the shape";
    const auto& unwritten = c_.request.unwritten;
    const bool is_changed = unwritten.contains(one.name);  // by whom it is passed to
    if ((!use.writes || one.is_const) && !is_changed) {
      return {one.name, text + ", fill: " + fill_for(one, use), guess};
    }
    if (c_.request.unsteady.contains(one.name)) {
      return {one.name, text + ", role: scratch",
              "no two launches wrote the same when it was tried: it is not verified"};
    }
    c_.plan.outputs.emplace_back(one.name, one.type);
    if (unwritten.contains(one.name) || unwritten.contains(kEvery)) {
      return {one.name, text + ", role: inout, fill: " + (use.reads ? fill_for(one, use) : "zeros"),
              "not every element of it was written when it was tried"};
    }
    if (use.reads) return {one.name, text + ", role: inout, fill: " + fill_for(one, use), guess};
    if (allocated && !skips_borders(c_.kernel.body, c_.extent_arguments)) {
      return {one.name, text + ", role: out", guess};
    }
    return output(one, use, text, guess);
  }

  // As many elements as the host code has memory for.
  std::optional<std::string> allocated_shape(const FoundArgument& one) const {
    if (!c_.hint) return std::nullopt;
    const auto place = std::ranges::find(c_.kernel.arguments, one.name, &FoundArgument::name) -
                       c_.kernel.arguments.begin();
    const auto memory = host_memory(c_.source, *c_.hint, static_cast<std::size_t>(place));
    if (!memory) return std::nullopt;
    std::string all;
    for (const Tokens factor : memory->factors) {
      const auto text = c_.folded(factor, memory->frame);
      if (!text) return std::nullopt;
      const bool is_product = text->find_first_of("+-/ifo") == std::string::npos;
      const bool alone = memory->factors.size() == 1 || is_product;
      all += (all.empty() ? "" : " * ") + (alone ? *text : "(" + *text + ")");
    }
    const std::int64_t bytes = static_cast<std::int64_t>(bytes_of({one.type, one.lanes}));
    if (memory->is_bytes) all = divided(all, bytes);
    all = with_present_values(c_.plan, all);
    if (const auto number = constant_value(all)) all = in_extents(*number);
    const auto count = c_.value_of(all);
    if (!count || *count < 1 || *count * static_cast<double>(bytes) > kMostBytes) {
      return std::nullopt;
    }
    return all;
  }

  // 4096 where the host code's n is 1024, and the draft's is smaller: "n * 4".
  std::string in_extents(std::int64_t elements) const {
    constexpr std::int64_t kNoAccident = 256;
    std::pair<std::string, std::int64_t> largest{"", 0};
    for (const auto& one : c_.plan.size_of_host) {
      const bool divides = one.second >= kNoAccident && elements % one.second == 0;
      if (divides && one.second > largest.second) largest = one;
    }
    if (largest.second == 0) return std::to_string(elements);
    const std::int64_t times = elements / largest.second;
    return times == 1 ? largest.first : fmt::format("{} * {}", largest.first, times);
  }

  // "n * 4" divided by 4 is "n".
  static std::string divided(std::string text, std::int64_t by) {
    while (text.size() > 2 && text.front() == '(' && text.find(')') + 1 == text.size()) {
      text = text.substr(1, text.size() - 2);
    }
    const std::string divisor = std::to_string(by), front = divisor + " * ", back = " * " + divisor;
    const bool is_product = std::ranges::all_of(
        text, [](char c) { return is_word_part(c) || c == '.' || c == ' ' || c == '*'; });
    if (is_product && text.ends_with(back)) return text.substr(0, text.size() - back.size());
    if (is_product && text.starts_with(front)) return text.substr(front.size());
    // "(n + 1) * 4" and "4 * (n + 1)"
    const auto open = text.find('('), close = text.find(')');
    const bool is_group = open != text.npos && close != text.npos &&
                          text.find('(', open + 1) == text.npos &&
                          text.find(')', close + 1) == text.npos;
    if (is_group && open == 0 && text.substr(close + 1) == back) return text.substr(1, close - 1);
    if (is_group && open == front.size() && text.starts_with(front) && close + 1 == text.size()) {
      return text.substr(open + 1, close - open - 1);
    }
    if (by == 1) return text;
    return "(" + text + ") // " + divisor;
  }

  // "B * T * 4" as its extents.
  std::string listed_shape(const FoundArgument& one, const std::string& elements) const {
    std::vector<std::string> shape;
    const bool is_product = std::ranges::all_of(
        elements, [](char c) { return is_word_part(c) || c == ' ' || c == '*'; });
    if (is_product && elements.find("**") == elements.npos) {
      for (std::size_t at = 0; at < elements.size();) {
        const std::size_t end = std::min(elements.find('*', at), elements.size());
        shape.emplace_back(trimmed(std::string_view(elements).substr(at, end - at)));
        at = end + 1;
      }
      if (!c_.plan.size_of_host.empty()) shape = with_numbers_in_extents(shape);
    } else {
      shape.push_back("\"" + elements + "\"");
    }
    return finished_shape(one, shape);
  }

  // "8 * 1024 * C" where the host code's N is 8192, and the draft's is smaller: N, C.
  std::vector<std::string> with_numbers_in_extents(const std::vector<std::string>& shape) const {
    std::int64_t product = 1;
    std::vector<std::string> out;
    for (const std::string& one : shape) {
      const auto number = constant_value(one);
      if (number) product *= *number;
      if (!number) out.push_back(one);
    }
    const std::string all = in_extents(product);
    if (constant_value(all)) return shape;
    out.insert(out.begin(), "\"" + all + "\"");
    if (all.find(' ') == all.npos) out.front() = all;
    return out;
  }

  std::string finished_shape(const FoundArgument& one, std::vector<std::string> shape) const {
    double bytes = static_cast<double>(bytes_of({one.type, one.lanes}));
    for (const std::string& extent : shape) {
      bytes *= c_.value_of(trimmed_quotes(extent)).value_or(1);
    }
    // Each guessed size has its limit, or nothing would be left for the others.
    const std::int64_t room = c_.request.room_of(one.name);
    const bool has_room = bytes * static_cast<double>(room) <= kMostRoom;
    c_.plan.bytes += bytes * static_cast<double>(has_room ? room : 1);
    if (room > 1 && has_room) shape.push_back(std::to_string(room));
    if (one.lanes > 1) shape.push_back(std::to_string(one.lanes));
    return "[" + listed(shape) + "]";
  }

  // What no thread writes is poison in the right answer, too: a run says so, and zeros would hide
  // it. They are kept only where each block writes one element and the launch says how many.
  DraftedArgument output(const FoundArgument& one, const Use& use, const std::string& text,
                         const std::string& guess) const {
    if (skips_borders(c_.kernel.body, c_.extent_arguments)) {
      return {one.name, text + ", role: inout, fill: zeros",
              "a guess: borders stay as they are; role: out, if every element is written"};
    }
    const auto axis = axis_of_index(use);
    const auto extent = axis ? along_.find(*axis) : along_.end();
    if (extent == along_.end()) return {one.name, text + ", role: out", guess};
    const bool is_by_thread = std::ranges::all_of(use.subscripts, [&](Tokens subscript) {
      return words_in(subscript, c_.kernel.body).contains("threadIdx");
    });
    const std::string& name = c_.plan.extent_of.at(extent->second);
    const auto place = static_cast<std::size_t>(*axis - 'x');
    if (is_by_thread || (place < c_.plan.grid.size() && c_.plan.grid[place] == name)) {
      return {one.name,
              fmt::format("type: {}, shape: {}, role: out", one.type, finished_shape(one, {name})),
              ""};
    }
    return {one.name, text + ", role: inout, fill: zeros",
            "a guess: one element a block; role: out, if every element is written"};
  }

  // The one axis that all indices depend on, of a buffer that has no rows.
  std::optional<char> axis_of_index(const Use& use) const {
    const bool has_rows = std::ranges::any_of(c_.extent_arguments, [&](const auto& extent) {
      return multiplies(use, c_.kernel.body, extent);
    });
    return has_rows ? std::nullopt : axis_of(use.subscripts, c_.kernel.body);
  }

  // Rows of equal length; whatever lies in them has as many elements as all rows together.
  DraftedArgument offsets(const FoundArgument& one) const {
    const std::string& extent = c_.plan.extents.front().first;
    return {one.name,
            fmt::format("type: {}, shape: [{} + 1], fill: {{sequence: [0, {}]}}", one.type, extent,
                        kRowLength),
            fmt::format("a guess: rows of {} elements", kRowLength)};
  }

  // Whether it is indexed by what another buffer says of its rows.
  bool lies_in_rows(const Use& use) const {
    return std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& other) {
      return other.is_pointer() && other.is_const &&
             holds_offsets(use_of(c_.kernel.body, other.name)) &&
             std::ranges::any_of(use.subscripts, [&](Tokens subscript) {
               return !mentions(subscript, "[") &&  // x[columns[i]] does not
                      words_in(subscript, c_.kernel.body).contains(other.name);
             });
    });
  }

  std::string fill_for(const FoundArgument& one, const Use& use) const {
    if (bytes_of_random_state(one.c_type) > 0) return "zeros";
    if (is_real(one)) return c_.request.positive ? "{uniform: [0, 1]}" : "{uniform: [-1, 1]}";
    if (one.c_type == "bool") return "{integers: [0, 1]}";
    if (use.is_index) return "{integers: [0, 63]}";
    return one.type == "int8" ? "{integers: [-100, 100]}" : "{integers: [0, 100]}";
  }

  // At least as large as what the kernel can address.
  std::string shape_of(const FoundArgument& one, const Use& use) const {
    return finished_shape(one, extents_of(one, use));
  }

  std::vector<std::string> extents_of(const FoundArgument& one, const Use& use) const {
    if (c_.plan.extents.empty() && !c_.plan.extent_of.empty()) return of_constants(use);
    if (c_.plan.extents.empty()) {
      c_.plan.guessed.push_back("'" + one.name + "' holds 65536 elements");
      return {"65536"};
    }
    if (c_.plan.extents.size() == 1) {
      const std::string& extent = c_.plan.extents.front().first;
      if (lies_in_rows(use)) return {extent, std::to_string(kRowLength)};
      const bool square = multiplies(use, c_.kernel.body, c_.plan.extent_of.begin()->first);
      return square ? std::vector<std::string>{extent, extent} : std::vector<std::string>{extent};
    }
    if (auto of_product = extents_of_product(one); !of_product.empty()) return of_product;
    std::vector<std::string> all;
    for (const auto& extent : c_.plan.extents) all.push_back(extent.first);
    if (all.size() < 3) return all;
    std::vector<std::string> named = extents_in(use);
    return named.empty() ? all : named;
  }

  // Those that its subscripts speak of.
  std::vector<std::string> extents_in(const Use& use) const {
    std::vector<std::string> out;
    for (const auto& [argument, extent] : c_.plan.extent_of) {
      const std::string& name = argument;
      const bool is_in = std::ranges::any_of(use.subscripts, [&](Tokens subscript) {
        return words_in(subscript, c_.kernel.body).contains(name);
      });
      if (is_in) out.push_back(extent);
    }
    return out;
  }

  // Where the source's own constants are the extents: a[y * WIDTH + x] has WIDTH rows, too.
  std::vector<std::string> of_constants(const Use& use) const {
    std::vector<std::string> out = extents_in(use);
    if (out.empty()) out.push_back(c_.plan.extent_of.begin()->second);
    const bool has_rows = std::ranges::any_of(c_.plan.extent_of, [&](const auto& one) {
      return multiplies(use, c_.kernel.body, one.first);
    });
    if (has_rows && out.size() == 1) out.push_back(out.front());
    return out;
  }

  // C[M, N] = A[M, K] * B[K, N].
  std::vector<std::string> extents_of_product(const FoundArgument& one) const {
    std::map<std::string, std::string> by_name;
    for (const auto& extent : c_.plan.extents) {  // "N", "kSizeN"
      by_name[lower(extent.first.substr(extent.first.size() - 1))] = extent.first;
    }
    const std::string name = lower(one.name.substr(0, 1)),
                      end = lower(one.name.substr(one.name.size() - 1));
    if (by_name.size() != 3 || !by_name.contains("m") || !by_name.contains("n") ||
        !by_name.contains("k")) {
      return {};
    }
    const std::string which = name == "a" || name == "b" || name == "c" ? name : end;
    if (which == "a") return {by_name["m"], by_name["k"]};
    if (which == "b") return {by_name["k"], by_name["n"]};
    if (which == "c") return {by_name["m"], by_name["n"]};
    return {};
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
