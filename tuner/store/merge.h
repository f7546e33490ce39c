#pragma once
// Merges trials that others have measured into a store.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "tuner/store/store.h"

namespace tuner {

struct MergeReport {
  std::uint64_t contexts = 0;      // of the other store
  std::uint64_t new_contexts = 0;  // of these, not there before
  std::uint64_t added = 0;         // trials
  std::uint64_t replaced = 0;      // by a newer one
  std::uint64_t kept = 0;          // the one that is there is as new or newer
  std::uint64_t damaged = 0;       // left out
  // Trials dated later than now, by a clock that was ahead, and the last of these dates. They count
  // as recorded now.
  std::uint64_t ahead = 0;
  std::string furthest{};
  // Ratios, the other store's time over this store's, for each configuration that both measured
  // (not merely hold) and found valid.
  std::vector<double> ratios{};
};

// Copies the trials of another results folder or database, in one transaction: all or none. Where
// both have the same configuration of the same context, the one that was recorded later stays. The
// other store is only read. Throws InputError when both are the same file, and FatalError when the
// other one cannot be read or is from a newer program.
MergeReport merge_store(Store& into, const std::filesystem::path& other);

// Trials of one context.
struct TrialBatch {
  ContextKey key;
  std::vector<Trial> trials;
  RankedBy ranked_by{};
};

// Records all of them in one transaction: all or none.
void record_all(Store& into, std::span<const TrialBatch> batches);

}  // namespace tuner
