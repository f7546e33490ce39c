// Makes a plugin's backend table look like the port.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/adapters.h"
#include "tuner/plugin/adapters_launch.h"
#include "tuner/plugin/sdk_types.h"
#include "tuner/ports/backend.h"

namespace tuner {
namespace {

// Checks that plugins know the same of a type as the host does.
constexpr bool are_alike(const TypeFacts& ours, const sdk::TypeFacts& theirs) {
  return static_cast<tuner_type>(ours.type) == theirs.type && ours.name == theirs.name &&
         ours.bytes == theirs.bytes && static_cast<sdk::NumberKind>(ours.kind) == theirs.kind &&
         ours.numpy == theirs.numpy;
}
static_assert(std::ranges::equal(kDataTypes, sdk::kTypes, are_alike));

DeviceFailure failure(int status, std::string message) {
  const bool known = status > TUNER_OK && status <= TUNER_DEVICE_LOST;
  if (message.empty()) message = "the backend gave no reason";
  return {known ? static_cast<DeviceError>(status) : DeviceError::kRuntime, std::move(message)};
}

template <std::size_t N>
std::string text_in(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

DeviceFacts facts_from(const tuner_device_facts& from, const std::string& backend) {
  DeviceFacts to;
  to.backend = backend;
  to.name = text_in(from.name);
  to.uuid = text_in(from.uuid);
  to.arch = text_in(from.arch);
  to.driver = text_in(from.driver);
  to.compute_capability = from.compute_capability;
  to.multiprocessors = from.multiprocessors;
  to.warp_size = from.warp_size;
  to.max_threads_per_block = from.max_threads_per_block;
  to.max_threads_per_multiprocessor = from.max_threads_per_multiprocessor;
  to.max_blocks_per_multiprocessor = from.max_blocks_per_multiprocessor;
  to.registers_per_block = from.registers_per_block;
  to.registers_per_multiprocessor = from.registers_per_multiprocessor;
  to.max_shared_memory_per_block = from.max_shared_memory_per_block;
  to.max_shared_memory_per_block_optin = from.max_shared_memory_per_block_optin;
  to.shared_memory_per_multiprocessor = from.shared_memory_per_multiprocessor;
  to.reserved_shared_memory_per_block = from.reserved_shared_memory_per_block;
  to.l2_bytes = from.l2_bytes;
  to.memory_bytes = from.memory_bytes;
  to.clock_khz = from.clock_khz;
  std::copy(std::begin(from.max_block), std::end(from.max_block), to.max_block.begin());
  std::copy(std::begin(from.max_grid), std::end(from.max_grid), to.max_grid.begin());
  return to;
}

// Calls a function of a plugin's table. `value` by reference: the call may write it.
template <typename T, typename Function, typename... Arguments>
DeviceResult<T> call(const T& value, Function* function, void* self, Arguments... arguments) {
  StringSink error;
  const int status = function(self, arguments..., error.sink());
  if (status != TUNER_OK) return Unexpected{failure(status, std::move(error.text))};
  return value;
}

tuner_texture abi_texture(const TextureView& from) {
  return {sizeof(tuner_texture),
          static_cast<std::uint32_t>(from.type),
          from.lanes,
          static_cast<std::uint32_t>(from.filter),
          static_cast<std::uint32_t>(from.outside),
          from.normalized ? 1U : 0U,
          from.as_floats ? 1U : 0U,
          static_cast<std::uint32_t>(from.kind),
          from.width,
          from.height,
          from.depth};
}

// One of the backend's abilities; null where it has none by that name.
template <typename Ability>
const Ability* ability(const tuner_backend& backend, const char* name) {
  return static_cast<const Ability*>(backend.ability(backend.self, name));
}

DeviceFailure unsupported(std::string message) {
  return {DeviceError::kUnsupported, std::move(message)};
}

class PluginMemory : public DeviceMemory {
 public:
  explicit PluginMemory(const tuner_backend& backend)
      : self_(backend.self), table_(*backend.memory), backend_(backend) {}

  DeviceResult<BufferId> allocate(std::uint64_t bytes) override {
    BufferId buffer = 0;
    return call(buffer, table_.allocate, self_, bytes, &buffer);
  }
  DeviceResult<BufferId> allocate_at(std::uint64_t address, std::uint64_t bytes) override {
    const auto* able = ability<tuner_addresses>(backend_, TUNER_ABILITY_ADDRESSES);
    if (able == nullptr) return DeviceMemory::allocate_at(address, bytes);
    BufferId buffer = 0;
    return call(buffer, able->allocate_at, self_, address, bytes, &buffer);
  }
  void release(BufferId buffer) override { table_.release(self_, buffer); }
  DeviceResult<Ok> upload(BufferRange to, std::span<const std::byte> bytes) override {
    return call(Ok{}, table_.upload, self_, to, bytes.data(), bytes.size());
  }
  DeviceResult<Ok> download(BufferRange from, std::span<std::byte> bytes) override {
    return call(Ok{}, table_.download, self_, from, bytes.data(), bytes.size());
  }
  DeviceResult<Ok> fill(BufferRange to, std::uint64_t elements, const Fill& how) override {
    const tuner_fill fill{static_cast<std::uint32_t>(how.kind),
                          static_cast<std::uint32_t>(how.type), how.a, how.b, how.seed};
    return call(Ok{}, table_.fill, self_, to, elements, &fill);
  }
  DeviceResult<Ok> copy(BufferRange to, BufferRange from, std::uint64_t bytes) override {
    return call(Ok{}, table_.copy, self_, to, from, bytes);
  }
  DeviceResult<Comparison> compare(BufferRange actual, BufferRange expected, DataType type,
                                   std::uint64_t elements, double rtol, double atol) override {
    Comparison found{};
    return call(found, table_.compare, self_, actual, expected, static_cast<std::uint32_t>(type),
                elements, rtol, atol, &found);
  }
  DeviceResult<std::uint64_t> address(BufferRange of) override {
    const auto* able = ability<tuner_addresses>(backend_, TUNER_ABILITY_ADDRESSES);
    if (able == nullptr) {
      return Unexpected{unsupported("this backend does not tell where its memory is")};
    }
    std::uint64_t out = 0;
    return call(out, able->address, self_, of, &out);
  }
  DeviceResult<std::uint64_t> texture(BufferRange of, const TextureView& view) override {
    const auto* able = ability<tuner_textures>(backend_, TUNER_ABILITY_TEXTURES);
    if (able == nullptr) return DeviceMemory::texture(of, view);
    const tuner_texture how = abi_texture(view);
    std::uint64_t out = 0;
    return call(out, able->object, self_, of, &how, &out);
  }

 private:
  void* self_;
  const tuner_memory& table_;
  const tuner_backend& backend_;
};

class PluginBackend : public Backend, public AdoptsMemory, public CountsLaunches {
 public:
  PluginBackend(const tuner_backend& table, const std::string& name)
      : table_(table), kernels_(*table.kernels), memory_(table_) {
    tuner_device_facts facts{};
    facts.struct_size = sizeof facts;
    table_.facts(table_.self, &facts);
    facts_ = facts_from(facts, name);
    for (const auto& [name, of_study] : {std::pair{TUNER_ABILITY_GRAPH, kTimesGraphs},
                                         {TUNER_ABILITY_ROTATION, kRotatesBuffers},
                                         {TUNER_ABILITY_LAUNCH_ATTRIBUTES, kSetsLaunchAttributes},
                                         {TUNER_ABILITY_THREAD_ORDER, kShufflesThreads}}) {
      if (able<void>(name) != nullptr) facts_.abilities.emplace_back(of_study);
    }
  }
  ~PluginBackend() override { table_.destroy(table_.self); }
  PluginBackend(const PluginBackend&) = delete;
  PluginBackend& operator=(const PluginBackend&) = delete;

  const DeviceFacts& facts() override { return facts_; }
  DeviceMemory& memory() override { return memory_; }

  DeviceResult<LoadedKernel> load(const Artifact& artifact) override {
    std::vector<tuner_str> entries{to_abi(artifact.entry)};
    for (const NextKernel& next : artifact.then) entries.push_back(to_abi(next.entry));
    std::vector<tuner_loaded_kernel> kernels(entries.size(), {0, {-1, -1, -1, -1, -1, -1}});
    const auto done = call(Ok{}, kernels_.load, table_.self, to_abi(artifact.image), entries.data(),
                           entries.size(), kernels.data());
    if (!done) return Unexpected{done.error()};
    LoadedKernel loaded{kernels[0].kernel, from_abi(kernels[0].resources)};
    // Spills are known to the compiler only.
    if (loaded.resources.spill_bytes < 0) {
      loaded.resources.spill_bytes = artifact.resources.spill_bytes;
    }
    for (std::size_t i = 1; i < kernels.size(); ++i) {
      loaded.then.push_back({kernels[i].kernel, from_abi(kernels[i].resources)});
    }
    return loaded;
  }
  void unload(KernelId kernel) override { kernels_.unload(table_.self, kernel); }
  DeviceResult<Ok> set_symbol(KernelId kernel, const std::string& lowered_name,
                              std::span<const std::byte> bytes) override {
    return call(Ok{}, kernels_.set_symbol, table_.self, kernel, to_abi(lowered_name), bytes.data(),
                bytes.size());
  }
  DeviceResult<Ok> launch(const LaunchSequence& sequence) override {
    return call_with(sequence, Ok{}, kernels_.launch);
  }
  DeviceResult<Ok> launch_shuffled(const LaunchSequence& sequence, std::uint64_t seed) override {
    const auto* thread_order = able<tuner_thread_order>(TUNER_ABILITY_THREAD_ORDER);
    if (thread_order == nullptr) {
      return Unexpected{unsupported("this backend cannot choose the order of threads")};
    }
    return call_with(sequence, Ok{}, thread_order->launch, seed);
  }
  DeviceResult<std::vector<double>> time(const LaunchSequence& sequence,
                                         const TimingRequest& request) override {
    const auto* graph = able<tuner_graph>(TUNER_ABILITY_GRAPH);
    if (request.graph && graph == nullptr) {
      return Unexpected{unsupported(facts_.backend + " launches nothing from a graph")};
    }
    if (!request.turns.empty() && !facts_.can(kRotatesBuffers)) {
      return Unexpected{unsupported(facts_.backend + " cannot rotate buffers")};
    }
    const AbiSequence abi(sequence, memory_);
    if (auto able = can_launch(sequence, abi); !able) return Unexpected{able.error()};
    std::deque<AbiSequence> others;  // which stay where they are
    std::vector<const tuner_launch*> turns;
    for (const LaunchSequence& turn : request.turns) {
      turns.push_back(others.emplace_back(turn, memory_).first());
      if (const auto& written = others.back().written(); !written)
        return Unexpected{written.error()};
    }
    const tuner_timing timing{sizeof(tuner_timing),
                              request.samples,
                              request.launches_per_sample,
                              request.flush_cache ? 1U : 0U,
                              request.restores.data(),
                              request.restores.size(),
                              turns.data(),
                              turns.size(),
                              request.fills.data(),
                              request.fills.size()};
    std::vector<double> milliseconds(request.samples, std::numeric_limits<double>::quiet_NaN());
    return call(milliseconds, request.graph ? graph->time : kernels_.time, table_.self, abi.kernel,
                abi.first(), &timing, milliseconds.data());
  }
  DeviceResult<BufferId> adopt(std::uint64_t address, std::uint64_t bytes) override {
    const auto* adopt_table = able<tuner_adopt>(TUNER_ABILITY_ADOPT);
    if (adopt_table == nullptr) {
      return Unexpected{unsupported("this backend cannot work on an application's memory")};
    }
    BufferId buffer = 0;
    return call(buffer, adopt_table->adopt, table_.self, address, bytes, &buffer);
  }
  DeviceResult<double> power(const LaunchSequence& sequence) override {
    const auto* power_table = able<tuner_power>(TUNER_ABILITY_POWER);
    if (power_table == nullptr) return Unexpected{unsupported("this backend measures no power")};
    double watts = 0;
    return call_with(sequence, watts, power_table->watts, &watts);
  }

  Expected<std::vector<std::vector<double>>, Failure> count(
      const std::vector<const LaunchSequence*>& sequences, const std::vector<std::string>& names,
      bool flush_cache, const std::function<DeviceResult<Ok>(std::size_t)>& restore) override {
    const auto* counters = able<tuner_counters>(TUNER_ABILITY_COUNTERS);
    if (counters == nullptr || !is_whole(*counters, counters->read, counters->begin)) {
      return Unexpected{Failure{unsupported("the backend " + facts_.backend + " reads none"), 0}};
    }
    std::vector<tuner_str> texts;
    for (const std::string& name : names) texts.push_back(to_abi(name));
    std::uint32_t passes = 0;
    const auto begun =
        call(passes, counters->begin, table_.self, texts.data(), texts.size(),
             static_cast<std::uint32_t>(sequences.size()), flush_cache ? 1U : 0U, &passes);
    if (!begun) return Unexpected{Failure{begun.error(), 0}};
    std::vector<std::vector<double>> values(
        sequences.size(),
        std::vector<double>(names.size(), std::numeric_limits<double>::quiet_NaN()));
    for (std::uint32_t pass = 0; pass < *begun; ++pass) {
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        const AbiSequence abi(*sequences[i], memory_);
        auto done = can_launch(*sequences[i], abi);
        if (done) done = restore(i);
        if (done) {
          done = call(Ok{}, counters->read, table_.self, abi.kernel, abi.first(), texts.data(),
                      texts.size(), values[i].data());
        }
        if (!done) return Unexpected{Failure{done.error(), i}};
      }
    }
    return values;
  }

  // Reports 0 for a number that the plugin does not know or that makes no sense.
  Conditions conditions() override {
    const auto* conditions_table = able<tuner_conditions>(TUNER_ABILITY_CONDITIONS);
    if (conditions_table == nullptr) return {};
    double megahertz = 0;
    double watts = 0;
    if (!call(Ok{}, conditions_table->last, table_.self, &megahertz, &watts)) return {};
    const auto known = [](double value) { return std::isfinite(value) && value > 0 ? value : 0; };
    return {known(megahertz), known(watts)};
  }
  DeviceResult<Ok> set_limits(const KernelLimits& limits) override {
    const auto* limits_table = able<tuner_limits>(TUNER_ABILITY_LIMITS);
    if (limits_table == nullptr || !is_whole(*limits_table, limits_table->set)) {
      return Backend::set_limits(limits);
    }
    return call(Ok{}, limits_table->set, table_.self, limits.heap, limits.stack, limits.printf);
  }
  std::string remark() override {
    const auto* conditions_table = able<tuner_conditions>(TUNER_ABILITY_CONDITIONS);
    if (conditions_table == nullptr || !is_whole(*conditions_table, conditions_table->remark))
      return {};
    StringSink text;
    return call(Ok{}, conditions_table->remark, table_.self, text.sink()) ? text.text
                                                                          : std::string();
  }

 private:
  template <typename Ability>
  const Ability* able(const char* name) const {
    return ability<Ability>(table_, name);
  }

  // Calls a function with the sequence, where that can be launched here.
  template <typename T, typename Function, typename... Arguments>
  DeviceResult<T> call_with(const LaunchSequence& sequence, const T& value, Function* function,
                            Arguments... arguments) {
    const AbiSequence abi(sequence, memory_);
    if (auto able = can_launch(sequence, abi); !able) return Unexpected{able.error()};
    return call(value, function, table_.self, abi.kernel, abi.first(), arguments...);
  }

  DeviceResult<Ok> can_launch(const LaunchSequence& sequence, const AbiSequence& abi) const {
    for (const KernelLaunch& one : sequence) {
      if (one.geometry.attributes != LaunchAttributes{} && !facts_.can(kSetsLaunchAttributes)) {
        return Unexpected{unsupported("launch attributes are not supported by " + facts_.backend)};
      }
      for (const LaunchArgument& argument : one.arguments) {
        if (!argument.map) continue;
        if (auto able = can_map(*argument.map); !able) return able;
      }
    }
    return abi.written();
  }

  DeviceResult<Ok> can_map(const TensorMap& map) const {
    const auto* tensor_maps = able<tuner_tensor_maps>(TUNER_ABILITY_TENSOR_MAPS);
    if (tensor_maps == nullptr) {
      return Unexpected{unsupported("tensor maps are not supported by " + facts_.backend +
                                    ": there is no copy engine that could read them")};
    }
    if (map.extents.size() > tensor_maps->max_rank) {
      return Unexpected{unsupported("tensor maps of this backend have at most " +
                                    std::to_string(tensor_maps->max_rank) + " dimensions")};
    }
    return Ok{};
  }

  tuner_backend table_;
  const tuner_kernels& kernels_;
  PluginMemory memory_;
  DeviceFacts facts_;
};

bool is_whole_backend(const tuner_backend& table) {
  const tuner_memory* memory = table.memory;
  const tuner_kernels* kernels = table.kernels;
  return is_whole(table, memory, kernels, table.destroy, table.facts, table.ability) &&
         is_whole(*memory, memory->allocate, memory->release, memory->upload, memory->download,
                  memory->fill, memory->copy, memory->compare) &&
         is_whole(*kernels, kernels->load, kernels->unload, kernels->set_symbol, kernels->launch,
                  kernels->time);
}

}  // namespace

DeviceResult<std::uint32_t> count_plugin_devices(const PluginItem& item) {
  StringSink error;
  const int count =
      item.factory_as<tuner_backend_factory>().device_count(item.number, error.sink());
  if (count < 0) return Unexpected{failure(-count, std::move(error.text))};
  return static_cast<std::uint32_t>(count);
}

DeviceResult<std::unique_ptr<Backend>> open_plugin_backend(const PluginItem& item,
                                                           std::uint32_t device,
                                                           const OptionList& options) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  tuner_backend table{};
  table.struct_size = sizeof table;
  StringSink error;
  const int status = item.factory_as<tuner_backend_factory>().open(
      item.number, device, pairs.data(), pairs.size(), &table, error.sink());
  if (status != TUNER_OK) return Unexpected{failure(status, std::move(error.text))};
  if (!is_whole_backend(table)) {
    return Unexpected{DeviceFailure{
        DeviceError::kUnsupported,
        "a table of this backend plugin is too short for this program, or not whole"}};
  }
  return std::unique_ptr<Backend>(std::make_unique<PluginBackend>(table, item.name));
}

}  // namespace tuner
