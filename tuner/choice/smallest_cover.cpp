// Finds the fewest configurations that serve all sizes within an allowed loss.

#include "tuner/choice/smallest_cover.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

namespace tuner {
namespace {

using Losses = std::vector<std::vector<double>>;
using Words = std::vector<std::uint64_t>;  // a bit for each row

Words rows_covered(const std::vector<double>& losses, double within) {
  Words words((losses.size() + 63) / 64);
  for (std::size_t r = 0; r < losses.size(); ++r) {
    if (losses[r] <= within) words[r / 64] |= std::uint64_t{1} << (r % 64);
  }
  return words;
}

int common_rows(const Words& a, const Words& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(a[i] & b[i]);
  return count;
}

double total(const std::vector<double>& losses, double within) {
  return std::accumulate(losses.begin(), losses.end(), 0.0,
                         [&](double sum, double loss) { return sum + std::min(loss, within); });
}

// Each step takes the configuration that covers most of what is left; of equals the fastest.
std::vector<std::size_t> greedy_cover(const Losses& losses, double within) {
  std::vector<Words> covered;
  // Of the rows that are left, when it was last counted: there are never more later.
  std::vector<int> counts(losses.size(), std::numeric_limits<int>::max());
  for (const auto& one : losses) {
    covered.push_back(rows_covered(one, within));
  }
  const auto is_slower = [&](std::size_t a, std::size_t b) {
    return !(total(losses[a], within) < total(losses[b], within));
  };
  Words open(covered.empty() ? 0 : covered[0].size(), ~std::uint64_t{0});
  std::vector<std::size_t> chosen;
  for (;;) {
    std::size_t best = losses.size();
    int most = 0;
    for (std::size_t c = 0; c < losses.size(); ++c) {
      if (counts[c] < most || counts[c] == 0) continue;
      const int count = counts[c] = common_rows(covered[c], open);
      if (count < most || count == 0) continue;
      if (count == most && is_slower(c, best)) continue;
      best = c;
      most = count;
    }
    if (most == 0) return chosen;
    chosen.push_back(best);
    for (std::size_t i = 0; i < open.size(); ++i) open[i] &= ~covered[best][i];
  }
}

// Branches over who covers the row with the fewest candidates, never deeper than a cover that is
// known already. Gives up, keeping that cover, after a million steps.
class ExactCover {
 public:
  ExactCover(const Losses& losses, double within, std::vector<std::size_t> known)
      : best_(std::move(known)) {
    for (std::size_t c = 0; c < losses.size(); ++c) {
      std::uint64_t mask = 0;
      for (std::size_t r = 0; r < losses[c].size(); ++r) {
        if (losses[c][r] <= within) mask |= std::uint64_t{1} << r;
      }
      if (mask != 0) candidates_.push_back({mask, total(losses[c], within), c});
    }
    // One for each set of rows, and none whose rows another covers as well.
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      const int x = std::popcount(a.rows);
      const int y = std::popcount(b.rows);
      return x != y ? x > y : a.loss < b.loss;
    });
    std::vector<Candidate> kept;
    for (const Candidate& one : candidates_) {
      const bool needless = std::ranges::any_of(
          kept, [&](const Candidate& other) { return (one.rows & ~other.rows) == 0; });
      if (!needless) kept.push_back(one);
    }
    candidates_ = std::move(kept);
  }

  std::vector<std::size_t> run() {
    std::uint64_t all = 0;
    for (const Candidate& one : candidates_) all |= one.rows;
    search(all);
    return best_;
  }

 private:
  struct Candidate {
    std::uint64_t rows;
    double loss;
    std::size_t configuration;
  };

  void search(std::uint64_t open) {
    if (++steps_ > 1000000) return;
    if (open == 0) {
      best_ = path_;
      return;
    }
    if (path_.size() + 1 >= best_.size()) return;  // cannot become shorter
    const std::uint64_t row = hardest(open);
    for (const Candidate& one : candidates_) {
      if ((one.rows & row) == 0) continue;
      path_.push_back(one.configuration);
      search(open & ~one.rows);
      path_.pop_back();
    }
  }

  std::uint64_t hardest(std::uint64_t open) const {
    std::uint64_t best = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
      const std::uint64_t row = rest & (~rest + 1);
      const auto count = static_cast<std::size_t>(std::ranges::count_if(
          candidates_, [&](const Candidate& one) { return (one.rows & row) != 0; }));
      if (count < fewest) {
        fewest = count;
        best = row;
      }
    }
    return best;
  }

  std::vector<Candidate> candidates_;
  std::vector<std::size_t> best_;
  std::vector<std::size_t> path_;
  int steps_ = 0;
};

std::vector<std::size_t> cover(const Losses& losses, double within) {
  std::vector<std::size_t> found = greedy_cover(losses, within);
  if (losses.empty() || losses[0].size() > 64) return found;
  return ExactCover(losses, within, std::move(found)).run();
}

}  // namespace

std::vector<std::size_t> smallest_cover(const Losses& losses, double within, std::size_t limit) {
  std::vector<std::size_t> chosen = cover(losses, within);
  if (limit == 0 || chosen.size() <= limit) return chosen;
  std::vector<double> thresholds;
  for (const auto& row : losses) {
    for (const double loss : row) {
      if (loss > within && loss < std::numeric_limits<double>::infinity()) {
        thresholds.push_back(loss);
      }
    }
  }
  std::ranges::sort(thresholds);
  // The smallest worst loss for which `limit` configurations are enough.
  std::size_t low = 0;
  std::size_t high = thresholds.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::vector<std::size_t> attempt = cover(losses, thresholds[middle]);
    if (attempt.size() <= limit) {
      chosen = std::move(attempt);
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (chosen.size() > limit) chosen.resize(limit);  // no one configuration is valid everywhere
  return chosen;
}

}  // namespace tuner
