#pragma once
// What came of one configuration.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/launch.h"
#include "tuner/space/parameter.h"

namespace tuner {

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
};

std::string_view name_of(TrialState state);
std::optional<TrialState> trial_state_named(std::string_view name);

// No clock tells less than this, and no launch takes it: a shorter "time" was never measured.
inline constexpr double kLeastMilliseconds = 1e-9;
// Whether that is a time that a launch may have taken: finite, and not below what a clock can tell.
bool is_time(double milliseconds);

// How many samples of one configuration a study may ask for.
inline constexpr std::int64_t kMostSamples = 1000000;

// Times of one configuration, in milliseconds of device time per launch.
struct Timing {
  std::vector<double> samples;
  double median = 0;
  double ci_low = 0;
  double ci_high = 0;
  double min = 0;
  // How many samples there were, where they are not at hand: a CSV only counts them.
  std::uint64_t counted = 0;
};

std::uint64_t sample_count(const Timing& timing);

struct Trial {
  ConfigIndex index = 0;
  Configuration configuration;
  TrialState state = TrialState::kOk;
  Timing timing;
  // Of the last final, where this one took part: one sample for each round, paired with the other
  // finalists' by place.
  std::vector<double> final_samples;
  // What `objective` was before the first final, by which finalists are chosen.
  std::optional<double> search_objective;
  std::vector<std::pair<std::string, double>> metrics;
  double objective = 0;  // as the study names it; only for kOk and kDropped
  LaunchGeometry geometry;
  Resources resources;
  double occupancy = -1;  // share of the multiprocessor's threads; -1 = not known
  double watts = 0;       // mean power while it ran; 0 = not measured
  double compile_ms = 0;
  bool cache_hit = false;
  double max_error = -1;    // largest |value - expected| over all outputs; -1 = not compared
  std::string message;      // why it failed
  double cost_seconds = 0;  // tuning time that it took
  bool from_store = false;  // answered by an earlier run
  // What its compilation read beyond what the context's source digest covers, and the names that
  // would have come before these: it counts only as long as all of them are as they were.
  std::vector<FileState> further_files;
  bool sources_known = true;  // false: what it was compiled from is not known, so it counts once
  // Valid, but from when the device was faster or slower than it is now: not to be compared with
  // what was measured since, and not ranked. `message` says so.
  bool outdated = false;
};

// For people: "BM=64 BN=64 SHARED=static".
std::string configuration_text(const std::vector<Parameter>& parameters,
                               const Configuration& configuration);

}  // namespace tuner
