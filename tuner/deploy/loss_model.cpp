// Evaluates launches at a size and beside it; fits Gaussian processes, and compares them on groups
// that were left out.

#include "tuner/deploy/loss_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/resolve/resolve.h"

namespace tuner {

namespace {

constexpr int kMostTwos = 8;  // multiples of more than 256 are all alike
// Extents that are whole tiles of most sizes, and many of any. A launch of so many may be refused;
// then fewer tell.
constexpr std::array<std::int64_t, 2> kManyTiles{315 << 20, 315 << 12};

// Returns the part of an extent that one of its tiles covers. The last tile is rarely full, so that
// their quotient is no whole number; the one nearest to it is right if it makes as many tiles.
double whole_tile(double extent, double tiles) {
  const double whole = std::round(extent / tiles);
  const double made = std::ceil(2 * extent / whole) - std::ceil(extent / whole);
  return made == tiles ? whole : extent / tiles;
}

// How a number that depends on the size grows with one dimension.
template <typename CountAt>
double growth_along(std::size_t dimension, ProblemSize size, const CountAt& count_at) {
  std::int64_t& extent = size.dims[dimension].second;
  const std::int64_t first = extent;
  extent = 1;
  const double others = count_at(size);
  for (const std::int64_t many : kManyTiles) {
    const std::int64_t large = (first / many + 1) * many;
    extent = 2 * large;
    const double twice = count_at(size);
    extent = large;
    const double step = twice - count_at(size);
    if (step > 0 && others > 0) return whole_tile(static_cast<double>(large), step / others);
  }
  return 0;
}

template <typename CountAt>
Tiles growth_of(const ProblemSize& size, const CountAt& count_at) {
  Tiles out;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    out.tile.push_back(growth_along(d, size, count_at));
  }
  return out;
}

// Counts the blocks that a multiprocessor can hold by their threads and dynamic shared memory.
double resident_blocks(const LaunchGeometry& launch, const DeviceFacts& device) {
  const auto threads = static_cast<double>(launch.threads_per_block());
  double blocks = std::min(static_cast<double>(device.max_blocks_per_multiprocessor),
                           static_cast<double>(device.max_threads_per_multiprocessor) / threads);
  if (launch.dynamic_shared_bytes > 0) {
    blocks = std::min(blocks, static_cast<double>(device.shared_memory_per_multiprocessor) /
                                  static_cast<double>(launch.dynamic_shared_bytes));
  }
  return std::max(1.0, std::floor(blocks));
}

void add_launch(const LaunchGeometry& launch, const DeviceFacts& device, std::vector<double>& out) {
  const double blocks = blocks_of(launch);
  const double waves =
      blocks / (static_cast<double>(device.multiprocessors) * resident_blocks(launch, device));
  out.push_back(std::log2(blocks));
  out.push_back(std::log2(static_cast<double>(launch.threads_per_block())));
  out.push_back(std::log2(std::max(1.0, waves)));
  out.push_back(std::log2(std::ceil(waves) / waves));
}

// Numbers as logarithms, all else as the place among the values.
void add_parameters(const Study& study, const Configuration& configuration,
                    std::vector<double>& out) {
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const Parameter& parameter = study.parameters[p];
    if (parameter.ordered()) {
      const double number = to_number(configuration[p]);
      out.push_back(std::copysign(std::log2(1 + std::fabs(number)), number));
      continue;
    }
    for (const Value& value : parameter.values) out.push_back(configuration[p] == value ? 1 : 0);
  }
}

}  // namespace

double blocks_of(const LaunchGeometry& launch) {
  return static_cast<double>(launch.grid[0]) * static_cast<double>(launch.grid[1]) *
         static_cast<double>(launch.grid[2]);
}

double pieces_of(const Study& study, const Bindings& names) {
  if (study.work.empty()) {
    const auto launch = geometry(study.launch, names);
    return launch ? blocks_of(*launch) : 0;
  }
  const auto value = study.work.evaluate(names);
  return value ? std::max(0.0, to_number(*value)) : 0;
}

