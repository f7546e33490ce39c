// Makes permutations, choices, formulas and offsets, and sorts.

#include "tuner/measure/host_fills.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tuner/base/expected.h"
#include "tuner/base/hash.h"
#include "tuner/expression/expression_tree.h"

namespace tuner {
namespace {

using Kind = FillSpec::Kind;
using Bytes = std::vector<std::byte>;
__extension__ typedef unsigned __int128 Wide;

// Whole numbers up to here are exact in the type.
double largest_whole(DataType type) {
  if (is_floating(type)) return std::exp2(facts_of(type).as_float.mantissa + 1);
  return std::exp2(8.0 * static_cast<double>(size_of(type)) - (is_signed(type) ? 1 : 0)) - 1;
}

std::optional<std::string> misfit(DataType type, double value) {
  const double lowest = is_signed(type) ? -largest_whole(type) - 1 : 0;
  const bool fits = is_floating(type) ? std::isfinite(value)
                                      : value == std::floor(value) && value >= lowest &&
                                            value <= largest_whole(type);
  if (fits) return std::nullopt;
  return fmt::format("{:.17g} is no {}", value, name_of(type));
}

// Random bits number `index` of the argument's.
std::uint64_t bits_of(const ArgumentPlan& argument, std::uint64_t index) {
  return splitmix64(splitmix64(argument.seed) + index);
}

// A number below `count`.
std::uint64_t below(std::uint64_t bits, std::uint64_t count) {
  return static_cast<std::uint64_t>(Wide{bits} * count >> 64);
}

class Elements {
 public:
  explicit Elements(const ArgumentPlan& argument) : type_(argument.type) {
    bytes_.reserve(argument.elements * size_of(argument.type));
  }
  template <typename Number>
  void add(Number number) {
    const auto one = scalar_bytes(type_, number);
    bytes_.insert(bytes_.end(), one.begin(), one.end());
  }
  Bytes take() { return std::move(bytes_); }

 private:
  DataType type_;
  Bytes bytes_;
};

Bytes permutation(const ArgumentPlan& argument) {
  std::vector<std::int64_t> numbers(argument.elements);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  for (std::uint64_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[below(bits_of(argument, i), i)]);
  }
  Elements elements(argument);
  for (const std::int64_t number : numbers) elements.add(number);
  return elements.take();
}

Bytes choice(const ArgumentPlan& argument) {
  const std::vector<double>& values = argument.fill.values;
  Elements elements(argument);
  for (std::uint64_t i = 0; i < argument.elements; ++i) {
    elements.add(values[below(bits_of(argument, i), values.size())]);
  }
  return elements.take();
}

// Rows are from empty to twice the mean long, as far as whole numbers and the total allow.
Bytes ragged(const ArgumentPlan& argument) {
  const std::uint64_t rows = argument.elements - 1;
  const auto total = static_cast<std::uint64_t>(argument.fill.b);
  const double usual = static_cast<double>(total) / static_cast<double>(rows);
  const double mean = argument.fill.a > 0 ? argument.fill.a : usual;
  const auto longest = static_cast<std::uint64_t>(std::ceil(2 * mean)) + 1;
  std::vector<std::uint64_t> ends(argument.elements, 0);
  for (std::uint64_t row = 0; row < rows; ++row) {
    ends[row + 1] = ends[row] + below(bits_of(argument, row), longest);
  }
  const std::uint64_t sum = ends.back();
  Elements elements(argument);
  for (std::uint64_t row = 0; row <= rows; ++row) {
    const Wide share = sum > 0 ? Wide{ends[row]} * total / sum : Wide{row} * total / rows;
    elements.add(static_cast<std::int64_t>(share));
  }
  return elements.take();
}

// The formula's names; `i` changes.
class Index : public detail::NameSource {
 public:
  Index(const Expression& formula, const FillSpec& fill) : values_(formula.names().size()) {
    for (std::size_t n = 0; n < values_.size(); ++n) {
      if (formula.names()[n] == "i") own_ = n;
      for (const auto& [name, extent] : fill.names) {
        if (name == formula.names()[n]) values_[n] = extent;
      }
    }
  }
  void set(std::uint64_t i) {
    if (own_ < values_.size()) values_[own_] = static_cast<std::int64_t>(i);
  }
  const Value* find(const Expression&, std::size_t name) const override { return &values_[name]; }

 private:
  std::vector<Value> values_;
  std::size_t own_ = ~std::size_t{0};
};

class Formula {
 public:
  explicit Formula(const ArgumentPlan& argument)
      : type_(argument.type),
        expression_(Expression::parse_or_throw(argument.fill.formula)),
        names_(expression_, argument.fill) {}

