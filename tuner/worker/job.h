#pragma once
// Configurations on their way from the question to the trial, the queue of those that wait for a
// device, and what tells that two of them are one program.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/plan.h"
#include "tuner/model/trial.h"
#include "tuner/space/parameter.h"
#include "tuner/worker/channel.h"

namespace tuner {

// One configuration on its way.
struct Job {
  Trial trial;
  VariantPlan plan;
  std::string key;      // of its artifact
  std::string program;  // what it is once it is compiled
  TimePoint asked;
  TimePoint submitted;                    // to a device, once it is
  int chances = 0;                        // second ones that it had
  TimePoint not_before;                   // of the next
  bool is_retryable = false;              // its outcome may have a cause outside of it
  bool is_again = false;                  // it had a result already, which is doubted
  bool was_void = false;                  // what it did may have been an earlier one's doing
  int devices_lost = 0;                   // while it was on them
  std::optional<std::size_t> finalist{};  // its place in a final; empty: the search asked for it
};

// Queue of compiled variants that wait for a device.
class ReadyQueue {
 public:
  void add(Job job);
  // Adds a job before all others but those that are judged again.
  void add_first(Job job);
  void reorder(std::span<const ConfigIndex> order);
  // Forgets all.
  void clear() { jobs_.clear(); }
  bool empty() const { return jobs_.empty(); }
  // Returns jobs that were asked for and have no answer yet.
  std::vector<const Job*> asked() const;

  // The first whose time has come and that may run; null: none.
  using MayRun = std::function<bool(const Job&)>;
  Job* due(const MayRun& may_run);
  Job take(const Job& job);
  // When the next of those becomes due whose time has not come.
  TimePoint next_due() const;

 private:
  std::deque<Job>::iterator first_asked();

  std::deque<Job> jobs_;  // those that are judged again come first
};

// Equal for plans between which the device can see no difference.
std::string program_of(const VariantPlan& plan);

class Duplicates {
 public:
  void add(const std::string& program, const Trial& trial);
  // Gives `trial` the outcome of its twin, at no cost; metrics and objective are left, as they may
  // depend on the configuration. False when there is none.
  bool answer(const std::string& program, Trial& trial);
  std::size_t answered() const { return answered_; }
  // Places of parameters that make no other program: wherever two of their values were tried with
  // the same values of all others, which has happened to each value that was tried.
  std::vector<std::size_t> idle() const;

 private:
  bool is_idle(std::size_t parameter) const;

  std::map<std::string, Trial> measured_;
  std::vector<std::pair<Configuration, std::string>> programs_;  // of all trials
  std::size_t answered_ = 0;
};

}  // namespace tuner