Tiles tiles_of(const Study& study, const Configuration& configuration, const DeviceFacts& device,
               const ProblemSize& size) {
  return growth_of(size, [&](const ProblemSize& other) {
    return pieces_of(study, bindings_of(study, configuration, device, other));
  });
}

Tiles tiles_of_grid(const Study& study, const Configuration& configuration,
                    const DeviceFacts& device, const ProblemSize& size) {
  return growth_of(size, [&](const ProblemSize& other) {
    const auto launch = geometry(study.launch, bindings_of(study, configuration, device, other));
    return launch ? blocks_of(*launch) : 0;
  });
}

double waste_of(double tile, std::int64_t extent) {
  if (tile <= 1) return 0;
  const double tiles = static_cast<double>(extent) / tile;
  return std::log2(std::ceil(tiles) / tiles);
}

std::vector<double> launch_features(const Study& study, const Configuration& configuration,
                                    const DeviceFacts& device, const ProblemSize& size) {
  std::vector<double> out;
  for (const auto& [name, extent] : size.dims) {
    out.push_back(std::log2(static_cast<double>(extent)));
    out.push_back(std::min(kMostTwos, std::countr_zero(static_cast<std::uint64_t>(extent))));
  }
  const auto launch = geometry(study.launch, bindings_of(study, configuration, device, size));
  if (launch) {
    add_launch(*launch, device, out);
  } else {
    out.insert(out.end(), 4, 0.0);
  }
  const Tiles tiles = tiles_of(study, configuration, device, size);
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    out.push_back(waste_of(tiles.tile[d], size.dims[d].second));
  }
  add_parameters(study, configuration, out);
  return out;
}

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kFolds = 4;

// Parameters of a covariance of standardised features and values: variances of the parts, and a
// width in units of the mean distance between two points.
struct Kernel {
  double linear = 1;
  double smooth = 0;
  double width = 1;
  double noise = 0.05;
};

constexpr Kernel kKernels[]{
    {1, 0, 1, 0.1}, {0.3, 1, 1, 0.02}, {0.3, 1, 0.5, 0.02}, {0.3, 1, 0.25, 0.02}};

// How two points vary together, by their inner product and squared distance.
template <typename Inner, typename Apart>
auto covariance(const Kernel& kernel, double dimensions, const Inner& inner, const Apart& apart) {
  using Result = typename Inner::PlainObject;
  Result out = (inner.array() / dimensions + 1) * kernel.linear;
  if (kernel.smooth == 0) return out;
  const double scale = 2 * dimensions * kernel.width * kernel.width;
  out.array() += kernel.smooth * (-apart.array().max(0) / scale).exp();
  return out;
}

// Inner products and squared distances of all pairs of points, which every kernel needs.
struct Pairs {
  double dimensions = 1;
  MatrixXd inner;
  MatrixXd apart;

  explicit Pairs(const MatrixXd& points)
      : dimensions(static_cast<double>(std::max<Eigen::Index>(1, points.cols()))),
        inner(points * points.transpose()),
        apart(-2 * inner) {
    apart.colwise() += inner.diagonal();
    apart.rowwise() += inner.diagonal().transpose();
  }
};

struct Process {
  Eigen::LLT<MatrixXd> factor;
  VectorXd weights;

  Process(const Kernel& kernel, MatrixXd own, const VectorXd& values) {
    own.diagonal().array() += kernel.noise;
    factor.compute(own);
    weights = factor.solve(values);
  }
};

