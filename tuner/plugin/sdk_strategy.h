#pragma once
// Writing a search strategy: derive from sdk::Strategy, list the class in sdk::Strategies<...>.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

__extension__ typedef unsigned __int128 Index;  // number of a valid configuration

inline Index from_abi(tuner_index index) { return (Index{index.high} << 64) | index.low; }
inline tuner_index to_abi(Index index) {
  return {static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(index >> 64)};
}

// The search space. Cheap to copy; thread-safe; all indices below size() are valid configurations.
class Space {
 public:
  explicit Space(const tuner_space* table) : table_(table) {}

  Index size() const { return from_abi(table_->size); }  // saturates at 2^128-1
  std::uint32_t parameter_count() const { return table_->parameter_count; }
  std::string name(std::uint32_t parameter) const {
    return text(table_->name(table_->self, parameter));
  }
  std::uint32_t value_count(std::uint32_t parameter) const {
    return table_->value_count(table_->self, parameter);
  }
  // The value as a number; its position for text.
  double value(std::uint32_t parameter, std::uint32_t position) const {
    return table_->value(table_->self, parameter, position);
  }
  // Whether neighbouring positions mean neighbouring values.
  bool ordered(std::uint32_t parameter) const {
    return table_->ordered(table_->self, parameter) != 0;
  }

  // One position for each parameter.
  void positions(Index index, std::span<std::uint32_t> out) const {
    table_->positions(table_->self, to_abi(index), out.data());
  }
  std::vector<std::uint32_t> positions(Index index) const {
    std::vector<std::uint32_t> out(parameter_count());
    positions(index, out);
    return out;
  }

  // Empty when the configuration is not valid.
  std::optional<Index> index_of(std::span<const std::uint32_t> positions) const {
    tuner_index index{};
    if (table_->index_of(table_->self, positions.data(), &index) == 0) return std::nullopt;
    return from_abi(index);
  }

  // Appends the valid neighbours of a (valid or invalid) configuration.
  void neighbours(std::span<const std::uint32_t> positions, tuner_neighbourhood kind,
                  std::vector<Index>& out) const {
    std::vector<std::byte> bytes;
    const tuner_sink sink{&bytes, [](void* context, const void* data, std::size_t size) {
                            auto* to = static_cast<std::vector<std::byte>*>(context);
                            const auto* from = static_cast<const std::byte*>(data);
                            to->insert(to->end(), from, from + size);
                          }};
    table_->neighbours(table_->self, positions.data(), kind, sink);
    for (std::size_t at = 0; at + sizeof(tuner_index) <= bytes.size(); at += sizeof(tuner_index)) {
      tuner_index index;
      std::memcpy(&index, bytes.data() + at, sizeof index);
      out.push_back(from_abi(index));
    }
  }
  std::vector<Index> neighbours(Index index, tuner_neighbourhood kind = TUNER_HAMMING) const {
    std::vector<Index> out;
    neighbours(positions(index), kind, out);
    return out;
  }

 private:
  const tuner_space* table_;
};

struct StrategySetup {
  Space space;
  std::uint64_t seed = 0;
  double budget_evaluations = 0;  // 0 = not limited
  double budget_seconds = 0;      // 0 = not limited
  std::uint32_t objective_count = 1;
  Options options;
};

struct Observation {
  Index index = 0;
  std::uint32_t state = 0;  // tuner_observation::state; 0 = ok
  // Values to be minimised; empty when it failed. One that was dropped has an estimate, since even
  // that could not be good enough.
  std::vector<double> objectives{};
  double cost_seconds = 0;
  double compile_seconds = 0;  // of these, a compile worker's
};

// Results from one other place: another problem size, device or version of the source.
struct Prior {
  struct Result {
    Index index = 0;
    double loss = 0;  // log(value / best value there); infinity: it failed
  };
  double likeness = 1;  // 0: nothing in common .. 1: nearly the same place
  std::vector<Result> results;
};

// How the machine is occupied that answers the questions.
struct Machine {
  struct UnderWay {
    Index index = 0;
    tuner_stage stage = TUNER_STAGE_QUEUED;
    double seconds = 0;   // since it was asked
    double in_stage = 0;  // while it is compiled: since that began
  };
  std::size_t compile_workers = 1;
  double compilers_busy = 0;  // lately, 0 .. 1
  double device_busy = 0;
  double evaluations_left = kEndless;  // of the budget
  double seconds_left = kEndless;
  std::vector<UnderWay> under_way{};
  std::size_t devices = 1;  // that share the search

