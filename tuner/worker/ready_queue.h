#pragma once
// What is compiled and waits for a device.

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/parameter.h"
#include "tuner/worker/job.h"

namespace tuner {

class ReadyQueue {
 public:
  void add(Job job);
  // Before all others but those that are judged again.
  void add_first(Job job);
  void reorder(std::span<const ConfigIndex> order);
  // Forgets all.
  void clear() { jobs_.clear(); }
  bool empty() const { return jobs_.empty(); }
  // Those that were asked for and have no answer yet.
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

}  // namespace tuner
