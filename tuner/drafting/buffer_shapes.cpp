// Extents of buffers: from the host code's allocations, else from what a kernel does with them.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

constexpr double kMostBytes = 256 << 20;  // of a buffer
constexpr double kMostRoom = 128 << 20;   // of one that is made larger than it seems to be

class Shape {
 public:
  Shape(const DraftContext& context, const FoundArgument& one) : c_(context), one_(one) {}

  // Takes the number of elements that the host code allocates; nothing where it is not seen or has
  // no meaning in the study.
  std::optional<std::string> elements_allocated(const DraftContext::HostText& passed,
                                                std::vector<std::string>& choices) const {
    if (!c_.hint) return std::nullopt;
    const auto memory = host_memory(c_.source, *c_.hint, passed.tokens, passed.frame);
    if (!memory) return std::nullopt;
    std::string all;
    for (const Tokens factor : memory->factors) {
      const auto text = c_.folded(factor, memory->frame);
      if (!text) return std::nullopt;
      const bool is_product = text->find_first_of("+-/ifo") == std::string::npos;
      const bool alone = memory->factors.size() == 1 || is_product;
      all += (all.empty() ? "" : " * ") + (alone ? *text : "(" + *text + ")");
    }
    const std::int64_t bytes = static_cast<std::int64_t>(bytes_of({one_.type, one_.lanes}));
    if (memory->is_bytes) all = divided(all, bytes);
    choices = choices_in(c_.plan, all);
    for (const std::string& choice : choices) all = at_its_largest(all, choice);
    all = with_present_values(c_.plan, all);
    if (const auto number = constant_value(all)) all = in_extents(c_.plan, *number);
    const auto count = c_.value_of(all);
    if (!count || *count < 1 || *count * static_cast<double>(bytes) > kMostBytes) {
      return std::nullopt;
    }
    return all;
  }

  // An expression with that value of a parameter, the least or the greatest, which makes it larger.
  std::string at_its_largest(const std::string& expression, const std::string& parameter) const {
    DraftPlan one{};
    one.parameters = {*c_.plan.parameter(parameter)};
    const auto with = [&](std::int64_t value) {
      one.parameters.front().present = value;
      return with_present_values(one, expression);
    };
    const auto [least, greatest] = std::ranges::minmax(one.parameters.front().values);
    const std::string first = with(least), last = with(greatest);
    return c_.value_of(first).value_or(0) >= c_.value_of(last).value_or(0) ? first : last;
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
  std::vector<std::string> factors_of(const std::string& elements) const {
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
    return shape;
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
    const std::string all = in_extents(c_.plan, product);
    if (constant_value(all)) return shape;
    out.insert(out.begin(), "\"" + all + "\"");
    if (all.find(' ') == all.npos) out.front() = all;
    return out;
  }

  // Whether the buffer is indexed by row offsets that another buffer holds.
  bool lies_in_rows(const Use& use) const {
    return std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& other) {
      return other.is_pointer() && holds_offsets(use_of(c_.kernel.body, other.name)) &&
             std::ranges::any_of(use.subscripts, [&](Tokens subscript) {
               return !mentions(subscript, "[") &&  // x[columns[i]] does not
                      words_in(subscript, c_.kernel.body).contains(other.name);
             });
    });
  }

  std::vector<std::string> extents_of(const Use& use) const {
    if (c_.plan.extents.empty() && !c_.plan.extent_of.empty()) return of_constants(use);
    if (c_.plan.extents.empty()) return {"65536"};
    if (c_.plan.extents.size() == 1) {
      const std::string& extent = c_.plan.extents.front().first;
      if (lies_in_rows(use)) return {extent, std::to_string(kRowLength)};
      const bool square = multiplies(use, c_.kernel.body, c_.plan.extent_of.begin()->first);
      return square ? std::vector<std::string>{extent, extent} : std::vector<std::string>{extent};
    }
    if (auto of_product = extents_of_product(); !of_product.empty()) return of_product;
    std::vector<std::string> all;
    for (const auto& extent : c_.plan.extents) all.push_back(extent.first);
    if (all.size() < 3) return all;
    std::vector<std::string> named = extents_in(use);
    return named.empty() ? few_of(all) : named;
  }

  // The last of the extents, as many as make a buffer that a first run can fill: a trial says if
  // it is too small.
  std::vector<std::string> few_of(std::vector<std::string> all) const {
    constexpr double kMostElements = 1 << 22;
    const auto elements = [&] {
      double product = 1;
      for (const std::string& one : all) product *= c_.value_of(one).value_or(1);
      return product;
    };
    while (all.size() > 3 && elements() > kMostElements) all.erase(all.begin());
    return all;
  }

  // Whether its rows are as long as the extent: out[y * width + x].
  bool has_rows_of(const std::string& extent, const Use& use) const {
    return std::ranges::any_of(c_.plan.extent_of, [&](const auto& one) {
      return one.second == extent && multiplies(use, c_.kernel.body, one.first);
    });
  }

  // [height, width] where rows are as long as the width, in whatever order the two were found.
  std::vector<std::string> in_row_order(std::vector<std::string> shape, const Use& use) const {
    const bool turned =
        shape.size() == 2 && has_rows_of(shape[0], use) && !has_rows_of(shape[1], use);
    if (turned) std::swap(shape[0], shape[1]);
    return shape;
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

  // Takes the source's own constants as extents: a[y * WIDTH + x] has WIDTH rows, too.
  std::vector<std::string> of_constants(const Use& use) const {
    std::vector<std::string> out = extents_in(use);
    for (const auto& [name, extent] : c_.plan.extent_of) {  // of a matrix where nothing says more
      if (out.size() < 2 && extents_in(use).empty()) out.push_back(extent);
    }
    const bool has_rows = std::ranges::any_of(c_.plan.extent_of, [&](const auto& one) {
      return multiplies(use, c_.kernel.body, one.first);
    });
    if (has_rows && out.size() == 1) out.push_back(out.front());
    return out;
  }

  // C[M, N] = A[M, K] * B[K, N].
  std::vector<std::string> extents_of_product() const {
    std::map<std::string, std::string> by_name;
    for (const auto& extent : c_.plan.extents) {  // "N", "kSizeN"
      by_name[lower(extent.first.substr(extent.first.size() - 1))] = extent.first;
    }
    const std::string name = lower(one_.name.substr(0, 1)),
                      end = lower(one_.name.substr(one_.name.size() - 1));
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

 private:
  const DraftContext& c_;
  const FoundArgument& one_;
};

}  // namespace

