// Makes a plugin's observer look like the port.

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/adapters.h"

namespace tuner {
namespace {

tuner_resources abi_resources(const Resources& from) {
  return {from.registers,   from.static_shared_bytes, from.constant_bytes,
          from.local_bytes, from.spill_bytes,         from.max_threads};
}

class PluginObserver : public Observer {
 public:
  PluginObserver(std::string name, std::size_t value_count, ObservedMetrics metrics)
      : name_(std::move(name)), value_count_(value_count), metrics_(std::move(metrics)) {}
  ~PluginObserver() override {
    if (table_.self != nullptr) table_.destroy(table_.self);
  }
  PluginObserver(const PluginObserver&) = delete;
  PluginObserver& operator=(const PluginObserver&) = delete;

  tuner_observer* table() { return &table_; }
  bool is_whole() const {
    return table_.struct_size >= sizeof(tuner_observer) && table_.destroy != nullptr &&
           table_.begin != nullptr && table_.end != nullptr;
  }

  std::uint32_t launches() const override { return table_.launches; }

  std::optional<std::string> begin(const Observed& variant) override {
    const tuner_observed seen = abi_observed(variant);
    StringSink error;
    if (table_.begin(table_.self, &seen, error.sink()) == TUNER_OK) return std::nullopt;
    return named("begin", error.text);
  }

  Expected<Metrics, std::string> end(const Observed& variant) override {
    const tuner_observed seen = abi_observed(variant);
    std::vector<double> values(value_count_, std::numeric_limits<double>::quiet_NaN());
    StringSink error;
    if (table_.end(table_.self, &seen, values.data(), values.size(), error.sink()) != TUNER_OK) {
      return Unexpected{named("end", error.text)};
    }
    Metrics out;
    for (const auto& [metric, place] : metrics_) {
      if (std::isfinite(values.at(place))) out.emplace_back(metric, values[place]);
    }
    return out;
  }

 private:
  tuner_observed abi_observed(const Observed& from) const {
    tuner_observed to{};
    to.struct_size = sizeof to;
    to.launch_count = table_.launches;
    to.backend = to_abi(from.device.backend);
    to.device = to_abi(from.device.name);
    to.arch = to_abi(from.device.arch);
    to.image = to_abi(from.artifact.image);
    to.entry = to_abi(from.artifact.entry);
    to.resources = abi_resources(from.resources);
    std::copy(from.geometry.grid.begin(), from.geometry.grid.end(), to.grid);
    std::copy(from.geometry.block.begin(), from.geometry.block.end(), to.block);
    to.dynamic_shared_bytes = from.geometry.dynamic_shared_bytes;
    to.milliseconds = from.milliseconds.data();
    to.sample_count = from.milliseconds.size();
    return to;
  }

  std::string named(const char* function, const std::string& reason) const {
    return "observer '" + name_ + "', " + function + ": " + reason;
  }

  std::string name_;
  std::size_t value_count_;
  ObservedMetrics metrics_;
  tuner_observer table_{sizeof(tuner_observer), 0, nullptr, nullptr, nullptr, nullptr};
};

}  // namespace

Expected<std::unique_ptr<Observer>, std::string> make_plugin_observer(
    const tuner_observer_factory& factory, std::uint32_t item, const std::string& name,
    const OptionList& options, std::size_t value_count, ObservedMetrics metrics) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  auto made = std::make_unique<PluginObserver>(name, value_count, std::move(metrics));
  StringSink error;
  if (factory.create(item, pairs.data(), pairs.size(), made->table(), error.sink()) != TUNER_OK) {
    return Unexpected{"observer '" + name + "': " + error.text};
  }
  if (!made->is_whole()) return Unexpected{"observer '" + name + "': its table is not whole"};
  return std::unique_ptr<Observer>(std::move(made));
}

}  // namespace tuner
