// Fits Gaussian processes, and compares them on groups that were left out.

#include "tuner/engine/loss_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kFolds = 4;

// Of standardised features and values: variances of the parts, and a width in units of the mean
// distance between two points.
struct Kernel {
  double linear = 1;
  double smooth = 0;
  double width = 1;
  double noise = 0.05;
};

constexpr Kernel kKernels[]{
    {1, 0, 1, 0.1}, {0.3, 1, 1, 0.02}, {0.3, 1, 0.5, 0.02}, {0.3, 1, 0.25, 0.02}};

MatrixXd covariance(const Kernel& kernel, const MatrixXd& a, const MatrixXd& b) {
  const auto dimensions = static_cast<double>(std::max<Eigen::Index>(1, a.cols()));
  const MatrixXd inner = a * b.transpose();
  MatrixXd out = (inner.array() / dimensions + 1) * kernel.linear;
  if (kernel.smooth == 0) return out;
  MatrixXd apart = -2 * inner;
  apart.colwise() += a.rowwise().squaredNorm();
  apart.rowwise() += b.rowwise().squaredNorm().transpose();
  const double scale = 2 * dimensions * kernel.width * kernel.width;
  return out.array() + kernel.smooth * (-apart.array().max(0) / scale).exp();
}

struct Process {
  Kernel kernel;
  MatrixXd points;
  Eigen::LLT<MatrixXd> factor;
  VectorXd weights;

  Process(const Kernel& with, MatrixXd at, const VectorXd& values)
      : kernel(with), points(std::move(at)) {
    MatrixXd own = covariance(kernel, points, points);
    own.diagonal().array() += kernel.noise;
    factor.compute(own);
    weights = factor.solve(values);
  }
  VectorXd means(const MatrixXd& at) const { return covariance(kernel, at, points) * weights; }
  double variance(const MatrixXd& at) const {
    const VectorXd across = covariance(kernel, points, at).col(0);
    const double own = covariance(kernel, at, at)(0, 0);
    return std::max(0.0, own - across.dot(factor.solve(across)));
  }
};

MatrixXd rows_of(const MatrixXd& all, const std::vector<Eigen::Index>& rows) {
  MatrixXd out(static_cast<Eigen::Index>(rows.size()), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out.row(static_cast<Eigen::Index>(i)) = all.row(rows[i]);
  return out;
}

// Mean squared error at groups that were left out.
double error_of(const Kernel& kernel, const MatrixXd& points, const VectorXd& values,
                const std::vector<ModelPoint>& from) {
  double sum = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Eigen::Index> inside;
    std::vector<Eigen::Index> outside;
    for (std::size_t i = 0; i < from.size(); ++i) {
      (from[i].group % kFolds == fold ? outside : inside).push_back(static_cast<Eigen::Index>(i));
    }
    if (inside.empty() || outside.empty()) continue;
    const Process process(kernel, rows_of(points, inside), rows_of(values, inside));
    const VectorXd told = process.means(rows_of(points, outside));
    sum += (told - VectorXd(rows_of(values, outside))).squaredNorm();
  }
  return sum;
}

}  // namespace

struct LossModel::Fit {
  VectorXd centre;
  VectorXd scale;
  double mean = 0;
  double spread = 1;
  std::unique_ptr<const Process> process;

  MatrixXd standardised(MatrixXd points) const {
    points.rowwise() -= centre.transpose();
    points.array().rowwise() /= scale.transpose().array();
    return points;
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
  const MatrixXd off = features.rowwise() - fit->centre.transpose();
  fit->scale = (off.array().square().colwise().mean().sqrt()).matrix().transpose();
  for (double& scale : fit->scale) scale = scale > 1e-9 ? scale : 1;
  features = fit->standardised(std::move(features));
  fit->mean = values.mean();
  fit->spread = std::sqrt((values.array() - fit->mean).square().mean());
  if (!(fit->spread > 1e-9)) fit->spread = 1;
  values = (values.array() - fit->mean) / fit->spread;
  const Kernel* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : kKernels) {
    const double error = error_of(kernel, features, values, points);
    if (best != nullptr && !(error < least)) continue;
    best = &kernel;
    least = error;
  }
  fit->process = std::make_unique<const Process>(*best, std::move(features), values);
  fit_ = std::move(fit);
}

LossModel::~LossModel() = default;
LossModel::LossModel(LossModel&&) noexcept = default;
LossModel& LossModel::operator=(LossModel&&) noexcept = default;

Guess LossModel::at(const std::vector<double>& features) const {
  const MatrixXd point = fit_->standardised(
      Eigen::Map<const VectorXd>(features.data(), static_cast<Eigen::Index>(features.size()))
          .transpose());
  return {fit_->mean + fit_->spread * fit_->process->means(point)(0),
          fit_->spread * std::sqrt(fit_->process->variance(point))};
}

}  // namespace tuner
