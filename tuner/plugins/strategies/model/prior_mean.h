#pragma once
// A prior from results elsewhere (other sizes, other devices): how good they make a configuration
// look.

#include <Eigen/Dense>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/plugins/strategies/model/encoding.h"
#include "tuner/plugins/strategies/model/gaussian_process.h"

namespace tuner::strategies {

// The logarithm of how much worse a configuration was elsewhere than others, averaged over places:
// as recorded where it was measured, else as a Gaussian process over the place's results predicts.
// Places count by their likeness, those with few results less.
class PriorMean {
 public:
  // `encoding` has to outlive this.
  explicit PriorMean(const Encoding& encoding) : encoding_(&encoding) {}

  // Does nothing for a place without a valid result.
  void add(const sdk::Prior& place, const TargetShape& shape, Rng& rng);

  bool empty() const { return places_.empty(); }
  std::size_t results() const { return results_; }
  Eigen::ArrayXf at(std::span<const Index> indices) const;

  // The measured configurations that promise most, best first.
  std::vector<Index> best(std::size_t count) const;

  // `values` (by the answers, shaped) as offset + slope * prior + residual. Few answers barely move
  // the slope from what is usual; a prior that proves useless ends with a slope of 0.
  struct Fit {
    Eigen::VectorXf residual;  // in `unit`s
    float slope = 0;           // units for each unit of the prior
    float unit = 1;
  };
  Fit explain(const Eigen::VectorXf& values, const Eigen::ArrayXf& prior) const;

 private:
  struct Place {
    float weight = 0;
    std::vector<Index> best;
    std::unordered_map<Index, float, IndexHash> known;
    std::optional<GaussianProcess> model;  // empty when everything is known
    Eigen::VectorXf weights;               // of its points
    float mean = 0;
  };

  void fit(Place& place, const std::vector<Index>& indices, const std::vector<double>& values,
           const Eigen::VectorXf& shaped_values, Rng& rng) const;
  Eigen::ArrayXf at(const Place& place, std::span<const Index> indices) const;

  const Encoding* encoding_;
  std::vector<Place> places_;
  std::size_t results_ = 0;
  float deviation_ = 0;  // of the values, over the places
};

}  // namespace tuner::strategies
