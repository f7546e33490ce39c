#pragma once
// What has come of a search so far, and a line about it for people; and one about several searches
// side by side.

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "tuner/model/study.h"
#include "tuner/run/listener.h"

namespace tuner {

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

}  // namespace tuner
