// The loop around the model: when it is fitted, which candidates it judges, what is proposed
// (model_search.h).

#include "tuner/plugins/strategies/model/model_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/plugins/strategies/parts/candidates.h"

namespace tuner::strategies {

ModelSearch::ModelSearch(const StrategySetup& setup, const ModelSettings& settings)
    : settings_(settings),
      history_(setup.space, setup.seed),
      moves_(setup.space),
      encoding_(moves_),
      rng_(setup.seed, 0xde),
      source_(setup.space, mix64(setup.seed)),
      prior_(encoding_),
      covariance_(prior_covariance(encoding_)) {}

std::vector<Index> ModelSearch::ask(std::size_t count) {
  std::vector<Index> out;
  while (out.size() < count && has_room(out.size())) {
    const auto index = propose();
    if (!index) break;
    history_.claim(*index);
    known_.push_back(*index);
    out.push_back(*index);
  }
  return out;
}

void ModelSearch::tell(const Observation& observation) {
  if (history_.claim(observation.index)) known_.push_back(observation.index);
  const auto* before = history_.best();
  const double best = before == nullptr ? kInfinity : before->value;
  history_.record(observation);
  if (value_of(observation) < best) best_is_new_ = true;
}

void ModelSearch::learn(const sdk::Prior& prior) {
  if (model_ == nullptr) prior_.add(prior, settings_.shape, rng_);
}

// How many questions may be open. One that is asked ahead does not know the answers still due,
// which is worst at the beginning: sixteen questions at once would be as good as random. The more
// is known, the less one answer changes, so the limit grows with the answers. 1e-9: a product such
// as 0.1 * 10 must not fall below the whole number that it stands for.
double ModelSearch::open_limit() const {
  constexpr double kAtFirst = 2;
  constexpr std::size_t kMostOfPrior = 100;  // results from elsewhere that count as answers
  const std::size_t known = history_.entries().size() + std::min(kMostOfPrior, prior_.results());
  return kAtFirst + settings_.ahead * (static_cast<double>(known) + 1e-9);
}

// Whether another question may be asked. If the machine is known, every compile worker is kept busy
// and one question waits for the next that gets free. Where the devices are the bottleneck, more is
// compiled than they can measure, and order() chooses. `asked` counts the questions of this round.
bool ModelSearch::has_room(std::size_t asked) const {
  if (!machine_) return static_cast<double>(open()) < std::floor(open_limit());
  const auto in_compiler = [](const auto& one) {
    return one.stage == TUNER_STAGE_QUEUED || one.stage == TUNER_STAGE_COMPILING;
  };
  const std::size_t compiling =
      asked + static_cast<std::size_t>(std::ranges::count_if(machine_->under_way, in_compiler));
  const std::size_t ahead = history_.entries().empty() ? 0 : 1;
  return compiling < machine_->compile_workers + ahead;
}

// 0: none to speak of; both times are sums of others, and rounded.
double ModelSearch::device_seconds(const History::Entry& entry) {
  constexpr double kLeast = 1e-6;
  const double seconds = entry.cost_seconds - entry.compile_seconds;
  return seconds < kLeast ? 0 : seconds;
}

double ModelSearch::scarce_seconds(const History::Entry& entry) const {
  if (!machine_) return entry.cost_seconds;
  return entry.compile_seconds / static_cast<double>(machine_->compile_workers) +
         device_seconds(entry) / static_cast<double>(machine_->devices);
}

std::optional<Index> ModelSearch::propose() {
  // The start is over after so many questions, not answers: waiting for all answers would mean that
  // more questions are asked without the model whenever several are open. Two answers are the least
  // that a model can tell apart.
  const bool enough_answers =
      history_.entries().size() >= std::min<std::size_t>(settings_.start, 2);
  if (known_.size() < settings_.start || !enough_answers || history_.best() == nullptr) {
    return first_questions();
  }
  const auto index = best_candidate();
  return index ? index : history_.fresh();
}

std::optional<Index> ModelSearch::first_questions() {
  if (!prior_.empty()) {
    for (const Index index : prior_.best(settings_.pool)) {
      if (!history_.seen(index)) return index;
    }
  }
  // Chooses every third only for being far from the others, if many are asked at once: not all may
  // trust that what is sensible is good.
  const bool is_sensible = !machine_ || known_.size() % 3 != 2;
  return settings_.sensible_start ? sensible_start(moves_, history_, source_, known_, is_sensible)
                                  : history_.fresh();
}

// Fitting the covariance anew costs far more than extending the model by a row
// (gaussian_process.h), so it is done only when the answers have grown by settings_.refit_growth.
std::optional<Index> ModelSearch::best_candidate() {
  if (model_ == nullptr || history_.entries().size() >= next_fit_) {
    rebuild();
  } else {
    if (best_is_new_) add_neighbours_of_best();
    for (; next_known_ < known_.size(); ++next_known_) add_point(known_[next_known_]);
  }
  best_is_new_ = false;
  judge_pool();
  Eigen::Index chosen = 0;
  if (pool_.empty() || merit_.maxCoeff(&chosen) == -std::numeric_limits<float>::infinity()) {
    return std::nullopt;
  }
  return pool_[static_cast<std::size_t>(chosen)];
}

ModelSearch::Targets ModelSearch::targets() {
  const auto& entries = history_.entries();
  ShapedValues results = shaped(values_of(entries), settings_.shape);
  if (prior_.empty() || !results.logarithms) return {standardised(std::move(results.values)), 0};
  for (std::size_t i = prior_of_entries_.size(); i < entries.size(); ++i) {
    prior_of_entries_.push_back(prior_.at(std::span(&entries[i].index, 1))[0]);
  }
  auto fit = prior_.explain(results.values, Eigen::Map<const Eigen::ArrayXf>(
                                                prior_of_entries_.data(), results.values.size()));
  return {std::move(fit.residual), fit.slope};
}

// The covariance has variance 1; the variance of the values is estimated here, each time, from the
// whitened answers (its best is |white|^2 / n, see badness() in gaussian_process.cpp). With a prior
// the few first answers may be explained so well that they promise no variance at all:
// kAnswersOfPrior answers of variance 1 are mixed in.
Eigen::ArrayXf ModelSearch::merits(const GaussianProcess& model, const Eigen::VectorXf& white,
                                   std::size_t answers, const Targets& now,
                                   const Eigen::ArrayXf& prior_of_candidates) const {
  constexpr float kAnswersOfPrior = 4;  // that its guess of the deviation is worth
  const float guess = prior_.empty() ? 0 : kAnswersOfPrior;
  const float scale =
      std::sqrt((white.squaredNorm() + guess) / (static_cast<float>(answers) + guess)) + 1e-6F;
  const auto best = history_.best() - history_.entries().data();
  Eigen::ArrayXf mean = model.predict_mean(white);
  float goal = now.values[best];
  if (now.slope > 0) {
    mean += now.slope * prior_of_candidates;
    goal += now.slope * prior_of_entries_[static_cast<std::size_t>(best)];
  }
  return merit(settings_.acquisition, mean, scale * model.variance().sqrt(), goal);
}

void ModelSearch::judge_pool() {
  const Targets now = targets();
  std::vector<bool> open;
  const Eigen::VectorXf white = model_->whiten(values_of_points(now.values, &open), open);
  merit_ = merits(*model_, white, history_.entries().size(), now, prior_of_pool_);
  if (settings_.cost_weight > 0) {
    merit_ -= static_cast<float>(settings_.cost_weight) *
              log_seconds([this](const auto& entry) { return scarce_seconds(entry); });
  }
  if (machine_ && machine_->seconds_left < kInfinity) heed_the_end();
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    if (history_.seen(pool_[i])) {
      merit_[static_cast<Eigen::Index>(i)] = -std::numeric_limits<float>::infinity();
    }
  }
}

