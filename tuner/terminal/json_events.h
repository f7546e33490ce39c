#pragma once
// What `--progress json` prints: one JSON object a line (docs/contract.md). Numbers are numbers.

#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/run/device_run.h"

namespace tuner {

class JsonEvents {
 public:
  explicit JsonEvents(std::FILE* out) : out_(out) {}
  JsonEvents(const JsonEvents&) = delete;
  JsonEvents& operator=(const JsonEvents&) = delete;

  void turn_to(const RunLane& lane);
  void begin(const RunPart& part, const Study& study);
  void reached(std::string_view step);
  void trial(const Trial& trial, double seconds);
  void note(const std::string& text);
  void round(int done, int rounds);
  void end(double seconds);
  void ranked(const SizeOutcome& outcome);
  // The run is over; nothing follows.
  void finish(int status);
  void error(const std::string& message, int status);

 private:
  // What is known of a lane's size.
  struct Lane {
    RunPart part{};
    std::size_t done = 0;
    std::array<std::size_t, 8> states{};
    std::optional<Trial> best{};
  };

  const Study* study_ = nullptr;
  std::FILE* out_;
  std::map<std::size_t, Lane> lanes_;
  Lane* now_ = &lanes_[0];
  std::optional<ProblemSize> size_;  // of sizes side by side the one that is told of
  std::vector<std::string> files_;
};

}  // namespace tuner
