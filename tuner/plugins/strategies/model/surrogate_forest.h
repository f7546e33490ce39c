#pragma once
// Extremely randomised regression trees (Geurts, Ernst, Wehenkel 2006) on value positions.

#include <vector>

#include "tuner/plugins/strategies/model/encoding.h"

namespace tuner::strategies {

class Forest {
 public:
  struct Prediction {
    double mean = 0;
    double deviation = 0;  // between the trees
  };

  // `ordered[p]`: splits of parameter p keep the order of its places; others split off one value.
  Forest(const std::vector<Point>& points, const std::vector<double>& values,
         const std::vector<bool>& ordered, std::size_t trees, std::size_t smallest_leaf, Rng& rng);

  Prediction predict(const Point& point) const;

 private:
  struct Node {
    std::uint32_t parameter = 0;
    std::uint8_t place = 0;  // left: below it (ordered) or equal to it
    bool ordered = true;
    std::uint32_t left = 0;  // 0: a leaf
    std::uint32_t right = 0;
    double value = 0;
  };
  struct Builder;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace tuner::strategies
