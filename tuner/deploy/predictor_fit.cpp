// Evaluates the study's expressions for tiles, and fits the parts of a predictor to what was
// measured.

#include "tuner/deploy/predictor_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "tuner/deploy/loss_model.h"
#include "tuner/deploy/selection.h"
#include "tuner/resolve/objective.h"

namespace tuner {

namespace {

using Free = std::vector<Eigen::Index>;  // coefficients that are not held at 0

constexpr double kTiny = 1e-300;

// Without regard to signs.
Eigen::VectorXd solved_for(const Free& free, const Eigen::MatrixXd& squares,
                           const Eigen::VectorXd& products) {
  const Eigen::MatrixXd part = squares(free, free);
  const Eigen::VectorXd wanted = products(free);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(products.size());
  const Eigen::VectorXd values = part.ldlt().solve(wanted);
  out(free) = values;
  return out;
}

// Moves towards `goal` only so far that none becomes negative; the first that comes to 0 is held
// there.
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

std::vector<double> nonnegative_coefficients(const CoefficientRows& rows,
                                             const std::vector<double>& values,
                                             const std::vector<double>& usual, double penalty) {
  const auto width = static_cast<Eigen::Index>(usual.size());
  Eigen::MatrixXd table(static_cast<Eigen::Index>(rows.size()), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXd>(rows[i]->data(), width);
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

namespace {

// How much a configuration's predictor is pulled towards that of all: where it was measured at few
// sizes, these do not tell its parts apart.
constexpr double kPull = 0.3;
constexpr double kLeastPull = 4e-4;  // of all, towards nothing, so that there is an answer

std::vector<double> fitted(const CoefficientRows& rows, const std::vector<double>& usual,
                           double pull) {
  return nonnegative_coefficients(rows, std::vector<double>(rows.size(), 1), usual, pull);
}

// Returns the work of a tile: a block's work in this unit is its steps, by which configurations
// compare.
double tile_of(const Predictor& predictor) {
  double product = 1;
  for (const std::int64_t tile : predictor.pieces.tiles) {
    if (tile > 0) product *= static_cast<double>(tile);
  }
  return product;
}

// Makes the tiling that gives the counts at all sizes. If these need different counts for a tile,
// it is not made of tiles.
Tiling tiling_of(const Tiles& tiles,
                 const std::vector<std::pair<const ProblemSize*, double>>& counts) {
  Tiling out;
  for (const double tile : tiles.tile) {
    const double whole = std::round(tile);
    const bool is_tile = whole >= 1 && whole < 1e9 && std::fabs(tile - whole) < 1e-6;
    out.tiles.push_back(is_tile ? static_cast<std::int64_t>(whole) : 0);
  }
  std::set<std::int64_t> each;
  for (const auto& [size, count] : counts) {
    std::int64_t left = std::llround(count);
    for (std::size_t d = 0; d < out.tiles.size(); ++d) {
      const std::int64_t tile = out.tiles[d];
      if (tile == 0) continue;
      const std::int64_t needed = (size->dims[d].second + tile - 1) / tile;
      left = left % needed == 0 ? left / needed : 0;
    }
    each.insert(left);
  }
  out.count = each.size() == 1 ? *each.begin() : 0;
  return out;
}

}  // namespace

PredictorFit::PredictorFit(const Study& study, const std::vector<const RankedResults*>& results)
    : study_(study), results_(results), names_(results.size()) {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    for (const Trial& trial : results_[i]->trials) {
      if (!is_valid(trial) || trial.outdated) continue;
      std::vector<Measured>& all = trials_[trial.configuration];
      if (all.empty() || all.back().result != i) all.push_back({i, &trial});
    }
  }
}

const std::vector<PredictorFit::Measured>& PredictorFit::measured(
    const Configuration& configuration) const {
  static const std::vector<Measured> none;
  const auto at = trials_.find(configuration);
  return at == trials_.end() ? none : at->second;
}

double PredictorFit::cost(std::size_t result, const Configuration& configuration) const {
  const std::vector<Measured>& all = measured(configuration);
  const auto at = std::ranges::lower_bound(all, result, {}, &Measured::result);
  if (at == all.end() || at->result != result) return std::numeric_limits<double>::quiet_NaN();
  return cost_of(study_.objective, *at->trial).value();
}

PredictorFit::Lessons PredictorFit::look_at(const DeviceFacts& device,
                                            const Configuration& configuration) {
  Lessons out;
  std::vector<std::pair<const ProblemSize*, double>> blocks;
  std::vector<std::pair<const ProblemSize*, double>> pieces;
  const ProblemSize* any = nullptr;
  const std::vector<Measured>& all = measured(configuration);
  auto next = all.begin();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const RankedResults& one = *results_[i];
    if (!is_one_model(one.device, device)) continue;
    any = &one.size;
    if (!names_[i]) names_[i].emplace(study_, device, one.size);
    const Bindings& names = names_[i]->of(configuration);
    const auto launch = geometry(study_.launch, names);
    if (!launch) continue;
    blocks.emplace_back(&one.size, blocks_of(*launch));
    pieces.emplace_back(&one.size, pieces_of(study_, names));
    while (next != all.end() && next->result < i) ++next;
    if (next == all.end() || next->result != i) continue;
    const Trial& trial = *next->trial;
    const double cost = cost_of(study_.objective, trial).value();
    // A file may hold the final's figure only.
    if (std::isfinite(cost) && cost > 0) out.lessons.push_back({i, cost});
    if (!(trial.occupancy > 0)) continue;
    const double resident = trial.occupancy *
                            static_cast<double>(device.max_threads_per_multiprocessor) /
                            static_cast<double>(launch->threads_per_block());
    out.predictor.resident = std::max<std::int64_t>(1, std::llround(resident));
  }
  if (any == nullptr) return out;
  out.predictor.blocks = tiling_of(tiles_of_grid(study_, configuration, device, *any), blocks);
  out.predictor.pieces = tiling_of(tiles_of(study_, configuration, device, *any), pieces);
  for (Lesson& lesson : out.lessons) {
    lesson.shares =
        predictor_features(out.predictor, device.multiprocessors, results_[lesson.result]->size);
    lesson.shares[kWorkOfBlock] /= tile_of(out.predictor);
    for (double& feature : lesson.shares) feature /= lesson.cost;
  }
  return out;
}

const PredictorFit::Lessons& PredictorFit::lessons_of(const DeviceFacts& device,
                                                      const Configuration& configuration) {
  const auto [at, fresh] =
      known_.try_emplace({device.name + std::to_string(device.compute_capability), configuration});
  if (fresh) at->second = look_at(device, configuration);
  return at->second;
}

void PredictorFit::add_predictors(const TunedTable& table, std::size_t device,
                                  std::optional<std::size_t> without, LearnedSelector& out) {
  std::set<std::size_t> used;
  for (const TunedEntry& entry : table.entries) {
    if (entry.device == device) used.insert(entry.configuration);
  }
  std::vector<std::pair<std::size_t, CoefficientRows>>
      measured;  // configurations, and their lessons
  CoefficientRows all;
  std::size_t most = 0;  // lessons of one
  for (const std::size_t c : used) {
    const Lessons& lessons = lessons_of(table.devices[device], table.configurations[c]);
    CoefficientRows rows;
    for (const Lesson& one : lessons.lessons) {
      if (one.result != without) rows.push_back(&one.shares);
    }
    if (rows.empty()) continue;
    all.insert(all.end(), rows.begin(), rows.end());
    most = std::max(most, rows.size());
    measured.emplace_back(c, std::move(rows));
  }
  if (all.empty()) return;
  const auto usual = fitted(all, std::vector<double>(all.front()->size()), kLeastPull);
  for (const auto& [c, rows] : measured) {
    // Fewer lessons than terms do not tell these apart: such predictors promise too much where
    // nothing was measured.
    if (rows.size() < std::min(kPredictorTerms, most)) continue;
    Predictor predictor = lessons_of(table.devices[device], table.configurations[c]).predictor;
    predictor.device = device;
    predictor.configuration = c;
    predictor.coefficients = fitted(rows, usual, kPull);
    predictor.coefficients[kWorkOfBlock] /= tile_of(predictor);
    out.predictors.push_back(std::move(predictor));
  }
}

LearnedSelector PredictorFit::learned(const TunedTable& table, std::optional<std::size_t> without) {
  LearnedSelector out{study_.domain->extents, {}};
  const auto is_asked = [&](const DeviceFacts& device) {
    return is_one_model(device, results_[*without]->device);
  };
  const bool one = without && std::ranges::any_of(table.devices, is_asked);
  for (std::size_t d = 0; d < table.devices.size(); ++d) {
    if (!one || is_asked(table.devices[d])) add_predictors(table, d, without, out);
  }
  return out;
}

}  // namespace tuner