std::string in_extents(const DraftPlan& plan, std::int64_t number) {
  constexpr std::int64_t kNoAccident = 256;
  std::pair<std::string, std::int64_t> largest{"", 0};
  for (const auto& one : plan.size_of_host) {
    const bool divides = one.second >= kNoAccident && number % one.second == 0;
    if (divides && one.second > largest.second) largest = one;
  }
  if (largest.second == 0) return std::to_string(number);
  const std::int64_t times = number / largest.second;
  return times == 1 ? largest.first : fmt::format("{} * {}", largest.first, times);
}

std::string finished_shape(DraftContext& c, const FoundArgument& one,
                           std::vector<std::string> extents) {
  double bytes = static_cast<double>(bytes_of({one.type, one.lanes}));
  for (const std::string& extent : extents) {
    const bool is_quoted = extent.front() == '"';
    bytes *= c.value_of(is_quoted ? extent.substr(1, extent.size() - 2) : extent).value_or(1);
  }
  // Each guessed size has its limit, or nothing would be left for the others.
  const std::int64_t room = c.request.room_of(one.name);
  const bool has_room = bytes * static_cast<double>(room) <= kMostRoom;
  c.plan.bytes += bytes * static_cast<double>(has_room ? room : 1);
  if (room > 1 && has_room) extents.push_back(std::to_string(room));
  if (one.lanes > 1) extents.push_back(std::to_string(one.lanes));
  return "[" + listed(extents) + "]";
}

std::optional<AllocatedShape> allocated_shape(DraftContext& c, const FoundArgument& one,
                                              const DraftContext::HostText& passed,
                                              const Use& use) {
  const Shape shape(c, one);
  AllocatedShape out;
  const auto elements = shape.elements_allocated(passed, out.choices);
  if (!elements) return std::nullopt;
  out.shape = finished_shape(c, one, shape.in_row_order(shape.factors_of(*elements), use));
  return out;
}

std::string shape_by_use(DraftContext& c, const FoundArgument& one, const Use& use) {
  if (c.plan.extents.empty() && c.plan.extent_of.empty()) {
    c.plan.guessed.push_back("'" + one.name + "' holds 65536 elements");
  }
  const Shape shape(c, one);
  return finished_shape(c, one, shape.in_row_order(shape.extents_of(use), use));
}

}  // namespace tuner
