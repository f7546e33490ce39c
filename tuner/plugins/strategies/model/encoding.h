#pragma once
// The input of a model: configurations as points with coordinates, and results as values to be
// explained.

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/plugins/strategies/parts/history.h"
#include "tuner/plugins/strategies/parts/moves.h"

namespace tuner::strategies {

// ---- configurations -----------------------------------------------------------------------------

// A coordinate of one parameter: where each of its values stands, between 0 and 1. An unordered
// parameter has none: its values are all one apart.
struct Coordinate {
  std::size_t parameter = 0;  // number among the free parameters
  std::vector<double> place;  // by value position; empty for an unordered parameter
};

// Points are value positions of the free parameters, as bytes (a longer list of values is coarsened
// to 256 places).
using Point = std::vector<std::uint8_t>;

class Encoding {
 public:
  explicit Encoding(const Moves& moves);

  // Coordinates: for each free parameter one for its size (logarithmic where values span a wide
  // positive range), and for whole numbers that are not all equally even one for how often 2
  // divides them, which is what alignment, vector widths and full warps depend on.
  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  std::size_t parameters() const { return sizes_.size(); }
  std::size_t size_of(std::size_t parameter) const { return sizes_[parameter]; }

  const Space& space() const { return space_; }
  Point point(Index index) const;
  std::vector<Point> points(std::span<const Index> indices) const;

 private:
  void add_parameter(std::uint32_t parameter);

  Space space_;
  std::vector<std::uint32_t> free_;
  std::vector<std::size_t> sizes_;   // places of each free parameter, at most 256
  std::vector<std::size_t> counts_;  // values of each
  std::vector<Coordinate> coordinates_;
};

// ---- results ------------------------------------------------------------------------------------

struct TargetShape {
  double flatten = 0.5;  // slope above the median, where details do not matter
  double failure = 1.0;  // place of failures: 0 at the median, 1 at the worst valid value
  bool stretch = false;  // differences near the best count more: they decide who wins
};

struct ShapedValues {
  Eigen::VectorXf values;
  bool logarithms = false;
};

// Small is good; infinity: it failed. Logarithms where all valid values have one sign (of negative
// ones, which come from maximising, minus that of their size), flattened above the median.
// Stretched: log(1 + x), where x is how far a value is behind the best, as a multiple of what the
// median is.
ShapedValues shaped(const std::vector<double>& values, const TargetShape& shape);

// Mean 0 and variance 1; all 0 when they do not differ.
Eigen::VectorXf standardised(Eigen::VectorXf values);

std::vector<double> values_of(const std::vector<History::Entry>& entries);

// The values at these places.
Eigen::VectorXf picked(const Eigen::VectorXf& values, const std::vector<std::size_t>& which);

}  // namespace tuner::strategies
