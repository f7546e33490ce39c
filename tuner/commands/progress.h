#pragma once
// The display of a run while it goes on: one live line on a terminal, plain lines elsewhere, or
// JSON lines for programs.

#include <array>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/stopwatch.h"
#include "tuner/base/terminal_text.h"
#include "tuner/run/device_run.h"

namespace tuner {

// Counts of a search so far, and a line about them.
class SearchTally {
 public:
  // `study` outlives this.
  SearchTally(const RunPart& part, const Study& study);

  void add(const Trial& trial);
  // After so many seconds: "12/90  best 0.1 ms  12 ok  3.2/s  ETA 24.0 s  BLOCK=128".
  std::string text(double seconds) const;
  std::size_t done() const { return done_; }
  const std::array<std::size_t, kTrialStates>& states() const { return states_; }
  const std::optional<Trial>& best() const { return best_; }

 private:
  friend struct TallySum;

  double fresh() const { return static_cast<double>(done_ - recalled_); }
  double rate(double seconds) const;  // measured a second; 0 where that is not known yet
  // Seconds until the search ends at the latest; nothing where that is not known yet.
  std::optional<double> remaining(double seconds) const;

  const Study* study_;
  std::string total_text_;
  double total_;
  std::optional<double> seconds_;  // that the search may take
  std::size_t done_ = 0;
  std::size_t recalled_ = 0;
  std::array<std::size_t, kTrialStates> states_{};
  std::optional<Trial> best_{};
};

// Searches that are under way at the same time.
struct TallySum {
  std::size_t searches = 0;
  std::size_t done = 0;
  std::size_t recalled = 0;
  double total = 0;
  double rate = 0;
  std::optional<double> remaining{};  // of the one that takes longest
  std::array<std::size_t, kTrialStates> states{};

  void add(const SearchTally& search, double seconds);
  // "3 sizes: 57/270  50 ok  7 dropped  12/s  ETA 10.0 s".
  std::string text() const;
};

// 12.3 s, 4 min 05 s, 2 h 03 min
std::string duration_text(double seconds);

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
  std::FILE* out_;
  std::map<std::size_t, SearchTally> tallies_;  // of each lane
  std::vector<std::string> files_;
};

class Progress {
 public:
  enum class Style { kNone, kLive, kPlain };
  // `choice` as --progress takes it; "auto" looks whether `out` is a terminal.
  Progress(const std::string& choice, const Colours& colours, std::FILE* out);

  // Shows an event. If sizes are tuned side by side, plain lines name their size; the live line is
  // about all.
  void hear(const RunEvent& event, const Study& study);
  // About the whole run.
  void note(const std::string& text);

  // The writer of JSON events, which also reports the end of the command; null: the display is for
  // people.
  JsonEvents* programs() { return events_ ? &*events_ : nullptr; }

 private:
  // The state of a lane's size.
  struct Lane {
    std::string label{};  // "n10: "; empty: there are no others
    std::optional<SearchTally> tally{};
    bool is_searching = false;
    double elapsed = 0;  // at its last trial
    double last_line = -1e9;
    std::string final{};  // "round 3 of 10" while it is held
    std::optional<Stopwatch> since_round{};
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
  void put(const std::string& text);
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
