// Chooses among the configurations of a table by the text of exported headers.

#include "tuner/deploy/selection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/resolve/resolve.h"

// The parts of a header that depend on no study, with what stands before them there.
namespace tuner::exported {
#define TUNER_FN inline
struct extent {
  unsigned x, y, z;
};
using device = DeviceFacts;
#include "tuner/deploy/cpp/attributes.hpp"
namespace detail {
inline bool same_text(const std::string& a, const std::string& b) { return a == b; }
#include "tuner/deploy/cpp/choice.hpp"
#include "tuner/deploy/cpp/predicted.hpp"
}  // namespace detail
#undef TUNER_FN
}  // namespace tuner::exported

namespace tuner {
namespace {

namespace text = exported::detail;

exported::extent extent_of(const std::array<std::uint32_t, 3>& sides) {
  return {sides[0], sides[1], sides[2]};
}

bool within_limits(const LaunchGeometry& launch, const DeviceFacts& device) {
  const LaunchAttributes& asked = launch.attributes;
  const exported::launch_attributes attributes{extent_of(asked.cluster), asked.cooperative,
                                               asked.carveout, static_cast<int>(asked.scheduling),
                                               asked.programmatic};
  const exported::extent grid = extent_of(launch.grid);
  return text::launchable(extent_of(launch.block), grid,
                          static_cast<long long>(launch.dynamic_shared_bytes), device) &&
         text::attributes_fit(attributes, grid, device);
}

text::terms terms_of(const Predictor& predictor, std::int64_t multiprocessors,
                     const ProblemSize& size) {
  text::work work{static_cast<double>(predictor.pieces.count),
                  static_cast<double>(predictor.blocks.count)};
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const auto extent = static_cast<double>(size.dims[d].second);
    work.add(text::tiled_by(extent, static_cast<double>(predictor.pieces.tiles[d])),
             text::tiled_by(extent, static_cast<double>(predictor.blocks.tiles[d])));
  }
  return text::terms_of(work, static_cast<double>(predictor.resident),
                        static_cast<double>(std::max<std::int64_t>(1, multiprocessors)));
}

std::vector<double> unevenness_of(const ProblemSize& size) {
  std::vector<double> out;
  for (const auto& [name, extent] : size.dims) out.push_back(text::unevenness_of(extent));
  return out;
}

// Names of matches in the header's text.
struct Matches {
  static constexpr Match exact = Match::kExact;
  static constexpr Match near_size = Match::kNearSize;
  static constexpr Match near_device = Match::kNearDevice;
  static constexpr Match fallback = Match::kFallback;
  static constexpr Match unsupported = Match::kUnsupported;
  static constexpr Match predicted = Match::kPredicted;
};

// The table, asked for one size on one device.
struct Question {
  using how = Matches;
  struct Notes {
    std::vector<text::standing> devices;
    std::vector<int> nearest;
    std::vector<text::standing> standings;
    std::vector<bool> ruled_out;
  };
  const Study& study;
  const TunedTable& table;
  const DeviceFacts& device;
  const ProblemSize& size;
  Selector::Known& known;
  SizeDistance apart{table.weights};

  Notes blank() const {
    const std::size_t count = table.configurations.size();
    return {std::vector<text::standing>(table.devices.size()), std::vector<int>(count),
            std::vector<text::standing>(count), std::vector<bool>(count)};
  }
  int device_total() const { return static_cast<int>(table.devices.size()); }
  int configuration_total() const { return static_cast<int>(table.configurations.size()); }
  int entry_total() const { return static_cast<int>(table.entries.size()); }
  const DeviceFacts& asked() const { return device; }
  const DeviceFacts& tuned(int i) const { return table.devices[at(i)]; }
  int device_of(int i) const { return static_cast<int>(table.entries[at(i)].device); }
  int configuration_of(int i) const { return static_cast<int>(table.entries[at(i)].configuration); }
  bool serves(int c) const {
    std::optional<bool>& serves = known.serves[at(c)];
    if (!serves) serves = may_launch(study, known.names, table.configurations[at(c)], device);
    return *serves;
  }
  bool same(int i) const { return table.entries[at(i)].size.dims == size.dims; }
  std::int64_t distance(int i) const {
    if (known.squares.empty()) {
      for (const TunedEntry& one : table.entries) {
        SizeDistance::add_squares(size, one.size, known.squares);
      }
    }
    const std::size_t dimensions = known.squares.size() / table.entries.size();
    return apart.of_squares(std::span(known.squares).subspan(at(i) * dimensions, dimensions));
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
};

// Costs that the table's predictors expect for one size on one device.
struct ExpectedCosts {
  struct Notes {
    std::vector<double> costs;
    std::vector<bool> ruled_out;
  };
  const std::vector<Predictor>& predictors;
  const DeviceFacts& device;
  const ProblemSize& size;
  std::vector<double> unevenness = unevenness_of(size);