  static constexpr double kEndless = std::numeric_limits<double>::infinity();
};

// A class T with a constructor T(const StrategySetup&) and the static members
//   static constexpr const char* kName = "annealing";
//   static constexpr const char* kSummary = "one line";
//   static constexpr tuner_option_info kOptions[] = {{"name", "default", "help"}};  // if any
// Same seed and same answers must give the same questions.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Proposes up to `count` configurations never proposed before. None while answers are
  // outstanding: tell more first; none while nothing is outstanding: the search is over.
  virtual std::vector<Index> ask(std::size_t count) = 0;
  // Receives results in any order, also of configurations that were not proposed (an earlier
  // run's).
  virtual void tell(const Observation& observation) = 0;
  // Receives results from one other place, before the first ask(), once for each place. It need not
  // be heeded.
  virtual void learn(const Prior& prior) { static_cast<void>(prior); }
  // Receives the machine's state before an ask(), where the host knows of a machine. It need not be
  // heeded.
  virtual void notice(const Machine& machine) { static_cast<void>(machine); }
  // Returns all of these configurations, which are compiled and wait for a device, in the order in
  // which they shall be measured. Later proposals must not depend on whether and when this was
  // called.
  virtual std::vector<Index> order(std::vector<Index> compiled) { return compiled; }
};

template <typename... T>
struct Strategies {
  static constexpr const char* kKind = TUNER_KIND_STRATEGY;

  static const void* factory() {
    static const tuner_strategy_factory table{sizeof(tuner_strategy_factory), sizeof...(T),
                                              detail::info_of<T...>, create};
    return &table;
  }

 private:
  static int create(std::uint32_t item, const tuner_strategy_setup* setup, tuner_strategy* out,
                    tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::make<Strategy, T...>(
          item, std::span(setup->options, setup->option_count), [&](const Options& options) {
            return StrategySetup{Space(setup->space),       setup->seed,
                                 setup->budget_evaluations, setup->budget_seconds,
                                 setup->objective_count,    options};
          });
      *out = {sizeof(tuner_strategy),
              made.release(),
              detail::destroy<Strategy>,
              ask,
              tell,
              learn,
              notice,
              order};
    });
  }

  static std::int64_t ask(void* self, std::size_t count, tuner_index* out, tuner_sink error) {
    std::int64_t written = 0;
    const int status = detail::guarded(error, [&] {
      const std::vector<Index> asked = static_cast<Strategy*>(self)->ask(count);
      if (asked.size() > count) throw std::length_error("the strategy proposed too many at once");
      for (const Index index : asked) out[written++] = to_abi(index);
    });
    return status == TUNER_OK ? written : -1;
  }

  static int tell(void* self, const tuner_observation* from, tuner_sink error) {
    return detail::guarded(error, [&] {
      static_cast<Strategy*>(self)->tell(
          {from_abi(from->index),
           from->state,
           {from->objectives, from->objectives + from->objective_count},
           from->cost_seconds,
           from->compile_seconds});
    });
  }

  static int notice(void* self, const tuner_machine* from, tuner_sink error) {
    return detail::guarded(error, [&] {
      Machine machine{from->compile_workers,  from->compilers_busy, from->device_busy,
                      from->evaluations_left, from->seconds_left,   {},
                      from->devices};
      for (const auto& one : std::span(from->under_way, from->under_way_count)) {
        machine.under_way.push_back(
            {from_abi(one.index), static_cast<tuner_stage>(one.stage), one.seconds, one.in_stage});
      }
      static_cast<Strategy*>(self)->notice(machine);
    });
  }

  static int order(void* self, tuner_index* compiled, std::size_t count, tuner_sink error) {
    return detail::guarded(error, [&] {
      std::vector<Index> indices;
      for (const tuner_index& index : std::span(compiled, count))
        indices.push_back(from_abi(index));
      const std::vector<Index> ordered = static_cast<Strategy*>(self)->order(std::move(indices));
      if (ordered.size() != count) throw std::length_error("the strategy ordered another number");
      std::ranges::transform(ordered, compiled, to_abi);
    });
  }

  static int learn(void* self, const tuner_prior* from, tuner_sink error) {
    return detail::guarded(error, [&] {
      Prior prior{from->likeness, {}};
      for (const auto& one : std::span(from->results, from->result_count)) {
        prior.results.push_back({from_abi(one.index), one.loss});
      }
      static_cast<Strategy*>(self)->learn(prior);
    });
  }
};

}  // namespace tuner::sdk
