// Draws problem sizes: extents one after the other, each from those that the rules still allow.

#include "tuner/model/size_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tuner/expression/expression_tree.h"

namespace tuner {
namespace {

using detail::ExpressionNode;
using detail::Op;

constexpr std::int64_t kListed = 65536;        // extents of a dimension that are all looked at
constexpr int kSpread = 4096;                  // of a wider one: points, evenly by logarithm
constexpr int kTries = 64;                     // draws of one extent before all are looked at
constexpr std::int64_t kMostChecks = 4000000;  // of rules, for one size: some seconds

double uniform(Rng& rng) { return static_cast<double>(rng.next() >> 11) * 0x1p-53; }

// Collects the conditions that `and` joins at the top.
void split(const ExpressionNode& node, std::vector<const ExpressionNode*>& out) {
  if (node.op != Op::kAnd) {
    out.push_back(&node);
    return;
  }
  for (const auto& child : node.children) split(*child, out);
}

template <typename Visit>
void for_each_node(const ExpressionNode& node, const Visit& visit) {
  visit(node);
  for (const auto& child : node.children) for_each_node(*child, visit);
}

// Extents of a size that is being drawn.
class Extents final : public detail::NameSource {
 public:
  Extents(const SizeDomain& domain, const Expression& rule) : values_(domain.extents.size()) {
    for (const std::string& name : rule.names()) {
      const auto at = std::ranges::find(domain.extents, name, &ExtentRange::name);
      places_.push_back(static_cast<std::size_t>(at - domain.extents.begin()));
    }
  }
  const Value* find(const Expression&, std::size_t name) const override {
    return places_[name] < values_.size() ? &values_[places_[name]] : nullptr;
  }
  void set(std::size_t dimension, std::int64_t extent) { values_[dimension] = extent; }
  std::size_t place(std::size_t name) const { return places_[name]; }

 private:
  std::vector<Value> values_;
  std::vector<std::size_t> places_;  // of the rule's names
};

// Some extents of a dimension, and how likely each is: by the share of the logarithmic scale that
// is nearest to it.
struct Choices {
  std::vector<std::int64_t> extents;  // ascending
  std::vector<double> sums;           // of the shares up to this one

  explicit Choices(std::vector<std::int64_t> from) : extents(std::move(from)) {
    double sum = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const auto at = static_cast<double>(extents[i]);
      const double below = i > 0 ? at - static_cast<double>(extents[i - 1]) : at;
      const double above =
          i + 1 < extents.size() ? static_cast<double>(extents[i + 1]) - at : std::min(below, at);
      const double least = i > 0 ? below : std::min(above, at);
      sums.push_back(sum += std::log((at + above / 2) / (at - std::max(least, 0.5) / 2)));
    }
  }
  std::int64_t draw(Rng& rng) const {
    const auto at = std::ranges::upper_bound(sums, uniform(rng) * sums.back());
    return extents[std::min(extents.size() - 1, static_cast<std::size_t>(at - sums.begin()))];
  }
};

// Lists the extents to try: all of a short range; of a long one some points, and beside them those
// that a rule is likely to need: numbers that it names, and multiples of them and of powers of two.
std::vector<std::int64_t> looked_at(const ExtentRange& range, const std::set<std::int64_t>& named) {
  std::set<std::int64_t> out{range.low, range.high};
  if (range.high - range.low < kListed) {
    for (std::int64_t extent = range.low; extent <= range.high; ++extent) out.insert(extent);
    return {out.begin(), out.end()};
  }
  std::set<std::int64_t> steps{2, 4, 8, 16, 32, 64, 128, 256, 1024};
  for (const std::int64_t number : named) {
    if (number > 1) steps.insert(number);
  }
  const auto add = [&](std::int64_t extent) {
    if (extent >= range.low && extent <= range.high) out.insert(extent);
  };
  const double ratio = static_cast<double>(range.high) / static_cast<double>(range.low);
  for (int i = 0; i <= kSpread; ++i) {
    const auto extent = static_cast<std::int64_t>(
        static_cast<double>(range.low) * std::pow(ratio, static_cast<double>(i) / kSpread));
    add(extent);
    for (const std::int64_t step : steps) {
      add(extent / step * step);
      for (const std::int64_t rest : named) {
        if (rest > 0 && rest < step) add(extent / step * step + rest);
      }
    }
  }
  for (const std::int64_t number : named) {
    for (const std::int64_t near : {number - 1, number, number + 1}) add(near);
  }
  return {out.begin(), out.end()};
}

}  // namespace

namespace detail {

class KindOfSizes {
 public:
  KindOfSizes(const SizeDomain& domain, const Expression& rule)
      : rule_(rule), extents_(domain, rule_), joint_(domain.extents.size()) {
    for (const ExtentRange& range : domain.extents) names_.push_back(range.name);
    std::vector<std::vector<const ExpressionNode*>> own(domain.extents.size());
    std::set<std::int64_t> named;
    if (!rule_.empty()) sort_parts(own, named);
    for (std::size_t d = 0; d < domain.extents.size(); ++d) {
      std::vector<std::int64_t> extents = looked_at(domain.extents[d], named);
      std::erase_if(extents, [&](std::int64_t extent) { return !holds(own[d], d, extent); });
      choices_.emplace_back(std::move(extents));
    }
  }

  std::optional<ProblemSize> draw(Rng& rng) {
    if (never_ || std::ranges::any_of(choices_, [](const auto& c) { return c.extents.empty(); })) {
      return std::nullopt;
    }
    checks_ = 0;
    for (int i = 0; i < SizeSampler::kMostDraws && checks_ < kMostChecks; ++i) {
      if (auto size = attempt(rng)) return size;
    }
    return std::nullopt;
  }