  Notes blank() const {
    return {std::vector<double>(predictors.size()), std::vector<bool>(predictors.size())};
  }
  int count() const { return static_cast<int>(predictors.size()); }
  const Predictor& of(int i) const { return predictors[static_cast<std::size_t>(i)]; }
  int device_of(int i) const { return static_cast<int>(of(i).device); }
  int configuration_of(int i) const { return static_cast<int>(of(i).configuration); }
  double at(int i) const {
    return text::cost_of(of(i).coefficients.data(), terms_of(of(i), device.multiprocessors, size),
                         unevenness.data(), static_cast<int>(unevenness.size()));
  }
};

bool is_within(const std::vector<ExtentRange>& domain, const ProblemSize& size) {
  for (std::size_t d = 0; d < domain.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    if (extent < domain[d].low || extent > domain[d].high) return false;
  }
  return true;
}

}  // namespace

std::string_view name_of(Match match) {
  constexpr std::array<std::string_view, 6> kNames{"exact",    "near_size",   "near_device",
                                                   "fallback", "unsupported", "predicted"};
  return kNames.at(static_cast<std::size_t>(match));
}

int lg256(long long x) { return text::lg256(x); }

std::vector<double> predictor_features(const Predictor& predictor, std::int64_t multiprocessors,
                                       const ProblemSize& size) {
  const text::terms terms = terms_of(predictor, multiprocessors, size);
  static_assert(std::size(decltype(terms.of){}) == kPredictorTerms);
  std::vector<double> out(std::begin(terms.of), std::end(terms.of));
  for (const double one : unevenness_of(size)) out.push_back(terms.all * one);
  return out;
}

SizeDistance::SizeDistance(const std::vector<double>& weights) {
  constexpr double kLargest = 1 << 24;  // squares have 28 bits at most, so sums stay below 63
  const double most = weights.empty() ? 0 : std::ranges::max(weights);
  if (!(most > 0)) return;
  for (const double weight : weights) {
    // A weight above 0 still counts.
    const std::int64_t factor = std::llround(weight / most * kLargest);
    factors_.push_back(weight > 0 ? std::max<std::int64_t>(1, factor) : 0);
  }
  unit_ = most / kLargest / 65536;
}

std::int64_t SizeDistance::between(const ProblemSize& a, const ProblemSize& b) const {
  std::vector<std::int64_t> squares;
  add_squares(a, b, squares);
  return of_squares(squares);
}

void SizeDistance::add_squares(const ProblemSize& a, const ProblemSize& b,
                               std::vector<std::int64_t>& out) {
  for (std::size_t d = 0; d < a.dims.size() && d < b.dims.size(); ++d) {
    out.push_back(text::square(lg256(a.dims[d].second) - lg256(b.dims[d].second)));
  }
}

std::int64_t SizeDistance::of_squares(std::span<const std::int64_t> squares) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < squares.size(); ++d) sum += factor(d) * squares[d];
  return sum;
}

namespace {

bool fits(const Study& study, const Bindings& names, const DeviceFacts& device) {
  const auto launch = geometry(study.launch, names);
  const auto then = next_launches(study, study.then, names);
  return launch && then && within_limits(*launch, device) &&
         std::ranges::all_of(
             *then, [&](const auto& next) { return within_limits(next.geometry, device); });
}

}  // namespace

bool may_launch(const Study& study, const Configuration& configuration, const DeviceFacts& device,
                const ProblemSize& size) {
  const Bindings names = bindings_of(study, configuration, device, size);
  return constraints_hold(study, names) && fits(study, names, device);
}

bool may_launch(const Study& study, NamesAt& names, const Configuration& configuration,
                const DeviceFacts& device) {
  return names.hold(configuration) && fits(study, names.of(configuration), device);
}

Selector::Selector(const Study& study, const TunedTable& table, const DeviceFacts& device,
                   const ProblemSize& size)
    : study_(study),
      table_(table),
      device_(device),
      size_(size),
      known_{NamesAt(study, device, size),
             std::vector<std::optional<bool>>(table.configurations.size())} {}

Selection Selector::choose() {
  if (!std::ranges::all_of(size_.dims, [](const auto& dim) { return dim.second > 0; })) {
    return {0, Match::kFallback, {}, 4, 0};
  }
  const Question question{study_, table_, device_, size_, known_};
  const std::optional<LearnedSelector>& learned = table_.learned;
  const auto expected =
      learned && is_within(learned->domain, size_)
          ? text::predicted(question, ExpectedCosts{learned->predictors, device_, size_})
          : text::none<Matches>();
  const auto found = expected.how != Match::kUnsupported ? expected : text::nearest(question);
  Selection out{static_cast<std::size_t>(found.configuration),
                found.how,
                {},
                found.tier,
                question.apart.log2_sq(found.distance)};
  if (found.entry >= 0) out.entry = static_cast<std::size_t>(found.entry);
  return out;
}

Selection select(const Study& study, const TunedTable& table, const DeviceFacts& device,
                 const ProblemSize& size) {
  return Selector(study, table, device, size).choose();
}

}  // namespace tuner
