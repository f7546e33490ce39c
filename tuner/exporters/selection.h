#pragma once
// What an exported header's select() answers, computed here: for reports and verification.

#include <cstddef>
#include <optional>
#include <string_view>

#include "tuner/exporters/tuned_table.h"

namespace tuner {

enum class Match { kExact, kNearSize, kNearDevice, kFallback, kUnsupported };  // as in the header
std::string_view name_of(Match match);

struct Selection {
  std::size_t configuration = 0;  // in TunedTable::configurations
  Match how = Match::kUnsupported;
  std::optional<std::size_t> entry;  // in TunedTable::entries
  int tier = 4;                      // 0 same device ... 3 older, 4 none
  double log2_distance_sq = 0;       // weighted
};

// The size's dimensions in the order of the table's.
Selection select(const Study& study, const TunedTable& table, const DeviceFacts& device,
                 const ProblemSize& size);

// Constraints and the launch limits of CUDA: the header's valid().
bool may_launch(const Study& study, const Configuration& configuration, const DeviceFacts& device,
                const ProblemSize& size);

}  // namespace tuner
