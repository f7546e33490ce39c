#pragma once
// A small Gaussian process, whose kernel is chosen by cross-validation over groups.

#include <cstddef>
#include <memory>
#include <vector>

namespace tuner {

// One measured point: features, a value, and the group (problem size) it belongs to.
struct ModelPoint {
  std::vector<double> features;
  double value = 0;
  std::size_t group = 0;
};

class LossModel {
 public:
  // Tries a linear kernel (a ridge regression) and smooth ones of several widths beside it; the one
  // that tells best what groups are like that it has not seen is taken. `points` must not be empty.
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
