// Chooses sizes where the configurations that are known are expected to lose most.

#include "tuner/deploy/domain_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "tuner/deploy/cover.h"
#include "tuner/deploy/loss_model.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

constexpr std::size_t kPortfolio = 20;  // configurations that are tried at every new size
constexpr std::size_t kServing = 32;    // that are measured everywhere in the end
constexpr std::size_t kWinnersOfASize = 3;
constexpr std::size_t kProposals = 4;  // by the model, beside the portfolio
constexpr std::size_t kAskedOfModel = 32;
constexpr std::size_t kMostPoints = 240;  // that the model learns from
constexpr std::size_t kRecentLosses = 4;  // of the last sizes
constexpr double kMostLoss = 1;           // as log: what is slower by more is slow, however slow
constexpr double kLeastGain = 1e-3;       // of the sum of all losses, for one more of the portfolio
constexpr double kCuriosity = 0.5;        // deviations that count as loss where nothing is known

double log2_apart(const ProblemSize& size, const std::vector<double>& centre) {
  double sum = 0;
  for (std::size_t d = 0; d < centre.size(); ++d) {
    sum += std::pow(std::log2(static_cast<double>(size.dims[d].second)) - centre[d], 2);
  }
  return sum;
}

double best_of(const SizeMeasured& measured) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [configuration, cost] : measured.costs) best = std::min(best, cost);
  return best;
}

// Returns a configuration's loss at a size where it was measured: the logarithm of its cost over
// the best, bounded.
std::optional<double> loss_of(const SizeMeasured& measured, const Configuration& configuration) {
  const auto at =
      std::ranges::find(measured.costs, configuration, &std::pair<Configuration, double>::first);
  if (at == measured.costs.end()) return std::nullopt;
  return std::min(kMostLoss, std::log(at->second / best_of(measured)));
}

double as_share(double log_loss) { return std::expm1(std::max(0.0, log_loss)); }

}  // namespace

DomainPlan::DomainPlan(const Study& study, const DeviceFacts& device, std::uint64_t evaluations,
                       std::uint64_t seed)
    : study_(study),
      device_(device),
      left_(evaluations),
      total_(evaluations),
      pool_(size_pool(*study.domain, seed)) {}

const std::optional<std::vector<double>>& DomainPlan::features(const Configuration& configuration,
                                                               const ProblemSize& size) const {
  const auto [at, is_new] = features_.try_emplace({size.label(), configuration});
  if (is_new && constraints_hold(study_, bindings_of(study_, configuration, device_, size))) {
    at->second = launch_features(study_, configuration, device_, size);
  }
  return at->second;
}

double DomainPlan::guess(const Configuration& configuration, const ProblemSize& size) const {
  const auto& told = features(configuration, size);
  return model_ && told ? std::clamp(model_->mean(*told), 0.0, kMostLoss) : kMostLoss;
}

// Those that are valid at the size, what is expected to be the fastest first.
std::vector<Configuration> DomainPlan::able(const std::vector<Configuration>& of,
                                            const ProblemSize& size) const {
  std::vector<std::pair<double, const Configuration*>> able;
  for (const Configuration& one : of) {
    if (!features(one, size)) continue;
    able.emplace_back(guess(one, size), &one);
  }
  std::ranges::stable_sort(able, {}, &std::pair<double, const Configuration*>::first);
  std::vector<Configuration> out;
  for (const auto& [loss, configuration] : able) out.push_back(*configuration);
  return out;
}

std::vector<Configuration> DomainPlan::served_by(const ProblemSize& size) const {
  return able(portfolio_, size);
}

// Others of all that was measured anywhere, as the model likes them here.
std::vector<Configuration> DomainPlan::proposals(const ProblemSize& size) const {
  std::vector<std::pair<double, const Configuration*>> order;
  for (const auto& [configuration, loss] : seen_) {
    if (std::ranges::count(portfolio_, configuration) == 0)
      order.emplace_back(loss, &configuration);
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, const Configuration*>::first);
  if (order.size() > kAskedOfModel) order.resize(kAskedOfModel);
  std::erase_if(order, [&](const auto& one) { return !features(*one.second, size); });
  for (auto& [loss, configuration] : order) loss = guess(*configuration, size);
  std::ranges::stable_sort(order, {}, &std::pair<double, const Configuration*>::first);
  std::vector<Configuration> out;
  for (std::size_t i = 0; i < std::min(kProposals, order.size()); ++i) {
    out.push_back(*order[i].second);
  }
  return out;
}

