#pragma once
// Expansion of a group: level by level, all states of one and then all of the next, or from a list
// of its combinations.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/domains.h"
#include "tuner/space/group_plan.h"

namespace tuner::detail {

// Building stopped early.
struct BuildStopped {
  enum class Why { kCancelled, kMemory, kCombinations };
  Why why = Why::kCancelled;
};

// Counts the bytes that construction holds and checks whether it should go on.
class BuildMonitor {
 public:
  BuildMonitor(std::size_t limit, const std::function<bool()>& cancelled)
      : limit_(limit), cancelled_(cancelled) {}

  // Throw BuildStopped.
  void hold(std::size_t bytes) {
    held_ += bytes;
    if (held_ > peak_) peak_ = held_;
    if (held_ > limit_) throw BuildStopped{BuildStopped::Why::kMemory};
  }
  void poll() const {
    if (cancelled_ && cancelled_()) throw BuildStopped{};
  }

  void release(std::size_t bytes) { held_ -= bytes; }
  std::size_t limit() const { return limit_; }
  std::size_t peak() const { return peak_; }
  std::size_t held() const { return held_; }

 private:
  std::size_t limit_;
  const std::function<bool()>& cancelled_;
  std::size_t held_ = 0;
  std::size_t peak_ = 0;
};

// ---- expansion ----------------------------------------------------------------------------------

struct Edge {
  std::uint32_t position;  // of the parameter's value
  std::uint32_t child;     // state of the next level
};

// Edges of one level's states: those of state s are [first[s], first[s + 1]), positions ascending.
struct Layer {
  std::vector<std::uint64_t> first;
  std::vector<Edge> edges;
};

inline std::size_t bytes_of(const Layer& layer) {
  return layer.first.capacity() * sizeof(std::uint64_t) + layer.edges.capacity() * sizeof(Edge);
}

// One layer for each level. Ends early (fewer layers) when no state survives.
std::vector<Layer> expand(const GroupPlan& plan, const std::vector<Domain>& domains,
                          const OpaqueEvaluator& opaque, BuildMonitor& monitor);

// ---- from a list of combinations ----------------------------------------------------------------

// The layers of a group, in its parameters' order, when one of its conditions is such a list of
// all of its parameters: then only what is in the list is looked at, instead of every value of
// each. Empty where none is.
std::optional<std::vector<Layer>> expand_rows(const TermGraph& graph,
                                              std::span<const TermId> conditions,
                                              std::span<const std::uint32_t> group,
                                              const std::vector<Domain>& domains,
                                              const OpaqueEvaluator& opaque, BuildMonitor& monitor);

}  // namespace tuner::detail