// With few answers the model knows less than those who chose the first questions.
std::vector<Index> ModelSearch::order(std::vector<Index> compiled) {
  constexpr std::size_t kLeastAnswers = 6;
  if (history_.entries().size() < kLeastAnswers || history_.best() == nullptr) return compiled;
  const Eigen::ArrayXf merits = merits_of(compiled);
  std::vector<Index> ordered;
  for (const std::size_t place : places_by(
           compiled.size(), [&](std::size_t i) { return -merits[static_cast<Eigen::Index>(i)]; })) {
    ordered.push_back(compiled[place]);
  }
  return ordered;
}

// By a model of its own. In the one that proposes, open questions count as measured; and what did
// not compile makes its neighbours look bad, which says nothing of a neighbour that did compile.
Eigen::ArrayXf ModelSearch::merits_of(const std::vector<Index>& compiled) {
  constexpr std::size_t kMostPoints = 100;
  const auto& entries = history_.entries();
  Rng rng(entries.size(), 0x0d);  // of its own: what is asked later must not depend on this call
  std::vector<std::size_t> sample = best_and_random(values_of(entries), kMostPoints, rng);
  std::erase_if(sample, [&](std::size_t i) {
    return entries[i].objectives.empty() && device_seconds(entries[i]) == 0;
  });
  const Targets now = targets();
  GaussianProcess model(encoding_, covariance_);
  for (const std::size_t i : sample) model.add_point(encoding_.point(entries[i].index));
  model.set_candidates(encoding_.points(compiled));
  const Eigen::VectorXf white =
      model.whiten(picked(now.values, sample), std::vector<bool>(sample.size(), false));
  const Eigen::ArrayXf prior = prior_.empty() ? Eigen::ArrayXf() : prior_.at(compiled);
  const Eigen::ArrayXf gain = merits(model, white, sample.size(), now, prior);
  return settings_.cost_weight > 0 ? gain - log_device_seconds(model, sample) : gain;
}

