#pragma once
// The sizes that an application has asked an exported header or launcher for, what they cost, and
// what they lose (docs/export-header.md).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

// A way in which a size was answered: the word of the export ("near_size"), how often.
struct AskedAnswer {
  std::string how;
  std::optional<Configuration> configuration{};  // nothing: the study has no such one any more
  std::uint64_t count = 0;
};

// A size that was asked for on a device.
struct AskedSize {
  std::string device;  // its name; empty where the application knew its compute capability only
  int compute_capability = 0;
  ProblemSize size;
  std::vector<AskedAnswer> answers{};  // the most frequent first

  std::uint64_t count() const;
  bool is_missed() const;  // whether any answer was not exact
  bool is_on(const DeviceFacts& facts) const;
};

// Reads files that a program with TUNER_COUNT_ASKED has written for the study's kernel, as one:
// each size of a device once. Throws InputError with every mistake of a file.
std::vector<AskedSize> read_asked(const std::vector<std::string>& files, const Study& study);

// The time of a launch of a size, by what is known of a device.
struct AskedTime {
  double ms = 0;  // 0: nothing is known of any size of the device
  // Whether it is that of the nearest measured size, in proportion to the product of the extents.
  bool is_estimate = false;
};
AskedTime time_of(const ProblemSize& size, const std::vector<const RankedResults*>& known);

// The cost of the answers of a size, against the best that is known for it.
struct AskedLoss {
  AskedTime best;
  bool is_tuned = false;       // there are results of this size and device
  std::vector<double> losses;  // of each answer: 0.05 = 5 % slower; NaN: it was not measured here
  double total_ms = 0;         // count * time of all answers whose loss is known
  double lost_ms = 0;          // of that, what the best would have saved
};
// `known`: all results of the device.
AskedLoss loss_of_asked(const Study& study, const AskedSize& asked,
                        const std::vector<const RankedResults*>& known);

// A size to tune, with its share of what all sizes from here on cost.
struct AskedWork {
  AskedSize asked;
  double cost_ms = 0;  // count * time; the count alone where no time is known
  double share = 1;
};
// Returns the missed sizes of a device, the costliest first.
std::vector<AskedWork> missed_on(const DeviceFacts& device, const std::vector<AskedSize>& asked,
                                 const std::vector<const RankedResults*>& known);

}  // namespace tuner
