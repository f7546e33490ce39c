#pragma once
// The numerical parts of the score.

#include <cstddef>
#include <span>
#include <vector>

namespace tuner::bench {

std::vector<double> evenly_spaced(double first, double last, std::size_t count);

// Monotone piecewise cubic interpolation (Fritsch, Carlson 1980; harmonic slopes) through at least
// three points with rising x.
std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                   std::span<const double> at);

struct RankAtTime {
  double seconds = 0;
  double rank = 0;
};

// Least-squares fit that never rises (pool adjacent violators), linear between the points, constant
// outside.
std::vector<double> falling_fit(std::vector<RankAtTime> points, std::span<const double> at);

}  // namespace tuner::bench
