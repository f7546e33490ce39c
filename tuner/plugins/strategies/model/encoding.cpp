// Encodes configurations as points, and shapes results into what a surrogate should see.

#include "tuner/plugins/strategies/model/encoding.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {

// ---- configurations -----------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostPlaces = 256;

// Scaled to 0 .. 1; empty when all are equal.
std::vector<double> scaled(std::vector<double> values) {
  const auto [low, high] = std::ranges::minmax(values);
  if (!(high > low)) return {};
  for (double& value : values) value = (value - low) / (high - low);
  return values;
}

// How often 2 divides it; -1 for zero, fractions and numbers too large to tell.
int twos_in(double value) {
  if (value == 0 || value != std::floor(value) || std::abs(value) > 0x1.0p52) return -1;
  int count = 0;
  for (; std::fmod(value, 2) == 0; value /= 2) ++count;
  return count;
}

std::vector<double> sizes(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  std::vector<double> out = values;
  if (low > 0 && high >= 3 * low) {
    for (double& value : out) value = std::log2(value);
  }
  return scaled(std::move(out));
}

std::vector<double> evenness(const std::vector<double>& values) {
  std::vector<double> out;
  bool only_powers = true;
  for (const double value : values) {
    const int twos = twos_in(value);
    if (twos < 0 || value <= 0) return {};
    only_powers = only_powers && value == std::exp2(twos);
    out.push_back(twos);
  }
  return only_powers ? std::vector<double>() : scaled(std::move(out));
}

}  // namespace

Encoding::Encoding(const Moves& moves) : space_(moves.space()), free_(moves.free_parameters()) {
  for (const std::uint32_t parameter : free_) add_parameter(parameter);
}

void Encoding::add_parameter(std::uint32_t parameter) {
  const std::size_t number = sizes_.size();
  counts_.push_back(space_.value_count(parameter));
  sizes_.push_back(std::min(counts_.back(), kMostPlaces));
  if (!space_.ordered(parameter)) {
    coordinates_.push_back({number, {}});
    return;
  }
  std::vector<double> values;
  for (std::size_t place = 0; place < sizes_.back(); ++place) {
    const std::size_t position = place * counts_.back() / sizes_.back();
    values.push_back(space_.value(parameter, static_cast<std::uint32_t>(position)));
  }
  for (auto* const view : {&sizes, &evenness}) {
    std::vector<double> place = view(values);
    if (!place.empty()) coordinates_.push_back({number, std::move(place)});
  }
}

Point Encoding::point(Index index) const {
  const Positions positions = space_.positions(index);
  Point out;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    out.push_back(static_cast<std::uint8_t>(positions[free_[i]] * sizes_[i] / counts_[i]));
  }
  return out;
}

std::vector<Point> Encoding::points(std::span<const Index> indices) const {
  std::vector<Point> out;
  for (const Index index : indices) out.push_back(point(index));
  return out;
}

// ---- results ------------------------------------------------------------------------------------

namespace {

bool take_logarithms(std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  if (low <= 0 && high >= 0) return false;
  for (double& value : values) value = value > 0 ? std::log(value) : -std::log(-value);
  return true;
}

}  // namespace

ShapedValues shaped(const std::vector<double>& values, const TargetShape& shape) {
  std::vector<double> valid;
  for (const double value : values) {
    if (value < kInfinity) valid.push_back(value);
  }
  ShapedValues out{Eigen::VectorXf::Zero(static_cast<Eigen::Index>(values.size()))};
  if (valid.empty()) return out;
  out.logarithms = take_logarithms(valid);
  std::vector<double> sorted = valid;
  std::ranges::sort(sorted);
  const double median = sorted[sorted.size() / 2];
  const double worst = median + shape.flatten * (sorted.back() - median);
  const double failed = median + shape.failure * (worst - median);
  const double best = sorted.front();
  const bool is_stretched = shape.stretch && median > best;
  auto next = valid.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = failed;
    if (values[i] < kInfinity) {
      value = *next++;
      if (value > median) value = median + shape.flatten * (value - median);
    }
    if (is_stretched) value = std::log1p((value - best) / (median - best));
    out.values[static_cast<Eigen::Index>(i)] = static_cast<float>(value);
  }
  return out;
}

Eigen::VectorXf standardised(Eigen::VectorXf values) {
  if (values.size() == 0) return values;
  values.array() -= values.mean();
  const float deviation = std::sqrt(values.squaredNorm() / static_cast<float>(values.size()));
  if (deviation > 1e-9F) {
    values /= deviation;
  } else {
    values.setZero();
  }
  return values;
}

std::vector<double> values_of(const std::vector<History::Entry>& entries) {
  std::vector<double> values;
  values.reserve(entries.size());
  for (const auto& entry : entries) values.push_back(entry.value);
  return values;
}

Eigen::VectorXf picked(const Eigen::VectorXf& values, const std::vector<std::size_t>& which) {
  Eigen::VectorXf out(static_cast<Eigen::Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i) {
    out[static_cast<Eigen::Index>(i)] = values[static_cast<Eigen::Index>(which[i])];
  }
  return out;
}

}  // namespace tuner::strategies