DomainStep DomainPlan::step(const ProblemSize& size, bool first) {
  DomainStep out{size, served_by(size), 0};
  for (Configuration& one : proposals(size)) out.first.push_back(std::move(one));
  // A wide search where nothing is known of a kind, narrow ones where much is.
  const std::uint64_t kinds = study_.domain->kinds.size();
  const std::uint64_t wide =
      total_ == 0 ? 64 : std::clamp<std::uint64_t>(total_ / (4 * kinds), 8, 64);
  const std::uint64_t narrow = total_ == 0 ? 16 : std::clamp<std::uint64_t>(total_ / 32, 4, 16);
  out.evaluations = (first ? wide : narrow) + out.first.size();
  if (total_ > 0) out.evaluations = std::min(out.evaluations, left_);
  return out;
}

// Finds the first kind of which nothing was tuned, and returns its size in the middle.
const PooledSize* DomainPlan::first_of_a_kind() const {
  for (std::size_t k = 0; k < study_.domain->kinds.size(); ++k) {
    std::vector<const PooledSize*> of_kind;
    for (const PooledSize& one : pool_) {
      if (one.kind == k) of_kind.push_back(&one);
    }
    if (of_kind.empty() || std::ranges::any_of(of_kind, &PooledSize::taken)) continue;
    std::vector<double> centre(of_kind.front()->size.dims.size());
    for (const PooledSize* one : of_kind) {
      for (std::size_t d = 0; d < centre.size(); ++d) {
        centre[d] += std::log2(static_cast<double>(one->size.dims[d].second)) /
                     static_cast<double>(of_kind.size());
      }
    }
    return *std::ranges::min_element(
        of_kind, {}, [&](const PooledSize* one) { return log2_apart(one->size, centre); });
  }
  return nullptr;
}

// Finds the size whose expected loss, with some more for what is not known, counts most.
const PooledSize* DomainPlan::worst() const {
  const PooledSize* worst = nullptr;
  double most = -1;
  for (const PooledSize& one : pool_) {
    if (one.taken) continue;
    const std::vector<Configuration> able = served_by(one.size);
    double loss = 2 * kMostLoss;  // nothing serves it
    if (!able.empty()) {
      const auto& told = features(able.front(), one.size);
      const double deviation = model_ && told ? model_->deviation(*told) : kMostLoss;
      loss = guess(able.front(), one.size) + kCuriosity * deviation;
    }
    if (!(loss * one.weight > most)) continue;
    most = loss * one.weight;
    worst = &one;
  }
  return worst;
}

// Twice as many evaluations for the size that had fewest.
std::optional<DomainStep> DomainPlan::deeper() {
  std::size_t best = known_.size();
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (known_[i].evaluations < asked_[i]) continue;  // every configuration is known
    if (best == known_.size() || asked_[i] < asked_[best]) best = i;
  }
  if (best == known_.size()) return std::nullopt;
  DomainStep out = step(known_[best].size, false);
  out.evaluations = 2 * asked_[best];
  return out;
}

std::optional<DomainStep> DomainPlan::next() {
  open_.reset();
  if (is_spent()) {
    reason_ = "the evaluations are spent";
    return std::nullopt;
  }
  if (const PooledSize* first = first_of_a_kind()) {
    open_ = step(first->size, true);
    return open_;
  }
  const std::size_t enough = std::max<std::size_t>(kRecentLosses, 2 * study_.domain->kinds.size());
  if (known_.size() >= enough && expected_loss() < study_.search.until_loss) {
    reason_ = fmt::format("the expected loss is {:.1f} %, below {:g} %", 100 * expected_loss(),
                          100 * study_.search.until_loss);
    return std::nullopt;
  }
  if (const PooledSize* next = worst()) {
    open_ = step(next->size, false);
  } else {
    open_ = deeper();
    if (!open_) reason_ = "every configuration of every size is known";
  }
  return open_;
}

