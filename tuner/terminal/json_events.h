#pragma once
// What `--progress json` prints: one JSON object a line (docs/contract.md). Numbers are numbers.

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tuner/run/device_run.h"

namespace tuner {

class JsonEvents {
 public:
  explicit JsonEvents(std::FILE* out) : out_(out) {}

  void begin(const RunPart& part, const Study& study);
  void trial(const Trial& trial, double seconds);
  void note(const std::string& text);
  void round(int done, int rounds);
  void end(double seconds);
  void ranked(const SizeOutcome& outcome);
  // The run is over; nothing follows.
  void finish(int status);
  void error(const std::string& message, int status);

 private:
  const Study* study_ = nullptr;
  std::FILE* out_;
  RunPart part_;
  std::size_t done_ = 0;
  std::array<std::size_t, 8> states_{};
  std::optional<Trial> best_;
  std::vector<std::string> files_;
};

}  // namespace tuner
