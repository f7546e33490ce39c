// Keeps jobs in the order in which devices take them, and recognises those that are one program.

#include "tuner/worker/job.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/messages.h"

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

std::string program_of(const VariantPlan& plan) {
  VariantPlan seen;
  seen.artifact.entry = plan.artifact.entry;
  seen.artifact.symbols = plan.artifact.symbols;
  seen.artifact.then = plan.artifact.then;
  static_cast<SequencePlan&>(seen) = plan;
  seen.overrides = plan.overrides;
  seen.answer = plan.answer;
  const auto bytes = nlohmann::json::to_cbor(nlohmann::json(seen));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return to_hex(Hasher().add(plan.artifact.image).add(text).digest());
}

void Duplicates::add(const std::string& program, const Trial& trial) {
  const bool is_new = measured_.insert_or_assign(program, trial).second;
  if (is_new) programs_.emplace_back(trial.configuration, program);
}

bool Duplicates::answer(const std::string& program, Trial& trial) {
  const auto found = measured_.find(program);
  if (found == measured_.end()) return false;
  const Trial& duplicate = found->second;
  static_cast<Measured&>(trial) = duplicate;
  trial.device_uuid = duplicate.device_uuid;
  trial.device_scale = duplicate.device_scale;
  trial.occupancy = duplicate.occupancy;
  ++answered_;
  programs_.emplace_back(trial.configuration, program);
  return true;
}

std::vector<std::size_t> Duplicates::idle() const {
  std::vector<std::size_t> out;
  const std::size_t parameters = answered_ == 0 ? 0 : programs_.front().first.size();
  for (std::size_t p = 0; p < parameters; ++p) {
    if (is_idle(p)) out.push_back(p);
  }
  return out;
}

bool Duplicates::is_idle(std::size_t parameter) const {
  std::map<std::string, const std::pair<Configuration, std::string>*> by_others;
  std::set<std::string> tried, compared;  // values
  for (const auto& one : programs_) {
    std::string others;
    for (std::size_t p = 0; p < one.first.size(); ++p) {
      if (p != parameter) others += to_text(one.first[p]) + '\0';
    }
    tried.insert(to_text(one.first[parameter]));
    const auto [at, is_new] = by_others.emplace(std::move(others), &one);
    if (is_new) continue;
    if (at->second->second != one.second) return false;
    compared.insert(to_text(one.first[parameter]));
    compared.insert(to_text(at->second->first[parameter]));
  }
  return compared.size() > 1 && compared == tried;
}

}  // namespace tuner
