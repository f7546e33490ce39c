// Solves the normal equations of a ridge regression.

#include "tuner/engine/ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace tuner {

std::vector<double> ridge_weights(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& values, double penalty) {
  const auto width = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(width, width);
  Eigen::VectorXd products = Eigen::VectorXd::Zero(width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> row(rows[i].data(), width);
    squares += row * row.transpose();
    products += row * values[i];
  }
  constexpr double kLeast = 1e-9;  // so that there is an answer
  squares.diagonal().array() += penalty;
  squares(0, 0) += kLeast - penalty;
  const Eigen::VectorXd solved = squares.ldlt().solve(products);
  return {solved.begin(), solved.end()};
}

}  // namespace tuner