// Predicts the logarithm of each candidate's device seconds, but for a constant. Answers that took
// no time there (they were those of the same program) do not count.
Eigen::ArrayXf ModelSearch::log_device_seconds(const GaussianProcess& model,
                                               const std::vector<std::size_t>& sample) const {
  Eigen::VectorXf costs = Eigen::VectorXf::Zero(static_cast<Eigen::Index>(sample.size()));
  std::vector<bool> unknown(sample.size(), true);
  float sum = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double seconds = device_seconds(history_.entries()[sample[i]]);
    if (seconds == 0) continue;
    const auto cost = static_cast<float>(std::log(seconds));
    costs[static_cast<Eigen::Index>(i)] = cost;
    unknown[i] = false;
    sum += cost;
  }
  const auto known = static_cast<float>(std::ranges::count(unknown, false));
  costs.array() -= known > 0 ? sum / known : 0;
  return model.predict_mean(model.whiten(costs, unknown));
}

// Lowers the merit of candidates that may not finish in time: by the logarithm of the chance that
// they do, as if the logarithm of their time were normal around the prediction.
void ModelSearch::heed_the_end() {
  constexpr float kSpread = 0.5F;  // of that logarithm
  const Eigen::ArrayXf expected = log_seconds([](const auto& entry) { return entry.cost_seconds; });
  const auto left = static_cast<float>(std::log(std::max(machine_->seconds_left, 1e-6)));
  for (Eigen::Index i = 0; i < merit_.size(); ++i) {
    merit_[i] += static_cast<float>(log_normal_tail((left - expected[i]) / kSpread));
  }
}

