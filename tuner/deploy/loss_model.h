#pragma once
// Numbers that a study's own expressions give for a configuration at a problem size, and a model
// that learns from these: a small Gaussian process, whose kernel is chosen by cross-validation over
// groups.

#include <cstddef>
#include <memory>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"

namespace tuner {

// How one dimension becomes blocks, or pieces of work: `tile` extents make one, so that the last
// one has some to spare; 0 where their number does not depend on the dimension.
struct Tiles {
  std::vector<double> tile;  // by dimension
};

double blocks_of(const LaunchGeometry& launch);

// Counts the pieces that the blocks share out with these names (bindings_of()): the study's `work`,
// else the blocks; 0 where that has no value.
double pieces_of(const Study& study, const Bindings& names);

// Finds tiles by evaluating pieces_of(), whose expressions may do with a dimension what they like:
// the tile is what one piece more takes when the dimension is large. The other dimensions are as in
// `size`.
Tiles tiles_of(const Study& study, const Configuration& configuration, const DeviceFacts& device,
               const ProblemSize& size);

// Finds tiles of blocks as tiles_of() finds those of pieces.
Tiles tiles_of_grid(const Study& study, const Configuration& configuration,
                    const DeviceFacts& device, const ProblemSize& size);

// log2 of what is started over what is needed, in this dimension: 0 where the tiles fit.
double waste_of(double tile, std::int64_t extent);

// The dimensions' logarithms and how often 2 divides them; blocks and threads; waves of blocks on
// the device and how full the last one is; waste of the tiles; the parameters. As many numbers for
// every configuration and size of a study. Where the launch has no value its features are 0.
std::vector<double> launch_features(const Study& study, const Configuration& configuration,
                                    const DeviceFacts& device, const ProblemSize& size);

// One measured point: features, a value, and the group (problem size) it belongs to.
struct ModelPoint {
  std::vector<double> features;
  double value = 0;
  std::size_t group = 0;
};

class LossModel {
 public:
  // Tries a linear kernel (a ridge regression) and smooth ones of several widths beside it; the one
  // that predicts unseen groups best is taken. `points` must not be empty.
  explicit LossModel(const std::vector<ModelPoint>& points);
  ~LossModel();
  LossModel(LossModel&&) noexcept;
  LossModel& operator=(LossModel&&) noexcept;

  double mean(const std::vector<double>& features) const;
  // How far the value there may be from the mean. The more points, the more times longer this takes
  // than the mean.
  double deviation(const std::vector<double>& features) const;

 private:
  struct Fit;
  std::unique_ptr<const Fit> fit_;
};

}  // namespace tuner
