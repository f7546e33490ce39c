#pragma once
// A recorded search space: what each configuration did when someone measured it. The reader takes
// Kernel Tuner caches (also ones that are still being written) and T4 results, plain or gzipped.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/space/parameter.h"

namespace tuner {

// One recorded configuration. Its positions and samples are in the Recording's flat arrays: a
// recording of a million configurations must not be a million small vectors.
struct RecordedTrial {
  TrialState state = TrialState::kOk;
  // As recorded (milliseconds for "time"); NaN unless the state is kOk.
  double objective = std::numeric_limits<double>::quiet_NaN();
  // Recorded compile + benchmark time, failures included; NaN when the file has neither.
  double cost_seconds = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t first_sample = 0;
  std::uint32_t sample_count = 0;
};

struct Recording {
  std::string name;    // file name without its endings
  std::string device;  // empty when the file does not say
  std::string kernel;
  std::string objective = "time";
  bool maximize = false;  // more of the objective is better; files other than our own do not say
  std::vector<Parameter> parameters;
  std::vector<RecordedTrial> entries;    // in the order of the file
  std::vector<std::uint32_t> positions;  // value positions, parameters.size() for each entry
  std::vector<double> samples;           // single runs, milliseconds
  // What had to be repaired or left out, one sentence each, for the user.
  std::vector<std::string> notes;

  std::span<const std::uint32_t> positions_of(std::size_t entry) const {
    return std::span(positions).subspan(entry * parameters.size(), parameters.size());
  }
  std::span<const double> samples_of(std::size_t entry) const {
    return std::span(samples).subspan(entries[entry].first_sample, entries[entry].sample_count);
  }
  Configuration configuration(std::size_t entry) const;
};

// Finds a configuration's entry. Does not outlive or follow changes of the recording.
class RecordingIndex {
 public:
  explicit RecordingIndex(const Recording& recording);
  std::optional<std::size_t> find(std::span<const std::uint32_t> positions) const;

 private:
  const Recording* recording_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> entries_;  // by hash of the positions
};

// Parameters keep the file's order; where the file does not list their values (T4), these are
// collected from the results, numbers ascending. Of a configuration recorded twice the later entry
// counts, as when the file is read as a map. A file that ends too early yields its complete entries
// and a note. `path` may also be a results directory or its database, with "#kernel/device/size"
// where it holds more than one (store_recording.h). Throws InputError for anything else that is
// wrong (position, what was expected), and FatalError when the file cannot be read. Without an
// objective it is the one that a store or a T4 file of this program is ranked by, else the time.
Recording read_recording(const std::filesystem::path& path, const std::string& objective = {});

// The same for text in memory; `name` is for messages.
Recording parse_recording(std::string text, const std::string& name,
                          const std::string& objective = {});

}  // namespace tuner
