#pragma once
// What `--progress json` prints: one JSON object a line (docs/contract.md). Numbers are numbers.

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tuner/commands/search_tally.h"
#include "tuner/run/device_run.h"

namespace tuner {

class JsonEvents {
 public:
  explicit JsonEvents(std::FILE* out) : out_(out) {}
  JsonEvents(const JsonEvents&) = delete;
  JsonEvents& operator=(const JsonEvents&) = delete;

  void hear(const RunEvent& event, const Study& study);
  // The run is over; nothing follows.
  void finish(int status);
  void error(const std::string& message, int status);

 private:
  void begin(const RunEvent& event, const Study& study);
  void trial(const RunEvent& event, const Study& study);
  void text(const char* kind, const char* key, const RunEvent& event);
  void round(const RunEvent& event);
  void end(const RunEvent& event, const Study& study);
  void ranked(const SizeOutcome& outcome, const Study& study);

  std::FILE* out_;
  std::map<std::size_t, SearchTally> tallies_;  // of each lane
  std::vector<std::string> files_;
};

}  // namespace tuner