// Mean squared error at groups that were left out. `all`: how the points vary together.
double error_of(const Kernel& kernel, const MatrixXd& all, const VectorXd& values,
                const std::vector<ModelPoint>& from) {
  double sum = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Eigen::Index> inside;
    std::vector<Eigen::Index> outside;
    for (std::size_t i = 0; i < from.size(); ++i) {
      (from[i].group % kFolds == fold ? outside : inside).push_back(static_cast<Eigen::Index>(i));
    }
    if (inside.empty() || outside.empty()) continue;
    const Process process(kernel, all(inside, inside), values(inside));
    const VectorXd told = all(outside, inside) * process.weights;
    sum += (told - values(outside)).squaredNorm();
  }
  return sum;
}

}  // namespace

struct LossModel::Fit {
  VectorXd centre;
  VectorXd scale;
  double mean = 0;
  double spread = 1;
  MatrixXd points;   // one in a column
  VectorXd lengths;  // squared
  double dimensions = 1;
  Kernel kernel;
  std::unique_ptr<const Process> process;

  VectorXd standardised(const std::vector<double>& features) const {
    const Eigen::Map<const VectorXd> given(features.data(), centre.size());
    return (given - centre).cwiseQuotient(scale);
  }
  VectorXd with_all(const VectorXd& point) const {
    const VectorXd inner = points.transpose() * point;
    const VectorXd apart = (lengths - 2 * inner).array() + point.squaredNorm();
    return covariance(kernel, dimensions, inner, apart);
  }
  double with_itself(const VectorXd& point) const {
    return kernel.linear * (point.squaredNorm() / dimensions + 1) + kernel.smooth;
  }
};

LossModel::LossModel(const std::vector<ModelPoint>& points) {
  auto fit = std::make_unique<Fit>();
  const auto count = static_cast<Eigen::Index>(points.size());
  MatrixXd features(count, static_cast<Eigen::Index>(points.front().features.size()));
  VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const ModelPoint& point = points[static_cast<std::size_t>(i)];
    features.row(i) =
        Eigen::Map<const VectorXd>(point.features.data(), features.cols()).transpose();
    values(i) = point.value;
  }
  fit->centre = features.colwise().mean().transpose();
  features.rowwise() -= fit->centre.transpose();
  fit->scale = features.array().square().colwise().mean().sqrt().matrix().transpose();
  for (double& scale : fit->scale) scale = scale > 1e-9 ? scale : 1;
  features.array().rowwise() /= fit->scale.transpose().array();
  fit->mean = values.mean();
  fit->spread = std::sqrt((values.array() - fit->mean).square().mean());
  if (!(fit->spread > 1e-9)) fit->spread = 1;
  values = (values.array() - fit->mean) / fit->spread;
  const Pairs pairs(features);
  MatrixXd best;
  double least = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : kKernels) {
    MatrixXd all = covariance(kernel, pairs.dimensions, pairs.inner, pairs.apart);
    const double error = error_of(kernel, all, values, points);
    if (best.size() > 0 && !(error < least)) continue;
    fit->kernel = kernel;
    best = std::move(all);
    least = error;
  }
  fit->process = std::make_unique<const Process>(fit->kernel, std::move(best), values);
  fit->points = features.transpose();
  fit->lengths = pairs.inner.diagonal();
  fit->dimensions = pairs.dimensions;
  fit_ = std::move(fit);
}

LossModel::~LossModel() = default;
LossModel::LossModel(LossModel&&) noexcept = default;
LossModel& LossModel::operator=(LossModel&&) noexcept = default;

double LossModel::mean(const std::vector<double>& features) const {
  const VectorXd with_all = fit_->with_all(fit_->standardised(features));
  return fit_->mean + fit_->spread * with_all.dot(fit_->process->weights);
}

double LossModel::deviation(const std::vector<double>& features) const {
  const VectorXd point = fit_->standardised(features);
  const VectorXd with_all = fit_->with_all(point);
  const VectorXd known = fit_->process->factor.matrixL().solve(with_all);
  return fit_->spread * std::sqrt(std::max(0.0, fit_->with_itself(point) - known.squaredNorm()));
}

}  // namespace tuner
