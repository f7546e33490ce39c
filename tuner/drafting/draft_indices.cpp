// Fills of buffers whose elements are indices: in bounds of what they index.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"
#include "tuner/drafting/index_flow.h"

namespace tuner {
namespace {

// Subtracts a number: "n + 1" minus 1 is "n".
std::string minus(const std::string& text, std::int64_t number) {
  const std::size_t blank = text.rfind(' ');
  const std::size_t sign = blank == text.npos || blank < 2 ? text.npos : blank - 1;
  const auto last = sign == text.npos ? std::nullopt : whole_number(text.substr(blank + 1));
  if (!last || (text[sign] != '+' && text[sign] != '-')) {
    return number == 0 ? text : fmt::format("{} - {}", text, number);
  }
  const std::int64_t rest = (text[sign] == '+' ? *last : -*last) - number;
  const std::string before = text.substr(0, sign - 1);
  return rest == 0 ? before : fmt::format("{} {} {}", before, rest < 0 ? '-' : '+', std::abs(rest));
}

// How many elements there are to choose from, as a product of a study's expressions.
struct Range {
  std::vector<std::string> factors;
  std::vector<std::string> divisors{};
  double value = 0;       // at the first size
  std::int64_t plus = 0;  // more than an index itself, all of them are in the range

  std::string text(std::int64_t subtracted = 0) const {
    std::string out = joined(factors);
    if (!divisors.empty()) out = grouped(out) + " // " + grouped(joined(divisors));
    return minus(out, subtracted + plus);
  }

 private:
  static std::string grouped(const std::string& text) {
    return std::ranges::all_of(text, is_word_part) ? text : "(" + text + ")";
  }
  static std::string joined(const std::vector<std::string>& all) {
    if (all.empty()) return "1";
    if (all.size() == 1) return all.front();
    std::string out;
    for (const std::string& one : all) out += (out.empty() ? "" : " * ") + grouped(one);
    return out;
  }
};

class Indices {
 public:
  explicit Indices(DraftContext& context) : c_(context) {}

  void take() {
    std::set<std::string> buffers;
    for (const FoundArgument& one : c_.kernel.arguments) {
      if (one.is_pointer()) buffers.insert(one.name);
    }
    indexings_ = indexings_in(c_.kernel.body, buffers);
    for (DraftedArgument& one : c_.plan.arguments) {
      const bool is_index =
          is_filled_whole(one) && std::ranges::count(indexings_, one.name, &Indexing::index) > 0;
      if (is_index) fill(one);
    }
  }

 private:
  static bool is_filled_whole(const DraftedArgument& one) {
    const bool is_whole = one.fill.starts_with("{integers") || one.fill.starts_with("{sequence");
    return one.is_buffer() && one.lanes == 1 && is_whole;
  }

  void fill(DraftedArgument& one) const {
    std::optional<Range> least;
    const Indexing* of = nullptr;
    for (const Indexing& each : indexings_) {
      if (each.index != one.name) continue;
      auto range = range_of(each);
      if (!range || (least && least->value <= range->value)) continue;
      least = std::move(range);
      of = &each;
    }
    const Use use = use_of(c_.kernel.body, one.name);
    const bool is_of_rows = holds_offsets(use) && !use.writes;
    if (c_.request.small && !is_of_rows) return;
    if (!least || least->value - 1 > largest(one.type)) {
      if (c_.request.distinct && !is_of_rows) one.fill = "{sequence: [0, 1]}";
      return;
    }
    const std::string text = least->text(), last = least->text(1);
    const double elements = value_of(elements_of(one));
    if (is_of_rows) {
      one.fill = fmt::format("{{ragged: {{of: \"{}\"}}}}", text);
    } else if (elements == least->value && (of->target == one.name || is_written(of->target))) {
      one.fill = kPermutation;  // no two threads write to one place, no chain is short
    } else if (c_.request.distinct) {
      one.fill = elements <= least->value ? "{sequence: [0, 1]}"
                                          : fmt::format("{{formula: \"i % ({})\"}}", text);
    } else {
      const auto number = constant_value(last);
      one.fill = number ? fmt::format("{{integers: [0, {}]}}", *number)
                        : fmt::format("{{integers: [0, \"{}\"]}}", last);
    }
    const std::string what = "indices of " + of->target;
    one.remark += one.remark.empty() ? what : "; " + what;
  }

  bool is_written(const std::string& buffer) const {
    const auto one = std::ranges::find(c_.plan.arguments, buffer, &DraftedArgument::name);
    return one != c_.plan.arguments.end() && (one->role == "out" || one->role == "inout");
  }

  static double largest(const std::string& type) {
    const int bits = std::stoi(type.substr(type.find_first_of("0123456789")));
    return std::ldexp(1.0, type.front() == 'u' ? bits : bits - 1) - 1;
  }

  double value_of(const std::vector<std::string>& factors) const {
    double product = 1;
    for (const std::string& one : factors) product *= c_.value_of(one).value_or(1);
    return product;
  }

  // The extents of a buffer's shape, but for its lanes.
  static std::vector<std::string> elements_of(const DraftedArgument& one) {
    std::vector<std::string> out = one.extents();
    if (one.lanes > 1 && out.size() > 1) out.pop_back();
    return out;
  }

