#pragma once
// Who hears what a run does: a terminal, a program that reads JSON lines, a test, an application.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/model/problem_size.h"
#include "tuner/model/trial.h"

namespace tuner {

struct SizeOutcome;

// What follows is about one problem size on one device.
struct RunPart {
  std::string title;      // "matmul on NVIDIA H200, M1024_N1024_K1024: 4096 valid configurations"
  std::string total;      // how many trials there may be
  bool is_search = true;  // else the strategy has no say: winners of other sizes are tried
  std::string device{};
  ProblemSize size{};
  std::optional<double> seconds{};  // that the search may take, where that is limited
};

// Where a part is once its search has ended.
struct AfterSearch {
  double seconds = 0;  // since begin()
  int done = 0;        // rounds of the final
  int rounds = 0;      // that the final will have; 0: the search has just ended
};

// Where something comes from: sizes that are tuned side by side have a lane each.
struct RunLane {
  std::size_t number = 0;  // from 1; 0: the run itself, which tunes one size after the other
  std::optional<ProblemSize> size{};  // that is tuned there

  bool operator==(const RunLane&) const = default;
};

class RunListener {
 public:
  virtual ~RunListener() = default;
  // What is told from now on is of this lane; at first it is of lane 0.
  virtual void turn_to(const RunLane&) {}
  virtual void note(const std::string& text) = 0;
  virtual void begin(const RunPart& part) = 0;
  // A step on the way to the first result is done: "device opened", "store opened", "compiler
  // ready"; of each size, unless its artifacts are kept, "reference compiled", "device prepared",
  // "first variant compiled".
  virtual void reached(std::string_view) {}
  // A trial came to its end, `seconds` after begin(). It is committed already.
  virtual void trial(const Trial& trial, double seconds) = 0;
  // Once when the search has ended, then for each round of a final.
  virtual void after_search(const AfterSearch& now) = 0;
  // The ranking of a part stands, and its CSV is written.
  virtual void ranked(const SizeOutcome& outcome) = 0;
};

}  // namespace tuner
