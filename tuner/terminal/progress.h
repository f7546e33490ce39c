#pragma once
// What a user sees while a run goes on: one live line on a terminal, plain lines elsewhere, or
// JSON lines for programs.

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

#include "tuner/base/colours.h"
#include "tuner/terminal/json_events.h"

namespace tuner {

class Progress {
 public:
  enum class Style { kNone, kLive, kPlain };
  // `choice` as --progress takes it; "auto" looks whether `out` is a terminal.
  Progress(const std::string& choice, const Colours& colours, std::FILE* out);

  void begin(const RunPart& part, const Study& study);
  void trial(const Trial& trial, double elapsed_seconds);
  void note(const std::string& text);
  void end(double elapsed_seconds);
  void round(int done, int rounds);
  void ranked(const SizeOutcome& outcome);

  // The end of the command, with its exit status; the error that ended it, if one did. For
  // programs: people are told by other means.
  bool is_for_programs() const { return events_.has_value(); }
  void finish(int status);
  void error(const std::string& message, int status);

  // 12.3 s, 4 min 05 s, 2 h 03 min
  static std::string duration_text(double seconds);

 private:
  std::string status(double elapsed_seconds) const;
  // Seconds until the search ends at the latest; nothing where that is not known yet.
  std::optional<double> remaining(double elapsed_seconds) const;
  void line(double elapsed_seconds, bool force);
  void erase();

  Style style_;
  Colours colours_;
  std::FILE* out_;
  std::optional<JsonEvents> events_;
  const Study* study_ = nullptr;
  std::string total_text_;
  double total_ = 0;
  std::optional<double> seconds_;  // that the search may take
  std::size_t done_ = 0;
  std::size_t recalled_ = 0;
  std::array<std::size_t, 8> states_{};
  bool have_best_ = false;
  Trial best_;
  double last_line_ = -1e9;
  std::chrono::steady_clock::time_point last_round_{};
  bool line_shown_ = false;
};

// Does the work of a command with a progress of this choice. For programs what ends it is an event,
// too, errors included; else errors are the caller's. Returns the exit status.
int with_progress(const std::string& choice, const Colours& colours,
                  const std::function<int(Progress&)>& work);

}  // namespace tuner
