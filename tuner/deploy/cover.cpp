// Chooses greedily: an exact search takes long and is rarely better.

#include "tuner/deploy/cover.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

namespace tuner {

LossRows::LossRows(const std::vector<std::vector<double>>& losses)
    : rows(losses.empty() ? 0 : losses.front().size()) {
  for (const std::vector<double>& mine : losses) {
    auto& kept = of.emplace_back();
    for (std::size_t r = 0; r < mine.size(); ++r) {
      if (mine[r] < std::numeric_limits<double>::infinity()) kept.emplace_back(r, mine[r]);
    }
  }
}

Covering covering_of_all(const LossRows& losses) {
  std::vector<std::size_t> able(losses.of.size());
  std::iota(able.begin(), able.end(), 0);
  return {losses, std::move(able)};
}

namespace {

using Words = std::vector<std::uint64_t>;  // a bit for each row

Words rows_covered(const Covering& covering, std::size_t configuration, double within) {
  Words words((covering.losses.rows + 63) / 64);
  for (const auto& [r, loss] : covering.losses.of[configuration]) {
    if (loss <= within && r != covering.without) words[r / 64] |= std::uint64_t{1} << (r % 64);
  }
  return words;
}

int common_rows(const Words& a, const Words& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(a[i] & b[i]);
  return count;
}

// Sums the losses of all rows, no more than `within` of each.
double total(const Covering& covering, std::size_t configuration, double within) {
  if (within == 0) return 0;
  double sum = 0;
  std::size_t next = 0;
  const auto add_up_to = [&](std::size_t end) {
    for (; next < end; ++next) sum += next == covering.without ? 0 : within;
  };
  for (const auto& [r, loss] : covering.losses.of[configuration]) {
    add_up_to(r);
    sum += r == covering.without ? 0 : std::min(loss, within);
    next = r + 1;
  }
  add_up_to(covering.losses.rows);
  return sum;
}

// Each step takes the configuration that covers most of what is left; of equals the fastest. An
// exact search found no smaller cover in any of the shipped results. Ends, unfinished, with one
// more than `enough`: callers have no use for so many.
std::vector<std::size_t> greedy_cover(const Covering& covering, double within, std::size_t enough) {
  const std::vector<std::size_t>& able = covering.able;
  std::vector<Words> covered;
  for (const std::size_t c : able) covered.push_back(rows_covered(covering, c, within));
  // Open rows that each one covers, when last counted: there are never more later.
  std::vector<int> counts(able.size(), std::numeric_limits<int>::max());
  const auto is_slower = [&](std::size_t a, std::size_t b) {
    return !(total(covering, able[a], within) < total(covering, able[b], within));
  };
  Words open(covered.empty() ? 0 : covered[0].size(), ~std::uint64_t{0});
  std::vector<std::size_t> chosen;
  while (chosen.size() <= enough) {
    std::size_t best = able.size();
    int most = 0;
    for (std::size_t i = 0; i < able.size(); ++i) {
      if (counts[i] < most || counts[i] == 0) continue;
      const int count = counts[i] = common_rows(covered[i], open);
      if (count < most || count == 0) continue;
      if (count == most && is_slower(i, best)) continue;
      best = i;
      most = count;
    }
    if (most == 0) break;
    chosen.push_back(able[best]);
    for (std::size_t i = 0; i < open.size(); ++i) open[i] &= ~covered[best][i];
  }
  return chosen;
}

// Returns the limit, or, where there is none, as many as there are.
std::size_t enough_for(const Covering& covering, std::size_t limit) {
  return limit == 0 ? covering.able.size() : limit;
}

// Whether it is plain that so few cannot cover all rows that can be: the rows of those that cover
// most are fewer, even if no two of them cover the same row.
bool are_too_few(const Covering& covering, double within, std::size_t few) {
  std::vector<bool> can_be(covering.losses.rows);
  std::vector<std::size_t> counts;
  for (const std::size_t c : covering.able) {
    std::size_t& count = counts.emplace_back();
    for (const auto& [r, loss] : covering.losses.of[c]) {
      if (loss > within || r == covering.without) continue;
      can_be[r] = true;
      ++count;
    }
  }
  std::ranges::sort(counts, std::greater());
  counts.resize(std::min(few, counts.size()));
  const auto most = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return most < static_cast<std::size_t>(std::ranges::count(can_be, true));
}

std::vector<double> losses_above(const Covering& covering, double within) {
  std::vector<double> out;
  for (const std::size_t c : covering.able) {
    for (const auto& [r, loss] : covering.losses.of[c]) {
      if (loss > within && r != covering.without) out.push_back(loss);
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<std::size_t> small_cover(const Covering& covering, double within, std::size_t limit) {
  const std::size_t enough = enough_for(covering, limit);
  std::vector<std::size_t> chosen = greedy_cover(covering, within, enough);
  if (chosen.size() <= enough) return chosen;
  const std::vector<double> thresholds = losses_above(covering, within);
  // The smallest worst loss for which `limit` configurations are enough.
  std::size_t low = 0;
  std::size_t high = thresholds.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    std::vector<std::size_t> attempt = greedy_cover(covering, thresholds[middle], limit);
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

std::vector<std::size_t> cover_or_best(const Covering& covering, double within, std::size_t limit,
                                       double most) {
  const std::size_t enough = enough_for(covering, limit);
  if (are_too_few(covering, within, enough)) return best_together(covering, limit, most);
  std::vector<std::size_t> chosen = greedy_cover(covering, within, enough);
  return chosen.size() <= enough ? chosen : best_together(covering, limit, most);
}

std::vector<std::size_t> best_together(const Covering& covering, std::size_t limit, double most,
                                       double least_gain) {
  const std::vector<std::size_t>& able = covering.able;
  std::vector<double> now(covering.losses.rows, most);
  if (covering.without < now.size()) now[covering.without] = 0;  // nothing is gained there
  // Gain of each one when last counted: it never grows later.
  std::vector<double> gains(able.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> chosen;
  while (chosen.size() < limit) {
    std::size_t best = able.size();
    double largest = least_gain;
    for (std::size_t i = 0; i < able.size(); ++i) {
      if (gains[i] <= largest) continue;
      double gain = 0;
      for (const auto& [r, loss] : covering.losses.of[able[i]])
        gain += std::max(0.0, now[r] - loss);
      gains[i] = gain;
      if (gain <= largest) continue;
      largest = gain;
      best = i;
    }
    if (best == able.size()) break;
    chosen.push_back(able[best]);
    for (const auto& [r, loss] : covering.losses.of[able[best]]) now[r] = std::min(now[r], loss);
  }
  return chosen;
}

}  // namespace tuner