  // How many elements a target has: a buffer, or an array that the kernel declares.
  std::vector<std::string> elements_of(const std::string& target) const {
    const auto buffer = std::ranges::find(c_.plan.arguments, target, &DraftedArgument::name);
    if (buffer != c_.plan.arguments.end()) {
      return buffer->is_buffer() ? elements_of(*buffer) : std::vector<std::string>();
    }
    const Tokens body = c_.kernel.body;
    for (std::size_t at = 1; at + 1 < body.size(); ++at) {
      if (!body[at].is(target) || !body[at + 1].is("[")) continue;
      const auto extent = body[at - 1].is_word() ? number(inside(body, at + 1)) : std::nullopt;
      return extent ? std::vector<std::string>{*extent} : std::vector<std::string>();
    }
    return {};
  }

  // The numbers from 0 that an index may have.
  std::optional<Range> range_of(const Indexing& one) const {
    Range out{elements_of(one.target)};
    if (out.factors.empty()) return std::nullopt;
    out.value = value_of(out.factors);
    std::vector<std::string> times;
    for (const Tokens factor : one.times) {
      const auto text = number(factor);
      if (!text) return std::nullopt;
      times.push_back(*text);
    }
    const double step = value_of(times);
    bool has_more = one.has_more, is_narrow = false;
    for (const auto& factors : one.strides) {  // of "b * n + at[i]" n is the end
      const auto stride = stride_of(factors);
      has_more |= !stride;
      if (!stride || stride->value <= step || stride->value >= out.value) continue;
      out = *stride;
      is_narrow = true;
    }
    for (const std::string& factor : times) {
      const auto same = std::ranges::find(out.factors, factor);
      if (same == out.factors.end() && factor != "1") out.divisors.push_back(factor);
      if (same != out.factors.end()) out.factors.erase(same);
    }
    const Use use = use_of(c_.kernel.body, one.index);  // rows end where their loops do
    const bool has_room = !has_more || !times.empty() || is_narrow || holds_offsets(use);
    if (!has_room) out.divisors.emplace_back("2");
    out.plus = holds_offsets(use) ? 0 : one.plus;
    out.value = std::floor(out.value / step / (has_room ? 1 : 2)) - static_cast<double>(out.plus);
    return out.value >= 1 ? std::optional(out) : std::nullopt;
  }

  // Multiplies the factors that are known; none where a block's or a grid's extent is all there is,
  // since a thread's number steps by these.
  std::optional<Range> stride_of(const std::vector<Tokens>& factors) const {
    Range out{{}};
    for (const Tokens factor : factors) {
      const bool is_of_launch = mentions(factor, "blockDim") || mentions(factor, "gridDim");
      const auto text = is_of_launch ? std::nullopt : number(factor);
      if (text) out.factors.push_back(*text);
    }
    out.value = value_of(out.factors);
    return out.factors.empty() ? std::nullopt : std::optional(out);
  }

  // An expression of the kernel in the words of the study that has one value for a size.
  std::optional<std::string> number(Tokens tokens, int depth = 0) const {
    constexpr int kMostSteps = 5;
    const auto text = study_expression(
        c_.host_words(tokens), [&](const std::string& name) -> std::optional<std::string> {
          if (const auto extent = c_.plan.extent_of.find(name); extent != c_.plan.extent_of.end()) {
            return extent->second;
          }
          if (auto value = value_of_argument(name)) return value;
          if (auto axis = axis_of_launch(name)) return axis;
          const auto values = all_set(c_.kernel.body, name);
          if (values.empty()) return c_.meaning(name);
          const bool is_fixed =
              values.size() == 1 && depth < kMostSteps && !is_changed(c_.kernel.body, name);
          return is_fixed ? number(values.front(), depth + 1) : std::nullopt;
        });
    if (!text) return std::nullopt;
    const std::string present = with_present_values(c_.plan, *text);
    const auto value = c_.value_of(present);
    if (!value || *value < 1 || *value != std::floor(*value)) return std::nullopt;
    const auto constant = constant_value(present);
    return constant ? std::to_string(*constant) : present;
  }

  std::optional<std::string> value_of_argument(const std::string& name) const {
    const auto one = std::ranges::find(c_.plan.arguments, name, &DraftedArgument::name);
    if (one == c_.plan.arguments.end() || !one->is_number()) return std::nullopt;
    const std::string& value = one->value;
    return value.front() == '"' ? value.substr(1, value.size() - 2) : value;
  }

  // "blockDim.x"
  std::optional<std::string> axis_of_launch(const std::string& name) const {
    const bool is_block = name.starts_with("blockDim."), is_grid = name.starts_with("gridDim.");
    if (!is_block && !is_grid) return std::nullopt;
    const auto& axes = is_block ? c_.plan.block : c_.plan.grid;
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    return axis < axes.size() ? "(" + axes[axis] + ")" : "1";
  }

  DraftContext& c_;
  std::vector<Indexing> indexings_;
};

}  // namespace

void draft_indices(DraftContext& context) { Indices(context).take(); }

}  // namespace tuner