 private:
  // Each part belongs to the last of the dimensions that it names: there it can be decided.
  void sort_parts(std::vector<std::vector<const ExpressionNode*>>& own,
                  std::set<std::int64_t>& named) {
    std::vector<const ExpressionNode*> parts;
    split(*rule_.root(), parts);
    for (const ExpressionNode* part : parts) {
      std::set<std::size_t> dimensions;
      for_each_node(*part, [&](const ExpressionNode& node) {
        if (node.op == Op::kName) dimensions.insert(extents_.place(node.name));
        if (node.op != Op::kConstant) return;
        if (const auto* number = std::get_if<std::int64_t>(&node.value)) named.insert(*number);
      });
      if (dimensions.empty()) {
        never_ = never_ || !holds(*part);
      } else {
        (dimensions.size() == 1 ? own : joint_)[*dimensions.rbegin()].push_back(part);
      }
    }
  }

  bool holds(const ExpressionNode& part) const {
    Value value;
    EvaluationError error;
    return evaluate_tree(rule_, part, extents_, value, error) && truth(value);
  }
  bool holds(const std::vector<const ExpressionNode*>& parts, std::size_t dimension,
             std::int64_t extent) {
    extents_.set(dimension, extent);
    checks_ += static_cast<std::int64_t>(parts.size());
    return std::ranges::all_of(parts, [&](const ExpressionNode* part) { return holds(*part); });
  }

  std::optional<std::int64_t> extent_of(std::size_t d, Rng& rng) {
    for (int i = 0; i < kTries; ++i) {
      const std::int64_t extent = choices_[d].draw(rng);
      if (holds(joint_[d], d, extent)) return extent;
    }
    std::vector<std::int64_t> left = choices_[d].extents;
    std::erase_if(left, [&](std::int64_t extent) { return !holds(joint_[d], d, extent); });
    if (left.empty()) return std::nullopt;
    const std::int64_t extent = Choices(std::move(left)).draw(rng);
    extents_.set(d, extent);
    return extent;
  }

  std::optional<ProblemSize> attempt(Rng& rng) {
    ProblemSize size;
    for (std::size_t d = 0; d < choices_.size(); ++d) {
      const auto extent = extent_of(d, rng);
      if (!extent) return std::nullopt;
      size.dims.emplace_back(names_[d], *extent);
    }
    return size;
  }

  Expression rule_;
  Extents extents_;
  std::vector<std::string> names_;
  std::vector<Choices> choices_;  // by dimension, those that the parts about it alone allow
  std::vector<std::vector<const ExpressionNode*>> joint_;  // by the last dimension they name
  bool never_ = false;                                     // a part without dimensions is false
  std::int64_t checks_ = 0;
};

}  // namespace detail

std::string ranges_text(const std::vector<ExtentRange>& extents) {
  std::string out;
  for (const auto& [name, low, high] : extents) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, low);
    if (low != high) out += fmt::format(" to {}", high);
  }
  return out;
}

SizeSampler::SizeSampler(const SizeDomain& domain, std::uint64_t seed)
    : domain_(domain), rng_(seed) {
  for (const SizeKind& kind : domain_.kinds) kinds_.emplace_back(domain_, kind.rule);
}
SizeSampler::~SizeSampler() = default;
SizeSampler::SizeSampler(SizeSampler&&) noexcept = default;

std::optional<ProblemSize> SizeSampler::draw_of(std::size_t kind) {
  return kinds_.at(kind).draw(rng_);
}

std::optional<ProblemSize> SizeSampler::draw() {
  double sum = 0;
  for (const SizeKind& kind : domain_.kinds) sum += kind.weight;
  double rest = uniform(rng_) * sum;
  std::size_t chosen = 0;
  while (chosen + 1 < domain_.kinds.size() && rest >= domain_.kinds[chosen].weight) {
    rest -= domain_.kinds[chosen++].weight;
  }
  return draw_of(chosen);
}

std::vector<ProblemSize> distinct_sizes(const SizeDomain& domain, std::size_t count,
                                        std::uint64_t seed) {
  SizeSampler sampler(domain, seed);
  std::vector<ProblemSize> out;
  std::set<std::string> known;
  for (std::size_t i = 0; i < 8 * count && out.size() < count; ++i) {
    auto size = sampler.draw();
    if (size && known.insert(size->label()).second) out.push_back(std::move(*size));
  }
  return out;
}

std::vector<PooledSize> size_pool(const SizeDomain& domain, std::uint64_t seed) {
  constexpr std::size_t kPool = 96;
  constexpr std::size_t kLeastOfAKind = 16;
  std::vector<PooledSize> pool;
  std::set<std::string> known;
  double sum = 0;
  for (const SizeKind& kind : domain.kinds) sum += kind.weight;
  const std::size_t each = std::max(kLeastOfAKind, kPool / domain.kinds.size());
  SizeSampler sampler(domain, seed);
  for (std::size_t k = 0; k < domain.kinds.size(); ++k) {
    const std::size_t begin = pool.size();
    for (std::size_t i = 0; i < 4 * each && pool.size() < begin + each; ++i) {
      auto size = sampler.draw_of(k);
      if (size && known.insert(size->label()).second) pool.push_back({std::move(*size), k});
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, pool.size() - begin));
    for (std::size_t i = begin; i < pool.size(); ++i) {
      pool[i].weight = domain.kinds[k].weight / sum / count;
    }
  }
  return pool;
}

}  // namespace tuner
