#pragma once
// Two sets of results side by side: what one's best is to the other's.

#include <optional>
#include <string>
#include <vector>

#include "tuner/history/stored_results.h"
#include "tuner/model/figures.h"

namespace tuner {

// The kind of results that are compared: finals with finals, else searches with searches.
// `kUnlike`: the two sides have no kind in common.
enum class Basis { kFinal, kSearch, kUnlike };

struct BestOf {
  std::string device;
  std::optional<MeasuredFigure> figure;  // empty: nothing valid
  std::vector<std::string> parameters;
  Configuration configuration;
};

struct BestPair {
  std::string kernel;
  ProblemSize size;
  ObjectiveSpec objective;
  BestOf a, b;
  Basis basis = Basis::kUnlike;
  std::optional<Speedup> b_over_a;         // how many times better b is
  std::vector<std::string> configuration;  // "BM: 64 -> 128" of what is not the same
  std::vector<std::string> context;        // "driver: 580.65 -> 590.10"
};

struct Compared {
  std::vector<BestPair> common;             // in a's order
  std::vector<std::string> only_a, only_b;  // "matmul on NVIDIA H200, M1024": not on the other side
};

// Pairs what has one kernel and size: results of the same device where both sides have it, else
// those of each device with each.
Compared compare(const std::vector<StoredResults>& a, const std::vector<StoredResults>& b);

// Compares two medians that were measured apart from each other, by the method of variance
// estimates recovery (Zou and Donner 2008) on their logarithms.
Speedup speed_up(const MeasuredFigure& a, const MeasuredFigure& b, bool maximize);

// `a` and `b` are what the user calls the two sides.
std::string comparison_text(const Compared& compared, const std::string& a, const std::string& b);
// Lists the pairs whose B is worse by more than this share even at the good end of the interval,
// one a line behind a first one; empty: there are none.
std::string over_limit_text(const Compared& compared, double limit);

}  // namespace tuner
