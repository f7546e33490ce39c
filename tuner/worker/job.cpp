// Keeps jobs in the order in which devices take them.

#include "tuner/worker/job.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tuner/ports/evaluator.h"

namespace tuner {

std::deque<Job>::iterator ReadyQueue::first_asked() {
  return std::ranges::find(jobs_, false, &Job::is_again);
}

void ReadyQueue::add(Job job) {
  if (job.is_again) return add_first(std::move(job));
  jobs_.push_back(std::move(job));
}

void ReadyQueue::add_first(Job job) { jobs_.insert(first_asked(), std::move(job)); }

void ReadyQueue::reorder(std::span<const ConfigIndex> order) {
  const auto first = first_asked();
  std::vector<Job> asked(std::make_move_iterator(first), std::make_move_iterator(jobs_.end()));
  put_in_order(asked, order, [](const Job& job) { return job.trial.index; });
  std::ranges::move(asked, first);
}

std::vector<const Job*> ReadyQueue::asked() const {
  std::vector<const Job*> out;
  for (const Job& job : jobs_) {
    if (!job.is_again) out.push_back(&job);
  }
  return out;
}

Job* ReadyQueue::due(const MayRun& may_run) {
  const auto found = std::ranges::find_if(jobs_, [&, now = Clock::now()](const Job& job) {
    return job.not_before <= now && may_run(job);
  });
  return found == jobs_.end() ? nullptr : &*found;
}

Job ReadyQueue::take(const Job& job) {
  const auto at = std::ranges::find_if(jobs_, [&](const Job& one) { return &one == &job; });
  Job taken = std::move(*at);
  jobs_.erase(at);
  return taken;
}

TimePoint ReadyQueue::next_due() const {
  TimePoint next = TimePoint::max();
  for (const Job& job : jobs_) {
    if (job.not_before > Clock::now()) next = std::min(next, job.not_before);
  }
  return next;
}

}  // namespace tuner
