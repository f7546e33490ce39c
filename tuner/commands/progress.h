#pragma once
// What a user sees while a run goes on: one live line on a terminal, plain lines elsewhere, or
// JSON lines for programs.

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/terminal_text.h"
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

class Progress {
 public:
  enum class Style { kNone, kLive, kPlain };
  // `choice` as --progress takes it; "auto" looks whether `out` is a terminal.
  Progress(const std::string& choice, const Colours& colours, std::FILE* out);

  // Of sizes side by side plain lines say which one they are about; the live line is about all.
  void hear(const RunEvent& event, const Study& study);
  // About the whole run.
  void note(const std::string& text);

  // The end of the command, with its exit status; the error that ended it, if one did. For
  // programs: people are told by other means.
  bool is_for_programs() const { return events_.has_value(); }
  void finish(int status);
  void error(const std::string& message, int status);

 private:
  // What is known of a lane's size.
  struct Lane {
    std::string label{};  // "n10: "; empty: there are no others
    std::optional<SearchTally> tally{};
    bool is_searching = false;
    double elapsed = 0;  // at its last trial
    double last_line = -1e9;
    std::string final{};  // "round 3 of 10" while it is held
    std::chrono::steady_clock::time_point last_round{};
  };

  void begin(Lane& lane, const RunPart& part, const Study& study);
  void trial(Lane& lane, const Trial& trial, double elapsed);
  void round(Lane& lane, int done, int rounds);
  void end(Lane& lane, double elapsed);
  std::size_t at_work() const;
  std::string text_of_all() const;
  double pause() const;
  void line(Lane& lane, double elapsed, bool force);
  void show(const std::string& text);
  void print_note(const std::string& text);
  void erase();

  Style style_;
  Colours colours_;
  std::FILE* out_;
  std::optional<JsonEvents> events_;
  std::map<std::size_t, Lane> lanes_;
  bool line_shown_ = false;
};

// Does the work of a command with a progress of this choice. For programs what ends it is an event,
// too, errors included; else errors are the caller's. Returns the exit status.
int with_progress(const std::string& choice, const Colours& colours,
                  const std::function<int(Progress&)>& work);

}  // namespace tuner