  // Element i, or why there is none.
  Expected<Value, std::string> at(std::uint64_t i) {
    names_.set(i);
    Value value;
    EvaluationError error;
    if (!detail::evaluate_tree(expression_, *expression_.root(), names_, value, error)) {
      return Unexpected{fmt::format("{} at i = {}", error.message, i)};
    }
    const auto wrong = std::holds_alternative<std::string>(value)
                           ? std::optional("'" + to_text(value) + "' is no number")
                           : misfit(type_, to_number(value));
    if (wrong) return Unexpected{fmt::format("{}, at i = {}", *wrong, i)};
    return value;
  }

 private:
  DataType type_;
  Expression expression_;
  Index names_;
};

Expected<Bytes, std::string> formula(const ArgumentPlan& argument) {
  Formula formula(argument);
  Elements elements(argument);
  for (std::uint64_t i = 0; i < argument.elements; ++i) {
    const auto value = TUNER_TRY(formula.at(i));
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      elements.add(*whole);
    } else {
      elements.add(to_number(value));
    }
  }
  return elements.take();
}

std::optional<std::string> ragged_fault(const ArgumentPlan& argument) {
  const double total = argument.fill.b;
  if (total < 0) return fmt::format("the last offset is {}, less than 0", total);
  if (total > largest_whole(argument.type)) {
    return fmt::format("{} does not hold the last offset, {}", name_of(argument.type), total);
  }
  if (argument.elements > 1 || total == 0) return std::nullopt;
  return fmt::format("one offset is both 0 and {}: a ragged array of n rows has n + 1", total);
}

// Device's formulas; what they take, and what the type holds, is known here.
std::optional<std::string> integers_fault(const ArgumentPlan& argument) {
  const FillSpec& fill = argument.fill;
  if (fill.a <= fill.b) return misfit(argument.type, fill.b);
  return fmt::format("the highest value is {}, below the lowest", fill.b);
}

std::optional<std::string> zipf_fault(const ArgumentPlan& argument) {
  const double of = argument.fill.b;
  if (of < 1) return fmt::format("it draws from {} numbers, must be at least 1", of);
  if (of - 1 <= largest_whole(argument.type)) return std::nullopt;
  return fmt::format("{} does not hold the largest number, {}", name_of(argument.type), of - 1);
}

template <typename Word>
void sort_words(DataType type, Bytes& bytes) {
  constexpr Word kSign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  std::vector<Word> words(bytes.size() / sizeof(Word));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  // Maps words to unsigned numbers that sort like the values they represent.
  const auto key = [&](Word word) {
    if (is_floating(type)) return static_cast<Word>((word & kSign) != 0 ? ~word : word | kSign);
    return static_cast<Word>(is_signed(type) ? word ^ kSign : word);
  };
  std::ranges::sort(words, {}, key);
  std::memcpy(bytes.data(), words.data(), bytes.size());
}

}  // namespace

std::optional<std::string> fill_fault(const ArgumentPlan& argument) {
  const FillSpec& fill = argument.fill;
  if (fill.kind == Kind::kPermutation) {
    const auto last = static_cast<double>(argument.elements - 1);
    if (last <= largest_whole(argument.type)) return std::nullopt;
    return fmt::format("{} holds no permutation of {} numbers", name_of(argument.type),
                       argument.elements);
  }
  if (fill.kind == Kind::kRagged) return ragged_fault(argument);
  if (fill.kind == Kind::kZipf) return zipf_fault(argument);
  if (fill.kind == Kind::kIntegers) return integers_fault(argument);
  if (fill.kind == Kind::kFormula && !fill.formula.empty()) {
    Formula formula(argument);
    for (const std::uint64_t i : {std::uint64_t{0}, argument.elements - 1}) {
      if (const auto value = formula.at(i); !value) return value.error();
    }
  }
  for (const double value : fill.values) {
    if (auto wrong = misfit(argument.type, value)) return wrong;
  }
  return std::nullopt;
}

Expected<Bytes, std::string> made_on_host(const ArgumentPlan& argument) {
  if (auto wrong = fill_fault(argument)) return Unexpected{*wrong};
  switch (argument.fill.kind) {
    case Kind::kPermutation:
      return permutation(argument);
    case Kind::kChoice:
      return choice(argument);
    case Kind::kRagged:
      return ragged(argument);
    default:
      return formula(argument);
  }
}

void sort_elements(DataType type, Bytes& bytes) {
  switch (size_of(type)) {
    case 1:
      return sort_words<std::uint8_t>(type, bytes);
    case 2:
      return sort_words<std::uint16_t>(type, bytes);
    case 4:
      return sort_words<std::uint32_t>(type, bytes);
    default:
      return sort_words<std::uint64_t>(type, bytes);
  }
}

}  // namespace tuner
