#pragma once
// Few configurations for many rows, such as the sizes that were tuned, that lose no more than is
// allowed.

#include <cstddef>
#include <utility>
#include <vector>

namespace tuner {

// Losses of configurations in rows: 0 for the best of a row. Most are valid in few of the rows, so
// that only these are kept.
struct LossRows {
  LossRows() = default;
  explicit LossRows(const std::vector<std::vector<double>>& losses);  // [configuration][row]

  std::size_t rows = 0;
  std::vector<std::vector<std::pair<std::size_t, double>>> of;  // rows and losses, in order
};

// Which configurations may be chosen for which rows.
struct Covering {
  static constexpr std::size_t kNone = ~std::size_t{0};
  const LossRows& losses;
  std::vector<std::size_t> able;  // in order
  std::size_t without = kNone;    // a row that does not count
};
Covering covering_of_all(const LossRows& losses);

// Few configurations so that each row has one that loses at most `within` (0.05: 5 %), chosen
// greedily, or, with a limit, `limit` ones with a small worst loss.
std::vector<std::size_t> small_cover(const Covering& covering, double within, std::size_t limit);

// Such a cover where `limit`, if there is one, is enough for it; else best_together().
std::vector<std::size_t> cover_or_best(const Covering& covering, double within, std::size_t limit,
                                       double most);

// One after the other what lowers the sum of the rows' losses most, and by more than `least_gain`:
// at most `limit`. A row that none serves loses `most`.
std::vector<std::size_t> best_together(const Covering& covering, std::size_t limit, double most,
                                       double least_gain = 0);

}  // namespace tuner
