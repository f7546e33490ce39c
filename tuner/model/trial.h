#pragma once
// The result of one configuration.

#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/space/parameter.h"

namespace tuner {

// A configuration's worth by the search or by the final. The search measures each configuration for
// itself, the final the best few in turns. On a device at its limit of power, or warmer than it
// was, the two differ by a tenth: both are true, and they are not the same thing. Therefore they
// are two types, which do not compare with one another.
template <typename Phase>
class Figure {
 public:
  Figure() = default;
  explicit Figure(double value) : value_(value) {}
  double value() const { return value_; }
  friend bool operator==(Figure a, Figure b) { return a.value_ == b.value_; }
  friend std::partial_ordering operator<=>(Figure a, Figure b) { return a.value_ <=> b.value_; }
  friend double operator/(Figure a, Figure b) { return a.value_ / b.value_; }

 private:
  double value_ = 0;
};

using SearchFigure = Figure<struct SearchPhase>;
using FinalFigure = Figure<struct FinalPhase>;

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};
static_assert(Comparable<SearchFigure, SearchFigure> && !Comparable<SearchFigure, FinalFigure>);
static_assert(!Comparable<FinalFigure, double> && !std::convertible_to<double, FinalFigure>);

// How one configuration ended. The numbers cross the plugin boundary and are stored: append only.
enum class TrialState : std::uint32_t {
  kOk = 0,
  kConstraints = 1,  // over a device limit: never launched
  kCompile = 2,
  kLaunch = 3,   // the driver refused the launch
  kRuntime = 4,  // illegal access, trap, crash
  kTimeout = 5,
  kCorrectness = 6,  // wrong answer
  kDropped = 7,      // clearly slower than the best: stopped early, still a valid configuration
  kSuspect = 8,      // right, and faster than the device can be: not ranked
};

inline constexpr std::size_t kTrialStates = 9;
std::string_view name_of(TrialState state);
std::optional<TrialState> trial_state_named(std::string_view name);
// kOk or kDropped: right answers and a time.
constexpr bool is_valid_state(TrialState state) {
  return state == TrialState::kOk || state == TrialState::kDropped;
}

// The least time that a clock can show, and less than any launch takes: a shorter "time" was never
// measured.
inline constexpr double kLeastMilliseconds = 1e-9;
// Whether a launch may have taken that time: finite, and not below what a clock can show.
bool is_time(double milliseconds);

// Most samples of one configuration that a study may request.
inline constexpr std::int64_t kMostSamples = 1000000;

// Times of one configuration, in milliseconds of device time per launch.
struct Timing {
  std::vector<double> samples;
  double median = 0;
  double ci_low = 0;
  double ci_high = 0;
  double min = 0;
  // Number of samples where they are not at hand: a CSV only counts them.
  std::uint64_t counted = 0;
};

std::uint64_t sample_count(const Timing& timing);

