#pragma once
// A recorded search space: what each configuration did when someone measured it; its results as
// trials, as if this program had made them, and as prior knowledge for the search in another place.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/parameter.h"

namespace tuner {

// One recorded configuration. Its positions and samples are in the Recording's flat arrays: a
// recording of a million configurations must not be a million small vectors.
struct RecordedTrial {
  TrialState state = TrialState::kOk;
  // The recorded value (milliseconds for "time"); NaN unless the state is kOk.
  double objective = std::numeric_limits<double>::quiet_NaN();
  // Recorded compile + benchmark time, failures included; NaN when the file has neither.
  double cost_seconds = std::numeric_limits<double>::quiet_NaN();
  // Parts of cost_seconds: of compile workers, and of the device. The latter includes verification,
  // which the cost leaves out. NaN when the file does not contain them.
  double compile_seconds = std::numeric_limits<double>::quiet_NaN();
  double device_seconds = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t first_sample = 0;
  std::uint32_t sample_count = 0;
};

struct Recording {
  std::string name;    // file name without its endings
  std::string device;  // empty when the file does not contain it
  std::string kernel;
  std::string objective = "time";
  bool maximize = false;  // more of the objective is better; files other than our own do not say
  // Extents along x, y and z as Kernel Tuner has them, or under the names that a T4 file of this
  // program has; texts where they depend on the configuration. Empty when the file does not say.
  std::vector<std::pair<std::string, Value>> problem_size;
  std::vector<Parameter> parameters;
  std::vector<RecordedTrial> entries;    // in the order of the file
  std::vector<std::uint32_t> positions;  // value positions, parameters.size() for each entry
  std::vector<double> samples;           // single runs, milliseconds
  // Repairs and omissions, one sentence each, for the user.
  std::vector<std::string> notes;

  std::span<const std::uint32_t> positions_of(std::size_t entry) const {
    return std::span(positions).subspan(entry * parameters.size(), parameters.size());
  }
  std::span<const double> samples_of(std::size_t entry) const {
    return std::span(samples).subspan(entries[entry].first_sample, entries[entry].sample_count);
  }
  Configuration configuration(std::size_t entry) const;
};

// Finds a configuration's entry, of several the last. Does not outlive or follow changes of the
// recording.
class RecordingIndex {
 public:
  explicit RecordingIndex(const Recording& recording);
  std::optional<std::size_t> find(std::span<const std::uint32_t> positions) const;

 private:
  std::size_t slot_of(std::span<const std::uint32_t> positions) const;

  const Recording* recording_;
  std::vector<std::uint32_t> slots_;  // open addressing: entry + 1, or 0; a power of two
};

// One trial for each entry, in their order. What the file calls the time is the median, be it a
// mean or not; another objective is a metric. Trials are not scored by a study. Configurations are
// of these parameters, in their order: values are matched by text where the recording has texts; a
// parameter with a single value may be missing on either side. Throws InputError when another one
// cannot be matched.
std::vector<Trial> trials_of(const Recording& recording, const std::vector<Parameter>& parameters);

// A space to search, as far as it matters here: SearchSpace, RecordedSpace.
struct PriorTarget {
  const std::vector<Parameter>& parameters;
  std::function<std::optional<ConfigIndex>(std::span<const std::uint32_t>)> index_of;
};

template <typename Space>
PriorTarget prior_target(const Space& space) {
  return {space.parameters(),
          [&space](std::span<const std::uint32_t> positions) { return space.index_of(positions); }};
}

// Parameters are matched by name and values by equality; a parameter with a single value may be
// missing on either side, and of a recorded parameter that the space does not have the best value
// counts. Results are sorted by index; none when a parameter of the space was not recorded, or when
// the objectives have no ratio (zeros, both signs).
Prior prior_of(const Recording& recording, bool maximize, const PriorTarget& target,
               double likeness);

}  // namespace tuner