// Logarithms of what an entry took, predicted with the covariance of the objective: what matters
// for the one mostly does for the other. Subtracted from the logarithm of the gain they make gain
// per second (Snoek, Larochelle and Adams 2012).
template <typename SecondsOf>
Eigen::ArrayXf ModelSearch::log_seconds(SecondsOf seconds_of) const {
  const auto& entries = history_.entries();
  Eigen::VectorXf costs(static_cast<Eigen::Index>(entries.size()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    costs[static_cast<Eigen::Index>(i)] =
        static_cast<float>(std::log(std::max<double>(seconds_of(entries[i]), 1e-6)));
  }
  const float mean = costs.mean();
  costs.array() -= mean;
  std::vector<bool> open;
  const Eigen::VectorXf values = values_of_points(costs, &open);
  return model_->predict_mean(model_->whiten(values, open)) + mean;
}

// By the model's points; `per_entry` is by the history's entries.
Eigen::VectorXf ModelSearch::values_of_points(const Eigen::VectorXf& per_entry,
                                              std::vector<bool>* open) const {
  Eigen::VectorXf out(static_cast<Eigen::Index>(points_.size()));
  open->resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto* entry = history_.find(points_[i]);
    (*open)[i] = entry == nullptr;
    out[static_cast<Eigen::Index>(i)] =
        entry == nullptr ? 0 : per_entry[entry - history_.entries().data()];
  }
  return out;
}

void ModelSearch::add_point(Index index) {
  model_->add_point(encoding_.point(index));
  points_.push_back(index);
}

void ModelSearch::rebuild() {
  const auto& entries = history_.entries();
  next_fit_ = std::max(
      entries.size() + 2,
      static_cast<std::size_t>(settings_.refit_growth * static_cast<double>(entries.size())));
  const std::vector<double> results = values_of(entries);
  const std::vector<std::size_t> sample = best_and_random(results, settings_.fit_points, rng_);
  std::vector<Point> at;
  for (const std::size_t i : sample) at.push_back(encoding_.point(entries[i].index));
  Eigen::VectorXf values = picked(targets().values, sample);
  values.array() -= values.mean();
  if (values.squaredNorm() > 0) {
    covariance_ = fit_covariance(encoding_, at, values, covariance_, settings_.fit_steps, rng_);
  }

  model_ = std::make_unique<GaussianProcess>(encoding_, covariance_);
  points_.clear();
  for (const std::size_t entry : best_and_random(results, settings_.most_points, rng_)) {
    add_point(entries[entry].index);
  }
  for (const Index index : known_) {
    if (history_.find(index) == nullptr) add_point(index);
  }
  next_known_ = known_.size();
  fill_pool();
}

void ModelSearch::fill_pool() {
  pool_ = source_.gather(history_, settings_.pool);
  in_pool_ = {pool_.begin(), pool_.end()};
  if (!prior_.empty()) {
    for (const Index index : prior_.best(settings_.pool / 4)) {
      if (!history_.seen(index) && in_pool_.insert(index).second) pool_.push_back(index);
    }
    prior_of_pool_ = prior_.at(pool_);
  }
  model_->set_candidates(encoding_.points(pool_));
}

// Adds the neighbours of a new best, which are worth a look at once; they take the places of the
// candidates that promise least, since the pool's size is what a proposal costs.
void ModelSearch::add_neighbours_of_best() {
  if (moves_.space().size() <= settings_.pool || pool_.empty()) return;
  const auto order =
      places_by(pool_.size(), [&](std::size_t i) { return merit_[static_cast<Eigen::Index>(i)]; });
  auto place = order.begin();
  const std::vector<Index> near = moves_.space().neighbours(history_.best()->index);
  for (const Index index : near) {
    if (place == order.end()) break;
    if (history_.seen(index) || !in_pool_.insert(index).second) continue;
    in_pool_.erase(pool_[*place]);
    pool_[*place] = index;
    if (!prior_.empty()) {
      prior_of_pool_[static_cast<Eigen::Index>(*place)] = prior_.at(std::span(&index, 1))[0];
    }
    model_->replace_candidate(*place++, encoding_.point(index));
  }
}

}  // namespace tuner::strategies
