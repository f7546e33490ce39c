#pragma once
// What a study's own expressions say of a configuration at a problem size, in numbers that a model
// can learn from.

#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"

namespace tuner {

// How one dimension becomes blocks: `tile` extents make one block, so that the last block has some
// to spare; 0 where the grid does not depend on the dimension.
struct Tiles {
  std::vector<double> tile;  // by dimension
};

// Asks the grid expressions, which may do with a dimension what they like: the tile is what one
// block more takes when the dimension is large. The other dimensions are as in `size`.
Tiles tiles_of(const Study& study, const Configuration& configuration, const DeviceFacts& device,
               const ProblemSize& size);

// log2 of what is started over what is needed, in this dimension: 0 where the tiles fit.
double waste_of(double tile, std::int64_t extent);

// The dimensions' logarithms and how often 2 divides them; blocks and threads; waves of blocks on
// the device and how full the last one is; waste of the tiles; the parameters. As many numbers for
// every configuration and size of a study. Where the launch has no value its features are 0.
std::vector<double> launch_features(const Study& study, const Configuration& configuration,
                                    const DeviceFacts& device, const ProblemSize& size);

}  // namespace tuner
