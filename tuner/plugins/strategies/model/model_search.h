#pragma once
// Search guided by a Gaussian process over everything that was measured: `default` and
// `bayesian`.

#include <Eigen/Dense>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "tuner/plugins/strategies/model/encoding.h"
#include "tuner/plugins/strategies/model/gaussian_process.h"
#include "tuner/plugins/strategies/model/prior_mean.h"
#include "tuner/plugins/strategies/parts/candidates.h"
#include "tuner/plugins/strategies/parts/history.h"

namespace tuner::strategies {

struct ModelSettings {
  std::size_t start = 3;          // questions before the model chooses
  bool sensible_start = true;     // rather than a random one
  double ahead = kInfinity;       // questions asked ahead, for each answer; see open_limit()
  std::size_t pool = 1200;        // candidates
  std::size_t most_points = 400;  // of the model, right after a refit
  std::size_t fit_points = 120;   // that the kernel is fitted to
  int fit_steps = 40;
  double refit_growth = 1.25;  // of the number of answers, between two fits of the kernel
  double cost_weight = 0;      // 1: gain per second instead of gain
  Acquisition acquisition;
  TargetShape shape;
};

class ModelSearch : public sdk::Strategy {
 public:
  ModelSearch(const StrategySetup& setup, const ModelSettings& settings);

  std::vector<Index> ask(std::size_t count) override;
  void tell(const Observation& observation) override;
  void learn(const sdk::Prior& prior) override;
  void notice(const sdk::Machine& machine) override { machine_ = machine; }
  std::vector<Index> order(std::vector<Index> compiled) override;

 private:
  // The values that the model explains: shaped results, less what the prior explains of them.
  struct Targets {
    Eigen::VectorXf values;  // by the history's entries
    float slope = 0;         // of the prior, in the unit of the values
  };

  std::size_t open() const { return known_.size() - history_.entries().size(); }
  double open_limit() const;
  bool has_room(std::size_t asked) const;
  static double device_seconds(const History::Entry& entry);
  double scarce_seconds(const History::Entry& entry) const;
  std::optional<Index> propose();
  std::optional<Index> first_questions();
  std::optional<Index> best_candidate();

  Targets targets();
  // Computes the merit of each of the model's candidates; `white` are `answers` whitened answers.
  Eigen::ArrayXf merits(const GaussianProcess& model, const Eigen::VectorXf& white,
                        std::size_t answers, const Targets& now,
                        const Eigen::ArrayXf& prior_of_candidates) const;
  void judge_pool();
  Eigen::ArrayXf merits_of(const std::vector<Index>& compiled);
  Eigen::ArrayXf log_device_seconds(const GaussianProcess& model,
                                    const std::vector<std::size_t>& sample) const;
  void heed_the_end();
  template <typename SecondsOf>
  Eigen::ArrayXf log_seconds(SecondsOf seconds_of) const;
  Eigen::VectorXf values_of_points(const Eigen::VectorXf& per_entry, std::vector<bool>* open) const;
  void add_point(Index index);
  void rebuild();
  void fill_pool();
  void add_neighbours_of_best();

  ModelSettings settings_;
  std::optional<sdk::Machine> machine_;  // empty: one answer after the other
  History history_;
  Moves moves_;
  Encoding encoding_;
  Rng rng_;
  CandidateSource source_;

  PriorMean prior_;
  std::vector<float> prior_of_entries_;  // as far as it was needed
  Eigen::ArrayXf prior_of_pool_;

  CovarianceParameters covariance_;
  std::unique_ptr<GaussianProcess> model_;
  std::vector<Index> known_;    // everything asked or told, in that order
  std::size_t next_known_ = 0;  // of known_: the first that the model has not
  std::vector<Index> points_;   // the model's, in its order
  std::vector<Index> pool_;
  std::unordered_set<Index, IndexHash> in_pool_;
  Eigen::ArrayXf merit_;      // of the pool, when it was last judged
  std::size_t next_fit_ = 0;  // number of answers at which the kernel is fitted again
  bool best_is_new_ = false;
};

}  // namespace tuner::strategies