// The device's clock and power while something was timed; 0 = not known.
struct Conditions {
  double clock_mhz = 0;  // of the multiprocessors
  double watts = 0;      // of the board
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

using Metrics = std::vector<std::pair<std::string, double>>;

// The pattern of a wrong answer, beside the message that shows one of its elements. The numbers are
// sent and stored: append only.
enum class Evidence : std::uint32_t {
  kNone = 0,        // nothing that is known
  kNan = 1,         // NaN, which outputs start as
  kUnwritten = 2,   // some elements were not written
  kPlaces = 3,      // the right values in other places
  kRounding = 4,    // little is wrong, compared with the largest value
  kNowAndThen = 5,  // right in other launches, or in another order of threads
  kEverywhere = 6,  // all elements are wrong
  kAdds = 7,        // right where outputs start as zeros
  kDirty = 8,       // right where workspaces of 'zero: never' are zeroed
};
inline constexpr std::uint32_t kEvidences = 9;

// All that a device says of one configuration: what a worker answers, and what a trial keeps.
struct Measured {
  TrialState state = TrialState::kOk;
  // The times of the search. A ranked CSV may hold only the median of a finalist, or no time: 0.
  Timing timing;
  Resources resources;
  double max_error = -1;  // largest |value - expected| over all outputs; -1 = not compared
  std::string message;    // why it failed
  // The pattern of a wrong answer; nothing: it is not wrong, or nobody looked, as in results of
  // older programs.
  std::optional<Evidence> evidence{};
  double watts = 0;         // mean power while it ran nothing else; 0 = not measured
  Metrics observed{};       // what observers saw, by the metrics' names
  Conditions conditions{};  // of the search's samples
  // Whether each launch left the same bits in the outputs; nothing: the study does not check that,
  // or no launch was looked at because it was dropped.
  std::optional<bool> deterministic{};
};

// The last final's findings about a configuration that took part in it.
struct FinalResult {
  std::vector<double>
      samples;  // milliseconds, one for each round: paired with the others' by place
  FinalFigure median_ms;
  FinalFigure ci_low_ms;
  FinalFigure ci_high_ms;
  Metrics metrics;
  FinalFigure objective;
};

// Who proposed a configuration from outside of the search, and how many seconds after the search's
// begin its result was there.
struct Advised {
  std::string by;
  double after_s = 0;
  friend bool operator==(const Advised&, const Advised&) = default;
};

struct Trial : Measured {
  ConfigIndex index = 0;
  Configuration configuration;
  Metrics metrics;
  SearchFigure objective;  // as the study names it; only for kOk and kDropped
  std::optional<FinalResult> final{};
  LaunchGeometry geometry;
  std::int64_t image_bytes = -1;  // of the compiled program; -1 = not known
  double occupancy = -1;          // share of the multiprocessor's threads; -1 = not known
  Metrics counters{};             // of the device, by their names there, where they were read
  std::string device_uuid{};      // of the device that the search measured it on; empty: not known
  // Factor by which its times were multiplied, to be compared with those of another device of the
  // model: 0 where they are as they were measured.
  double device_scale = 0;
  double compile_ms = 0;
  bool cache_hit = false;
  double cost_seconds = 0;  // tuning time that it took
  bool from_store = false;  // answered by an earlier run
  // Files that its compilation read beyond what the context's source digest covers, and the names
  // that would have come before these: it counts only as long as all of them are as they were.
  std::vector<FileState> further_files;
  bool sources_known = true;  // false: what it was compiled from is not known, so it counts once
  // The reference's median time in the run that measured this, milliseconds; nothing: not timed.
  std::optional<double> reference_ms{};
  // The device's least time, where the study says what has to be done at least and the device's
  // ceilings are known.
  std::optional<DeviceLimit> limit{};
  std::optional<Advised> advised{};  // nothing: the search asked for it, or the baseline did
  // Valid, but from when the device was faster or slower than it is now: not to be compared with
  // what was measured since, and not ranked. `message` says so.
  bool outdated = false;
  // True for a configuration that the study does not have any more: kept, and part of no ranking.
  bool outside = false;
};

inline bool is_valid(const Trial& trial) { return is_valid_state(trial.state); }

// The figures that are shown of a valid trial: by the final where it took part, else by the search.
// Shown values are printed, never compared: two of them may be of different phases.
struct Shown {
  bool by_final = false;
  double median_ms = 0;
  double ci_low_ms = 0;
  double ci_high_ms = 0;
  std::uint64_t samples = 0;
  Metrics metrics{};
  double objective = 0;
};
Shown shown(const Trial& trial);

// The limit's time over the trial's, as it is shown; nothing: it failed, or none is known.
std::optional<double> share_of_limit(const Trial& trial);
// For people: "81% memory"; empty where nothing is known.
std::string share_text(const Trial& trial);

// For people: "BM=64 BN=64 SHARED=static".
std::string configuration_text(const std::vector<Parameter>& parameters,
                               const Configuration& configuration);

}  // namespace tuner
