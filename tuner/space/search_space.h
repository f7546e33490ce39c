#pragma once
// The set of valid configurations: counted, indexed and sampled without being stored.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/expression/expression.h"
#include "tuner/space/parameter.h"

namespace tuner {

namespace detail {
class Diagram;
struct NumberedDiagram;
struct Run;
}  // namespace detail

struct NamedExpression {
  std::string name;
  Expression expression;
};

struct SpaceDefinition {
  std::vector<Parameter> parameters;
  std::vector<NamedExpression> derived;  // may use parameters, facts and earlier derived names
  std::vector<Expression> constraints;
  Bindings facts;  // problem size and device.*: constants of this space
};

struct BuildOptions {
  std::size_t memory_limit = std::size_t{4} << 30;  // bytes; beyond it building ends with a message
  std::function<bool()> cancelled;                  // polled while building; may be empty
};

// The effect of one constraint, applied alone to the cartesian product.
struct ConstraintReport {
  std::string text;
  Position where;
  std::string removed;          // configurations (decimal); an estimate unless `exact`
  double removed_fraction = 0;  // of the cartesian product, 0 to 1
  bool exact = true;            // false: estimated from `tried` combinations
  std::uint64_t tried = 0;      // combinations evaluated one by one, to find errors
  std::uint64_t errors = 0;     // of these: evaluations that failed (division by zero, ...)
  std::string first_error;
};

// Findings of building a space, for `tuner check`.
struct SpaceReport {
  std::string cartesian;  // decimal
  std::string valid;      // decimal
  double build_seconds = 0;
  std::size_t peak_bytes = 0;  // held at most by construction, the result included
  std::vector<std::vector<std::string>> groups;  // names of parameters tied by constraints
};

enum class Neighbourhood {
  kHamming,   // one parameter differs
  kAdjacent,  // one parameter differs, ordered ones by one step among their values
};

// Immutable once built; all const functions are thread-safe.
class SearchSpace {
 public:
  // Throws InputError when a constraint or derived expression names something unknown, when the
  // space is hostile beyond the memory limit, or when a definition is self-contradictory.
  // An empty space is not an error here: size() is 0 and the report says what emptied it.
  static SearchSpace build(SpaceDefinition definition, const BuildOptions& options = {});

  SearchSpace(SearchSpace&&) noexcept;
  SearchSpace& operator=(SearchSpace&&) noexcept;
  ~SearchSpace();

  const SpaceDefinition& definition() const;
  const std::vector<Parameter>& parameters() const;
  const SpaceReport& report() const;

  // Reports what each constraint removes; a constraint that removes everything or nothing is almost
  // always a mistake. Computed on demand (milliseconds), the first time only.
  const std::vector<ConstraintReport>& constraint_reports() const;

  // Number of valid configurations. Saturates at 2^128-1; report().valid is exact. Of a larger
  // space only the first 2^128-1 configurations have an index.
  ConfigIndex size() const;

  // Value positions of configuration `index` (index < size()), one for each parameter.
  void positions(ConfigIndex index, std::span<std::uint32_t> out) const;
  Configuration configuration(ConfigIndex index) const;

  // The inverse; empty when the configuration is not valid (or has no index).
  std::optional<ConfigIndex> index_of(std::span<const std::uint32_t> positions) const;
  std::optional<ConfigIndex> index_of(const Configuration& configuration) const;

  // Membership, also beyond 2^128.
  bool contains(std::span<const std::uint32_t> positions) const;

  // Indices of all valid configurations in the neighbourhood of a (valid or invalid) one, without
  // itself. Replaces `out`.
  void neighbours(std::span<const std::uint32_t> positions, Neighbourhood kind,
                  std::vector<ConfigIndex>& out) const;

  // Values of the derived expressions (and facts and parameters) for one configuration. A derived
  // expression that fails to evaluate is left out.
  Bindings bindings(const Configuration& configuration) const;

  // splitmix64 over the mixed-radix numbers of all valid configurations, summed modulo 2^64
  // (first parameter slowest); empty where the cartesian product exceeds 2^64. Visits every valid
  // configuration (nanoseconds each), so empty too beyond 10^10 of them.
  std::optional<std::uint64_t> valid_hash() const;

  // Explains an empty space: names constraints that leave nothing together, none of which could be
  // left out.
  std::string why_empty() const;

  // Identity of the set: parameters, values, facts, and constraints as written.
  std::string digest() const;

 private:
  friend class SpaceCursor;  // steps through the diagrams of groups() itself
  std::span<const detail::NumberedDiagram> groups() const;

  struct Impl;
  explicit SearchSpace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Walks the valid configurations of a space in the order of their indices, a few nanoseconds each.
// The space must outlive it. Not thread-safe; use one for each thread.
class SpaceCursor {
 public:
  // Starts at `index`; valid() is false when there is no such configuration.
  explicit SpaceCursor(const SearchSpace& space, ConfigIndex index = 0);

  bool valid() const { return valid_; }
  std::span<const std::uint32_t> positions() const { return positions_; }
  void next() {
    // Most steps only move within the last run of the fastest parameter.
    Place& fastest = places_.back();
    if (++fastest.offset < fastest.length) {
      ++positions_[fastest.parameter];
    } else {
      advance();
    }
  }

 private:
  // One level of one group's diagram; the levels of all groups in a row, the last one fastest.
  struct Place {
    const detail::Diagram* diagram = nullptr;
    std::size_t level = 0;
    std::uint32_t parameter = 0;
    std::uint32_t offset = 0;  // in the run
    std::uint32_t length = 0;
    const detail::Run* run = nullptr;
    const detail::Run* end = nullptr;  // of the node's runs
  };

  void advance();
  void enter(Place& place, std::uint32_t node);
  void set_run(Place& place, const detail::Run* run, std::uint32_t offset);

  std::vector<Place> places_;
  std::vector<std::uint32_t> positions_;
  bool valid_ = false;
};

}  // namespace tuner
