// Makes a plugin's strategy table look like the port.

#include <algorithm>
#include <cstddef>

#include "tuner/base/error.h"
#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/adapters.h"
#include "tuner/plugin/space_table.h"

namespace tuner {
namespace {

class PluginStrategy : public Strategy {
 public:
  PluginStrategy(std::string name, const tuner_space& space)
      : name_(std::move(name)), space_(space) {}
  ~PluginStrategy() override {
    if (table_.self != nullptr) table_.destroy(table_.self);
  }
  PluginStrategy(const PluginStrategy&) = delete;
  PluginStrategy& operator=(const PluginStrategy&) = delete;

  const tuner_space* space() const { return &space_; }
  tuner_strategy* table() { return &table_; }

  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<tuner_index> asked(count);
    StringSink error;
    const std::int64_t written = table_.ask(table_.self, count, asked.data(), error.sink());
    if (written < 0 || static_cast<std::uint64_t>(written) > count) fail("ask", error.text);
    std::vector<ConfigIndex> out;
    for (std::int64_t i = 0; i < written; ++i) {
      out.push_back(config_index(asked[static_cast<std::size_t>(i)]));
      if (out.back() >= config_index(space_.size)) {
        fail("ask", "proposed a configuration outside the space");
      }
    }
    return out;
  }

  void tell(const Observation& from) override {
    const tuner_observation observation{
        sizeof(tuner_observation), static_cast<std::uint32_t>(from.state),
        abi_index(from.index),     from.objectives.data(),
        from.objectives.size(),    from.cost_seconds,
        from.compile_seconds};
    StringSink error;
    if (table_.tell(table_.self, &observation, error.sink()) != TUNER_OK) fail("tell", error.text);
  }

  void learn(const Prior& from) override {
    std::vector<tuner_prior_result> results;
    for (const PriorResult& one : from.results) {
      results.push_back({abi_index(one.index), one.loss});
    }
    const tuner_prior prior{sizeof(tuner_prior), from.likeness, results.data(), results.size()};
    StringSink error;
    if (table_.prior(table_.self, &prior, error.sink()) != TUNER_OK) fail("prior", error.text);
  }

  void notice(const MachineState& from) override {
    std::vector<tuner_under_way> under_way;
    for (const UnderWay& one : from.under_way) {
      under_way.push_back(
          {abi_index(one.index), static_cast<std::uint32_t>(one.stage), 0, one.seconds});
    }
    const tuner_machine machine{sizeof(tuner_machine),
                                static_cast<std::uint32_t>(from.compile_workers),
                                from.compilers_busy,
                                from.device_busy,
                                from.evaluations_left,
                                from.seconds_left,
                                under_way.data(),
                                under_way.size(),
                                static_cast<std::uint32_t>(from.devices),
                                0};
    StringSink error;
    if (table_.machine(table_.self, &machine, error.sink()) != TUNER_OK)
      fail("machine", error.text);
  }

  std::vector<ConfigIndex> order(std::vector<ConfigIndex> compiled) override {
    if (table_.order == nullptr) return compiled;
    std::vector<tuner_index> indices;
    for (const ConfigIndex index : compiled) indices.push_back(abi_index(index));
    StringSink error;
    if (table_.order(table_.self, indices.data(), indices.size(), error.sink()) != TUNER_OK)
      fail("order", error.text);
    std::ranges::transform(indices, compiled.begin(), config_index);
    return compiled;
  }

 private:
  [[noreturn]] void fail(const char* call, const std::string& message) const {
    throw FatalError("strategy '" + name_ + "', " + call + ": " +
                     (message.empty() ? "failed without a reason" : message));
  }

  std::string name_;
  tuner_space space_;
  tuner_strategy table_{};
};

}  // namespace

Expected<std::unique_ptr<Strategy>, std::string> make_plugin_strategy(
    const tuner_strategy_factory& factory, std::uint32_t item, const std::string& name,
    const tuner_space& space, std::uint64_t seed, const Budget& budget, const OptionList& options,
    std::size_t objectives) {
  auto made = std::make_unique<PluginStrategy>(name, space);
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  const tuner_strategy_setup setup{sizeof(tuner_strategy_setup),
                                   static_cast<std::uint32_t>(objectives),
                                   made->space(),
                                   seed,
                                   static_cast<double>(budget.evaluations.value_or(0)),
                                   budget.seconds.value_or(0),
                                   pairs.data(),
                                   pairs.size()};
  tuner_strategy table{};
  table.struct_size = sizeof table;
  StringSink error;
  if (factory.create(item, &setup, &table, error.sink()) != TUNER_OK) {
    return Unexpected{error.text};
  }
  if (table.struct_size < sizeof table || table.destroy == nullptr || table.ask == nullptr ||
      table.tell == nullptr || table.prior == nullptr || table.machine == nullptr) {
    return Unexpected{std::string("its table is too short for this program")};
  }
  *made->table() = table;
  return std::unique_ptr<Strategy>(std::move(made));
}

}  // namespace tuner
