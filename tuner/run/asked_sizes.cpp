// Tunes what an application has asked for and not got, within one budget.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/history/stored_results.h"
#include "tuner/run/device_run.h"

namespace tuner {
namespace {

// The least that a size gets, however small its share is.
constexpr std::uint64_t kLeastEvaluations = 20;
constexpr double kLeastSeconds = 2;

class AskedRun {
 public:
  AskedRun(DeviceRun& run, double begin, const std::function<double()>& now)
      : run_(run), budget_(run.study().search.budget), begin_(begin), now_(now) {}

  bool is_spent() const {
    return (budget_.evaluations && spent_ >= *budget_.evaluations) || seconds_left() <= 0;
  }

  SizeOutcome tune(const AskedWork& work) {
    run_.listener().note(fmt::format("asked: {}, {} times, {:.3g} % of what is left to tune",
                                     work.asked.size.label(), work.asked.count(),
                                     100 * work.share));
    SizeOptions options{{}, budget_};
    for (const AskedAnswer& one : work.asked.answers) {
      if (one.configuration) options.first.push_back(*one.configuration);
    }
    if (budget_.evaluations) {
      const std::uint64_t left = *budget_.evaluations - spent_;
      const double part = std::ceil(work.share * static_cast<double>(left));
      options.budget->evaluations =
          std::min(left, std::max(kLeastEvaluations, static_cast<std::uint64_t>(part)));
    }
    if (budget_.seconds) {
      options.budget->seconds =
          std::min(seconds_left(), std::max(kLeastSeconds, work.share * seconds_left()));
    }
    SizeOutcome outcome = run_.tune(work.asked.size, options);
    spent_ += outcome.searched;
    return outcome;
  }

 private:
  double seconds_left() const { return budget_.seconds ? *budget_.seconds - (now_() - begin_) : 1; }

  DeviceRun& run_;
  Budget budget_;
  double begin_;
  const std::function<double()>& now_;
  std::uint64_t spent_ = 0;
};

std::vector<AskedWork> work_of(const DeviceRun& run, const std::vector<AskedSize>& asked) {
  const std::vector<StoredResults> stored =
      newest_of_each(stored_results(run.history().store(), &run.study(), {}));
  std::vector<const RankedResults*> known;
  for (const StoredResults& one : stored) {
    const DeviceFacts& device = one.ranked.device;
    const bool is_here = device.name == run.facts().name &&
                         device.compute_capability == run.facts().compute_capability;
    if (is_here && one.stale.empty()) known.push_back(&one.ranked);
  }
  return missed_on(run.facts(), asked, known);
}

}  // namespace

std::vector<SizeOutcome> tune_asked(DeviceRun& run, const std::vector<AskedSize>& asked,
                                    double begin, const std::function<double()>& now,
                                    const std::function<void(const SizeOutcome&)>& conclude) {
  const std::vector<AskedWork> work = work_of(run, asked);
  if (work.empty()) {
    run.listener().note("asked: no size was missed on " + run.facts().name);
  }
  AskedRun shared(run, begin, now);
  std::vector<SizeOutcome> outcomes;
  std::exception_ptr first_error;
  for (std::size_t i = 0; i < work.size() && !run.is_interrupted(); ++i) {
    if (shared.is_spent()) {
      run.listener().note(
          fmt::format("asked: the budget is spent; not tuned: {}, the costliest is {}",
                      count_text(work.size() - i, "size"), work[i].asked.size.label()));
      break;
    }
    try {
      outcomes.push_back(shared.tune(work[i]));
    } catch (const InputError& error) {
      if (!first_error) first_error = std::current_exception();
      run.listener().note(fmt::format("  passed over: {}", error.what()));
      continue;
    }
    conclude(outcomes.back());
  }
  if (outcomes.empty() && first_error) std::rethrow_exception(first_error);
  return outcomes;
}

}  // namespace tuner
