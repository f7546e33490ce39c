#pragma once
// Which sizes of a domain to tune, one after the other, and which configurations to try there
// first. Decides; measures nothing.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/deploy/loss_model.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/size_sampler.h"
#include "tuner/model/study.h"

namespace tuner {

// Results of one size: each configuration that gave the right answer, and what it costs
// (cost_of()).
struct SizeMeasured {
  ProblemSize size;
  std::vector<std::pair<Configuration, double>> costs;
  std::uint64_t evaluations = 0;  // failed ones too
};

struct DomainStep {
  ProblemSize size;
  std::vector<Configuration> first;  // what other sizes have taught, the most promising first
  std::uint64_t evaluations = 0;     // of the search there, `first` included
};

class DomainPlan {
 public:
  // `study`, which has a domain, outlives this. `evaluations`: of all sizes together; 0: any
  // number.
  DomainPlan(const Study& study, const DeviceFacts& device, std::uint64_t evaluations,
             std::uint64_t seed);

  // Nothing when the expected loss is below the study's bound, the evaluations are spent, or every
  // configuration of every size is known; reason() says which.
  std::optional<DomainStep> next();
  bool is_spent() const { return total_ > 0 && left_ == 0; }
  void allow(std::uint64_t more) { left_ += more; }
  // Takes the results of the step, all that is known of the size. Earlier ones for it are replaced.
  void tell(SizeMeasured measured);

  // Returns the configurations that serve the domain, as many as an export holds, where they are
  // valid and were not measured yet: with these it is known what each costs everywhere. They may be
  // others when results have been taken.
  std::vector<std::pair<ProblemSize, std::vector<Configuration>>> crossings() const;

  // Returns the few configurations that serve the domain as far as they are valid at a size, the
  // one that is expected to be the fastest first.
  std::vector<Configuration> served_by(const ProblemSize& size) const;

  // How much slower than each size's best the domain's sizes are expected to be: with the best of
  // the few configurations that serve what was tuned. The larger of what the model expects of the
  // domain's sizes, by weight, and of what the last sizes lost before they were tuned. Infinite
  // until some were.
  double expected_loss() const;
  const std::string& reason() const { return reason_; }
  std::size_t tuned() const { return known_.size(); }

 private:
  void learn();
  void fit();
  double loss_at(const SizeMeasured& size, const Configuration& one) const;
  // Chooses at most `most` winners that together serve the tuned sizes best.
  std::vector<Configuration> portfolio(std::size_t most) const;
  std::vector<Configuration> able(const std::vector<Configuration>& of,
                                  const ProblemSize& size) const;
  // Returns the model's inputs for a configuration at a size; nothing where a constraint does not
  // hold. Kept, since the same are needed after every answer.
  const std::optional<std::vector<double>>& features(const Configuration& configuration,
                                                     const ProblemSize& size) const;
  // Returns the model's mean, a logarithm within what counts; the most where nothing is known.
  double guess(const Configuration& configuration, const ProblemSize& size) const;
  const PooledSize* first_of_a_kind() const;
  const PooledSize* worst() const;
  std::vector<Configuration> proposals(const ProblemSize& size) const;
  std::optional<DomainStep> deeper();
  DomainStep step(const ProblemSize& size, bool first);

  const Study& study_;
  DeviceFacts device_;
  std::uint64_t left_ = 0;
  std::uint64_t total_ = 0;
  std::vector<PooledSize> pool_;
  std::vector<SizeMeasured> known_;
  std::vector<std::uint64_t> asked_;      // of each known size, the evaluations of its last step
  std::map<Configuration, double> seen_;  // every configuration, by its least loss anywhere
  std::set<Configuration> winners_;       // the best few of each size
  std::vector<Configuration> portfolio_;
  std::optional<LossModel> model_;
  mutable std::map<std::pair<std::string, Configuration>, std::optional<std::vector<double>>>
      features_;                      // by the size's label
  std::vector<double> first_losses_;  // what sizes lost before they were tuned, in their order
  std::optional<DomainStep> open_;
  double expected_ = 0;
  std::string reason_;
};

}  // namespace tuner
