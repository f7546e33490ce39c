#pragma once
// Draws problem sizes of a domain: evenly by logarithm within the ranges, of the kinds by weight.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/problem_size.h"
#include "tuner/space/sampling.h"

namespace tuner {

namespace detail {
class KindOfSizes;
}

// "M 1 to 8192, N 64"
std::string ranges_text(const std::vector<ExtentRange>& extents);

// Sampler of a domain's sizes. Equal domains and seeds give equal sizes.
class SizeSampler {
 public:
  // After so many draws without one a kind counts as empty.
  static constexpr int kMostDraws = 1000;

  SizeSampler(const SizeDomain& domain, std::uint64_t seed);
  ~SizeSampler();
  SizeSampler(SizeSampler&&) noexcept;

  // A size of this kind. Rules of one dimension are solved, not tried: a kind as narrow as
  // `M % 1024 == 0` is found at once. Empty when there is none, or kMostDraws found none.
  std::optional<ProblemSize> draw_of(std::size_t kind);

  // A size of a kind that is chosen by weight; empty where that kind is.
  std::optional<ProblemSize> draw();

 private:
  SizeDomain domain_;
  std::vector<detail::KindOfSizes> kinds_;
  Rng rng_;
};

// At most `count` draws, each size once: a small domain has fewer.
std::vector<ProblemSize> distinct_sizes(const SizeDomain& domain, std::size_t count,
                                        std::uint64_t seed);

// A size that may be tuned for a domain.
struct PooledSize {
  ProblemSize size;
  std::size_t kind = 0;
  double weight = 1;
  bool taken = false;
};

// Draws the sizes that stand for a domain: as many of each kind; those of a kind share its weight.
std::vector<PooledSize> size_pool(const SizeDomain& domain, std::uint64_t seed);

}  // namespace tuner
