#pragma once
// A space that is small enough to list, or large and without constraints, as strategies see it.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/plugins/strategies/parts/common.h"
#include "tuner/ports/strategy.h"

namespace tuner::strategies {

struct ListedParameter {
  std::vector<double> values;
  bool ordered = true;
};

class ListedSpace {
 public:
  using Rule = std::function<bool(const std::vector<double>&)>;

  ListedSpace(std::vector<ListedParameter> parameters, const Rule& valid)
      : parameters_(std::move(parameters)) {
    Positions at(parameters_.size(), 0);
    do {
      if (valid(values_at(at))) {
        index_of_[at] = listed_.size();
        listed_.push_back(at);
      }
    } while (advance(at));
    fill_table(listed_.size());
  }
  ListedSpace(const ListedSpace&) = delete;
  ListedSpace& operator=(const ListedSpace&) = delete;

  const tuner_space& table() const { return table_; }
  std::size_t size() const { return listed_.size(); }
  std::vector<double> values(Index index) const {
    return values_at(listed_[static_cast<std::size_t>(index)]);
  }

 private:
  static const ListedSpace& self_of(void* self) { return *static_cast<ListedSpace*>(self); }

  std::vector<double> values_at(const Positions& at) const {
    std::vector<double> out;
    for (std::size_t p = 0; p < at.size(); ++p) out.push_back(parameters_[p].values[at[p]]);
    return out;
  }

  bool advance(Positions& at) const {
    for (std::size_t p = at.size(); p-- > 0;) {
      if (++at[p] < parameters_[p].values.size()) return true;
      at[p] = 0;
    }
    return false;
  }

  void neighbours(const Positions& from, bool adjacent, tuner_sink out) const {
    Positions at = from;
    for (std::size_t p = 0; p < at.size(); ++p) {
      for (std::uint32_t v = 0; v < parameters_[p].values.size(); ++v) {
        const bool far = v > from[p] + 1 || v + 1 < from[p];
        if (v == from[p] || (adjacent && parameters_[p].ordered && far)) continue;
        at[p] = v;
        const auto found = index_of_.find(at);
        if (found == index_of_.end()) continue;
        const tuner_index record{found->second, 0};
        out.emit(out.context, &record, sizeof record);
      }
      at[p] = from[p];
    }
  }

  void fill_table(std::uint64_t size) {
    table_.struct_size = sizeof table_;
    table_.parameter_count = static_cast<std::uint32_t>(parameters_.size());
    table_.self = this;
    table_.size = {size, 0};
    table_.name = [](void*, std::uint32_t) { return tuner_str{"p", 1}; };
    table_.value_count = [](void* self, std::uint32_t p) {
      return static_cast<std::uint32_t>(self_of(self).parameters_[p].values.size());
    };
    table_.value = [](void* self, std::uint32_t p, std::uint32_t v) {
      return self_of(self).parameters_[p].values[v];
    };
    table_.ordered = [](void* self, std::uint32_t p) {
      return self_of(self).parameters_[p].ordered ? 1 : 0;
    };
    table_.positions = [](void* self, tuner_index index, std::uint32_t* out) {
      const Positions& at = self_of(self).listed_[index.low];
      std::copy(at.begin(), at.end(), out);
    };
    table_.index_of = [](void* self, const std::uint32_t* at, tuner_index* index) {
      const ListedSpace& space = self_of(self);
      const auto found = space.index_of_.find(Positions(at, at + space.parameters_.size()));
      if (found == space.index_of_.end()) return 0;
      *index = {found->second, 0};
      return 1;
    };
    table_.neighbours = [](void* self, const std::uint32_t* at, std::uint32_t kind,
                           tuner_sink out) {
      const ListedSpace& space = self_of(self);
      space.neighbours(Positions(at, at + space.parameters_.size()), kind == TUNER_ADJACENT, out);
    };
  }

  std::vector<ListedParameter> parameters_;
  std::vector<Positions> listed_;
  std::map<Positions, std::uint64_t> index_of_;
  tuner_space table_{};
};

// Powers of two, a flag and a choice without order; 4 * 5 * 3 * 2 * 3 = 360, of which the rule
// leaves 216.
inline std::vector<ListedParameter> typical_parameters() {
  return {{{16, 32, 64, 128}, true},
          {{1, 2, 3, 4, 6}, true},
          {{1, 2, 4}, true},
          {{0, 1}, false},
          {{0, 1, 2}, false}};
}
inline bool typical_rule(const std::vector<double>& v) {
  return v[0] * v[1] <= 256 && v[2] <= v[1];
}

// Smooth with an interaction; the best is where 64 * 3 threads meet a tile of 2, flag 1, choice 2.
inline double typical_objective(const std::vector<double>& v) {
  const double threads = std::log2(v[0] * v[1] / 192);
  return 1 + threads * threads + std::abs(v[2] - 2) * (1 + 0.3 * v[3]) + 0.8 * (1 - v[3]) +
         0.5 * std::abs(v[4] - 2) + 0.1 * std::abs(std::log2(v[0] / 64));
}

// What was measured in another place.
using Results = std::vector<PriorResult>;

inline double typical(const ListedSpace& space, Index i) {
  return typical_objective(space.values(i));
}

// Every `step`-th configuration, as good there as here to the power of `exponent`; the best has
// loss 0.
inline Results results_of(const ListedSpace& space, std::size_t step, double exponent) {
  Results results;
  double least = kInfinity;
  for (Index i = 0; i < space.size(); i += step) {
    results.push_back({i, exponent * std::log(typical(space, i))});
    least = std::min(least, results.back().loss);
  }
  for (auto& result : results) result.loss -= least;
  return results;
}

}  // namespace tuner::strategies