void DomainPlan::tell(SizeMeasured measured) {
  const bool fresh = std::ranges::none_of(
      known_, [&](const SizeMeasured& one) { return one.size == measured.size; });
  for (PooledSize& one : pool_) one.taken = one.taken || one.size == measured.size;
  if (open_ && open_->size == measured.size && fresh && !portfolio_.empty()) {
    double lost = kMostLoss;  // where none of them is valid, too
    for (const Configuration& one : open_->first) {
      const auto loss = loss_of(measured, one);
      if (!loss || std::ranges::count(portfolio_, one) == 0) continue;
      lost = *loss;
      break;
    }
    first_losses_.push_back(as_share(lost));
  }
  const std::uint64_t asked =
      open_ && open_->size == measured.size ? open_->evaluations : measured.evaluations;
  std::uint64_t spent = measured.evaluations;
  if (fresh) {
    asked_.push_back(asked);
    known_.push_back(std::move(measured));
  } else {
    const auto at = std::ranges::find(known_, measured.size, &SizeMeasured::size);
    spent -= std::min(spent, at->evaluations);
    asked_[static_cast<std::size_t>(at - known_.begin())] = asked;
    *at = std::move(measured);
  }
  left_ -= std::min(left_, std::max<std::uint64_t>(1, spent));
  learn();
}

// One model of all that was measured: the loss by configuration and size.
void DomainPlan::fit() {
  std::vector<ModelPoint> points;
  const std::size_t each = std::max<std::size_t>(8, kMostPoints / known_.size());
  seen_.clear();
  winners_.clear();
  for (std::size_t s = 0; s < known_.size(); ++s) {
    std::vector<std::pair<double, const Configuration*>> order;
    for (const auto& [configuration, cost] : known_[s].costs) {
      const double loss = *loss_of(known_[s], configuration);
      order.emplace_back(loss, &configuration);
      const auto at = seen_.emplace(configuration, loss).first;
      at->second = std::min(at->second, loss);
    }
    std::ranges::stable_sort(order, {}, &std::pair<double, const Configuration*>::first);
    for (std::size_t i = 0; i < std::min(kWinnersOfASize, order.size()); ++i) {
      winners_.insert(*order[i].second);
    }
    // The best half of what it may tell as it is, of the others some.
    const std::size_t step = 1 + 2 * order.size() / each;
    for (std::size_t i = 0; i < order.size(); i += i < each / 2 ? 1 : step) {
      const auto& told = features(*order[i].second, known_[s].size);
      if (told) points.push_back({*told, order[i].first, s});
    }
  }
  if (points.size() >= 2) model_.emplace(points);
}

double DomainPlan::loss_at(const SizeMeasured& size, const Configuration& one) const {
  if (const auto loss = loss_of(size, one)) return *loss;
  return guess(one, size.size);
}

std::vector<Configuration> DomainPlan::portfolio(std::size_t most) const {
  const std::vector<Configuration> candidates(winners_.begin(), winners_.end());
  std::vector<std::vector<double>> losses;
  for (const Configuration& one : candidates) {
    auto& mine = losses.emplace_back();
    for (const SizeMeasured& size : known_) mine.push_back(loss_at(size, one));
  }
  std::vector<Configuration> out;
  const LossRows rows(losses);
  const Covering all = covering_of_all(rows);
  for (const std::size_t c : best_together(all, most, 2 * kMostLoss, kLeastGain)) {
    out.push_back(candidates[c]);
  }
  return out;
}

void DomainPlan::learn() {
  fit();
  portfolio_ = portfolio(kPortfolio);
  expected_ = 0;
  double sum = 0;
  for (const PooledSize& one : pool_) {
    if (one.taken) continue;
    const std::vector<Configuration> able = served_by(one.size);
    const double loss = able.empty() ? kMostLoss : guess(able.front(), one.size);
    expected_ += one.weight * as_share(loss);
    sum += one.weight;
  }
  if (sum > 0) expected_ /= sum;
}

std::vector<std::pair<ProblemSize, std::vector<Configuration>>> DomainPlan::crossings() const {
  std::vector<std::pair<ProblemSize, std::vector<Configuration>>> out;
  const std::vector<Configuration> serving = portfolio(kServing);
  for (const SizeMeasured& size : known_) {
    std::vector<Configuration> others = able(serving, size.size);
    std::erase_if(others, [&](const Configuration& one) { return loss_of(size, one).has_value(); });
    if (!others.empty()) out.emplace_back(size.size, std::move(others));
  }
  return out;
}

double DomainPlan::expected_loss() const {
  if (first_losses_.empty()) return std::numeric_limits<double>::infinity();
  const std::size_t last = std::min(kRecentLosses, first_losses_.size());
  const double lost = std::accumulate(first_losses_.end() - static_cast<std::ptrdiff_t>(last),
                                      first_losses_.end(), 0.0) /
                      static_cast<double>(last);
  return std::max(expected_, lost);
}

}  // namespace tuner
