#pragma once
// What a configuration is worth, by the search or by the final.
//
// The search measures each configuration for itself, the final the best few in turns. On a device
// at its limit of power, or warmer than it was, the two differ by a tenth: both are true, and they
// are not the same thing. Therefore they are two types, which do not compare with one another.

#include <compare>
#include <concepts>

namespace tuner {

template <typename Phase>
class Figure {
 public:
  Figure() = default;
  explicit Figure(double value) : value_(value) {}
  double value() const { return value_; }
  friend bool operator==(Figure a, Figure b) { return a.value_ == b.value_; }
  friend std::partial_ordering operator<=>(Figure a, Figure b) { return a.value_ <=> b.value_; }
  friend double operator/(Figure a, Figure b) { return a.value_ / b.value_; }

 private:
  double value_ = 0;
};

using SearchFigure = Figure<struct SearchPhase>;
using FinalFigure = Figure<struct FinalPhase>;

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a < b;
};
static_assert(Comparable<SearchFigure, SearchFigure> && !Comparable<SearchFigure, FinalFigure>);
static_assert(!Comparable<FinalFigure, double> && !std::convertible_to<double, FinalFigure>);

}  // namespace tuner
