// Frees one coefficient after the other from 0, the one that gains most first, and solves for those
// that are free.

#include "tuner/choice/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

namespace tuner {
namespace {

using Free = std::vector<Eigen::Index>;  // coefficients that are not held at 0

constexpr double kTiny = 1e-300;

// Without regard to signs.
Eigen::VectorXd solved_for(const Free& free, const Eigen::MatrixXd& squares,
                           const Eigen::VectorXd& products) {
  const auto count = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd part(count, count);
  Eigen::VectorXd wanted(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    wanted(i) = products(free[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < count; ++j) {
      part(i, j) = squares(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen::VectorXd values = part.ldlt().solve(wanted);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(products.size());
  for (Eigen::Index i = 0; i < count; ++i) out(free[static_cast<std::size_t>(i)]) = values(i);
  return out;
}

// As far towards `goal`, where some would be negative, as none is; the first that comes to 0 is
// held there.
void move_towards(const Eigen::VectorXd& goal, Eigen::VectorXd& at, Free& free) {
  const auto share = [&](Eigen::Index i) {
    return goal(i) <= 0 ? at(i) / std::max(at(i) - goal(i), kTiny) : 1;
  };
  const auto first = std::ranges::min_element(free, {}, share);
  at += share(*first) * (goal - at);
  at(*first) = 0;
  free.erase(first);
  at = at.cwiseMax(0);
}

// The best of all that are not negative; `squares` is positive definite.
Eigen::VectorXd least(const Eigen::MatrixXd& squares, const Eigen::VectorXd& products) {
  constexpr double kNoGain = 1e-12;
  Eigen::VectorXd at = Eigen::VectorXd::Zero(products.size());
  Free free;
  // Each freed once, as a rule; the bound is for what rounding might do.
  for (Eigen::Index step = 0; step < 10 * products.size(); ++step) {
    Eigen::VectorXd gain = products - squares * at;
    for (const Eigen::Index i : free) gain(i) = 0;
    Eigen::Index most = 0;
    if (gain.maxCoeff(&most) <= kNoGain) break;
    free.push_back(most);
    for (Eigen::VectorXd goal = solved_for(free, squares, products);;
         goal = solved_for(free, squares, products)) {
      const bool fits = std::ranges::all_of(free, [&](Eigen::Index i) { return goal(i) > 0; });
      if (fits) at = goal;
      if (fits) break;
      move_towards(goal, at, free);
    }
  }
  return at;
}

}  // namespace

std::vector<double> nonnegative_coefficients(const std::vector<std::vector<double>>& rows,
                                             const std::vector<double>& values,
                                             const std::vector<double>& usual, double penalty) {
  const auto width = static_cast<Eigen::Index>(usual.size());
  Eigen::MatrixXd table(static_cast<Eigen::Index>(rows.size()), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(rows[i].data(), width);
  }
  // Columns whose largest entry is 1, since they may be of very different sizes.
  Eigen::VectorXd scale = table.colwise().maxCoeff();
  for (double& one : scale) one = one > 0 ? one : 1;
  table.array().rowwise() /= scale.transpose().array();
  Eigen::MatrixXd squares = table.transpose() * table;
  squares.diagonal().array() += penalty;
  const Eigen::Map<const Eigen::VectorXd> wanted(values.data(),
                                                 static_cast<Eigen::Index>(values.size()));
  const Eigen::VectorXd products =
      table.transpose() * wanted +
      penalty * scale.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(usual.data(), width));
  const Eigen::VectorXd solved = least(squares, products).cwiseQuotient(scale);
  return {solved.begin(), solved.end()};
}

}  // namespace tuner
