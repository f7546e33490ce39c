// Makes a mean of results from other places (prior_mean.h).

#include "tuner/plugins/strategies/model/prior_mean.h"

#include <algorithm>
#include <cmath>

#include "tuner/plugins/strategies/parts/candidates.h"

namespace tuner::strategies {
namespace {

constexpr std::size_t kBest = 200;       // that are remembered of a place
constexpr std::size_t kPoints = 300;     // of a place's model
constexpr std::size_t kFitPoints = 100;  // that its kernel is fitted to
constexpr int kFitSteps = 40;

}  // namespace

// A place's weight grows with its number of results and is half of its likeness at kFew of them: a
// short search elsewhere says little about the whole space.
void PriorMean::add(const sdk::Prior& place, const TargetShape& shape, Rng& rng) {
  constexpr double kFew = 20;
  std::vector<Index> indices;
  std::vector<double> values;
  bool any_valid = false;
  for (const auto& [index, loss] : place.results) {
    if (index >= encoding_->space().size()) continue;
    indices.push_back(index);
    values.push_back(std::exp(loss));
    any_valid = any_valid || values.back() < kInfinity;
  }
  if (!any_valid || !(place.likeness > 0)) return;
  const Eigen::VectorXf heights = shaped(values, shape).values;
  const double count = static_cast<double>(values.size());
  Place made;
  made.weight = static_cast<float>(place.likeness * count / (count + kFew));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    made.known.emplace(indices[i], heights[static_cast<Eigen::Index>(i)]);
  }
  const auto order = places_by(values.size(), [&](std::size_t i) { return values[i]; });
  for (std::size_t i = 0; i < std::min(kBest, order.size()); ++i) {
    if (values[order[i]] < kInfinity) made.best.push_back(indices[order[i]]);
  }
  if (made.known.size() < encoding_->space().size()) fit(made, indices, values, heights, rng);

  const float mean = heights.mean();
  const float deviation = std::sqrt((heights.array() - mean).square().mean());
  results_ += values.size();
  deviation_ += (deviation - deviation_) / static_cast<float>(places_.size() + 1);
  places_.push_back(std::move(made));
}

void PriorMean::fit(Place& place, const std::vector<Index>& indices,
                    const std::vector<double>& values, const Eigen::VectorXf& heights,
                    Rng& rng) const {
  const auto points_at = [&](const std::vector<std::size_t>& which) {
    std::vector<Point> points;
    for (const std::size_t i : which) {
      points.push_back(encoding_->point(indices[i]));
    }
    return points;
  };
  CovarianceParameters kernel = prior_covariance(*encoding_);
  const auto sample = best_and_random(values, kFitPoints, rng);
  const Eigen::VectorXf sampled = standardised(picked(heights, sample));
  if (sampled.squaredNorm() > 0) {
    kernel = fit_covariance(*encoding_, points_at(sample), sampled, kernel, kFitSteps, rng);
  }
  const auto chosen = best_and_random(values, kPoints, rng);
  place.model.emplace(*encoding_, kernel);
  for (const Point& point : points_at(chosen)) place.model->add_point(point);
  Eigen::VectorXf targets = picked(heights, chosen);
  place.mean = targets.mean();
  targets.array() -= place.mean;
  place.weights =
      place.model->weights(place.model->whiten(targets, std::vector<bool>(chosen.size(), false)));
}

Eigen::ArrayXf PriorMean::at(const Place& place, std::span<const Index> indices) const {
  Eigen::ArrayXf out(static_cast<Eigen::Index>(indices.size()));
  std::vector<std::size_t> unknown;
  std::vector<Point> points;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto found = place.known.find(indices[i]);
    if (found != place.known.end()) {
      out[static_cast<Eigen::Index>(i)] = found->second;
    } else {
      unknown.push_back(i);
      points.push_back(encoding_->point(indices[i]));
    }
  }
  if (unknown.empty()) return out;
  const Eigen::ArrayXf predicted = place.model->mean_at(points, place.weights) + place.mean;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    out[static_cast<Eigen::Index>(unknown[i])] = predicted[static_cast<Eigen::Index>(i)];
  }
  return out;
}

Eigen::ArrayXf PriorMean::at(std::span<const Index> indices) const {
  Eigen::ArrayXf sum = Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(indices.size()));
  float weight = 0;
  for (const Place& place : places_) {
    sum += place.weight * at(place, indices);
    weight += place.weight;
  }
  return sum / std::max(weight, 1e-6F);
}

std::vector<Index> PriorMean::best(std::size_t count) const {
  std::vector<Index> all;
  for (const Place& place : places_) all.insert(all.end(), place.best.begin(), place.best.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const Eigen::ArrayXf values = at(all);
  const auto order =
      places_by(all.size(), [&](std::size_t i) { return values[static_cast<Eigen::Index>(i)]; });
  std::vector<Index> out;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) out.push_back(all[order[i]]);
  return out;
}

// Ridge regression of the answers on the prior, drawn to the usual slope instead of to zero: the
// sums start as if kAnswers answers had been seen whose prior varies as it does elsewhere and whose
// slope is the usual one. A slope below 0 would mean to search where it was bad elsewhere; it is
// cut off, as is one that exaggerates. The unit of the residual is estimated in the same way.
PriorMean::Fit PriorMean::explain(const Eigen::VectorXf& values,
                                  const Eigen::ArrayXf& prior) const {
  constexpr float kUsualSlope = 0.8F;
  constexpr float kUnexplained = 0.5F;  // usual deviation of the residual, in that of the prior
  constexpr float kAnswers = 4;         // that what is usual is worth
  const float variance = std::max(deviation_ * deviation_, 1e-6F);
  const auto count = static_cast<float>(values.size());
  const Eigen::ArrayXf from_mean = prior - prior.mean();
  const float together = (from_mean * (values.array() - values.mean())).sum();
  const float slope = std::clamp((kAnswers * variance * kUsualSlope + together) /
                                     (kAnswers * variance + from_mean.square().sum()),
                                 0.0F, 1.5F);
  Eigen::VectorXf residual = values.array() - values.mean() - slope * from_mean;
  const float unit =
      std::sqrt((residual.squaredNorm() + kAnswers * kUnexplained * kUnexplained * variance) /
                (count + kAnswers));
  return {residual / unit, slope / unit, unit};
}

}  // namespace tuner::strategies
