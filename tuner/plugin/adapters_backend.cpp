// Makes a plugin's backend table look like the port.

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>

#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/adapters.h"

namespace tuner {
namespace {

DeviceFailure failure(int status, std::string message) {
  const bool known = status > TUNER_OK && status <= TUNER_DEVICE_LOST;
  if (message.empty()) message = "the backend gave no reason";
  return {known ? static_cast<DeviceError>(status) : DeviceError::kRuntime, std::move(message)};
}

tuner_range to_abi(BufferRange range) { return {range.buffer, range.offset}; }

Resources from_abi(const tuner_resources& from) {
  return {from.registers,   from.static_shared_bytes, from.constant_bytes,
          from.local_bytes, from.spill_bytes,         from.max_threads};
}

template <std::size_t N>
std::string from_abi(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

DeviceFacts from_abi(const tuner_device_facts& from, const std::string& backend) {
  DeviceFacts to;
  to.backend = backend;
  to.name = from_abi(from.name);
  to.uuid = from_abi(from.uuid);
  to.arch = from_abi(from.arch);
  to.driver = from_abi(from.driver);
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

// The study reader has seen to the rank.
tuner_tensor_map to_abi(const TensorMap& from, std::uint32_t argument) {
  tuner_tensor_map to{};
  to.argument = argument;
  to.type = static_cast<std::uint32_t>(from.type);
  to.rank = static_cast<std::uint32_t>(std::min(from.extents.size(), std::size(to.extents)));
  to.swizzle = from.swizzle;
  std::copy_n(from.extents.begin(), to.rank, to.extents);
  std::copy_n(from.box.begin(), to.rank, to.box);
  return to;
}

// A launch with the views that it refers to.
class AbiLaunch {
 public:
  explicit AbiLaunch(const KernelLaunch& one) {
    for (const LaunchArgument& from : one.arguments) {
      if (from.map) {
        maps_.push_back(to_abi(*from.map, static_cast<std::uint32_t>(arguments_.size())));
      }
      arguments_.push_back({from.is_buffer ? 1U : 0U,
                            static_cast<std::uint32_t>(from.scalar.size()), to_abi(from.buffer),
                            from.scalar.data()});
    }
    launch.struct_size = sizeof launch;
    std::copy(one.geometry.grid.begin(), one.geometry.grid.end(), launch.grid);
    std::copy(one.geometry.block.begin(), one.geometry.block.end(), launch.block);
    launch.dynamic_shared_bytes = one.geometry.dynamic_shared_bytes;
    launch.arguments = arguments_.data();
    launch.argument_count = arguments_.size();
    launch.maps = maps_.data();
    launch.map_count = maps_.size();
    for (const Zeros& some : one.zeros) zeros_.push_back({to_abi(some.at), some.bytes});
    launch.zeros = zeros_.data();
    launch.zeros_count = zeros_.size();
  }
  AbiLaunch(const AbiLaunch&) = delete;
  AbiLaunch& operator=(const AbiLaunch&) = delete;

  tuner_launch launch{};

 private:
  std::vector<tuner_argument> arguments_;
  std::vector<tuner_tensor_map> maps_;
  std::vector<tuner_zeros> zeros_;
};

// Launches as they hang on the first.
class AbiSequence {
 public:
  explicit AbiSequence(const LaunchSequence& from) : kernel(from.front().kernel) {
    for (const KernelLaunch& one : from) {
      launches_.emplace_back(one);
      if (launches_.size() == 1) continue;
      tuner_launch& before = std::prev(launches_.end(), 2)->launch;
      before.next_kernel = one.kernel;
      before.next = &launches_.back().launch;
    }
  }
  const tuner_launch* first() const { return &launches_.front().launch; }

  KernelId kernel;

 private:
  std::deque<AbiLaunch> launches_;  // which stay where they are
};

class PluginBackend : public Backend {
 public:
  PluginBackend(const tuner_backend& table, const std::string& name) : table_(table) {
    tuner_device_facts facts{};
    facts.struct_size = sizeof facts;
    table_.facts(table_.self, &facts);
    facts_ = from_abi(facts, name);
  }
  ~PluginBackend() override { table_.destroy(table_.self); }
  PluginBackend(const PluginBackend&) = delete;
  PluginBackend& operator=(const PluginBackend&) = delete;

  const DeviceFacts& facts() override { return facts_; }

  DeviceResult<BufferId> allocate(std::uint64_t bytes) override {
    BufferId buffer = 0;
    return call(buffer, table_.allocate, bytes, &buffer);
  }
  void release(BufferId buffer) override { table_.release(table_.self, buffer); }
  DeviceResult<Ok> upload(BufferRange to, std::span<const std::byte> bytes) override {
    return call(Ok{}, table_.upload, to_abi(to), bytes.data(), bytes.size());
  }
  DeviceResult<Ok> download(BufferRange from, std::span<std::byte> bytes) override {
    return call(Ok{}, table_.download, to_abi(from), bytes.data(), bytes.size());
  }
  DeviceResult<Ok> fill(BufferRange to, std::uint64_t elements, const Fill& how) override {
    const tuner_fill fill{static_cast<std::uint32_t>(how.kind),
                          static_cast<std::uint32_t>(how.type), how.a, how.b, how.seed};
    return call(Ok{}, table_.fill, to_abi(to), elements, &fill);
  }
  DeviceResult<Ok> copy(BufferRange to, BufferRange from, std::uint64_t bytes) override {
    return call(Ok{}, table_.copy, to_abi(to), to_abi(from), bytes);
  }
  DeviceResult<Comparison> compare(BufferRange actual, BufferRange expected, DataType type,
                                   std::uint64_t elements, double rtol, double atol) override {
    tuner_comparison found{};
    const auto done = call(Ok{}, table_.compare, to_abi(actual), to_abi(expected),
                           static_cast<std::uint32_t>(type), elements, rtol, atol, &found);
    if (!done) return Unexpected{done.error()};
    return Comparison{found.mismatches, found.first_mismatch, found.max_abs_error,
                      found.first_value, found.first_expected};
  }
  DeviceResult<LoadedKernel> load(const Artifact& artifact) override {
    KernelId kernel = 0;
    tuner_resources resources{-1, -1, -1, -1, -1, -1};
    const auto done = call(Ok{}, table_.load, tuner::to_abi(artifact.image),
                           tuner::to_abi(artifact.entry), &kernel, &resources);
    if (!done) return Unexpected{done.error()};
    LoadedKernel loaded{kernel, from_abi(resources)};
    // Spills are known to the compiler only.
    if (loaded.resources.spill_bytes < 0) {
      loaded.resources.spill_bytes = artifact.resources.spill_bytes;
    }
    for (const NextKernel& next : artifact.then) {
      auto one = load_next(kernel, next);
      if (!one) {
        unload(kernel);
        return one;
      }
      loaded.then.push_back(std::move(*one));
    }
    return loaded;
  }
  void unload(KernelId kernel) override { table_.unload(table_.self, kernel); }
  DeviceResult<Ok> set_symbol(KernelId kernel, const std::string& lowered_name,
                              std::span<const std::byte> bytes) override {
    return call(Ok{}, table_.set_symbol, kernel, tuner::to_abi(lowered_name), bytes.data(),
                bytes.size());
  }
  DeviceResult<Ok> launch(const LaunchSequence& sequence) override {
    if (auto able = can_zero(sequence); !able) return able;
    const AbiSequence abi(sequence);
    return call(Ok{}, table_.launch, abi.kernel, abi.first());
  }
  DeviceResult<std::vector<double>> time(const LaunchSequence& sequence,
                                         const TimingRequest& request) override {
    if (auto able = can_zero(sequence); !able) return Unexpected{able.error()};
    const AbiSequence abi(sequence);
    std::vector<tuner_restore> restores;
    for (const Restore& one : request.restores) restores.push_back({one.to, one.from, one.bytes});
    const tuner_timing timing{
        sizeof(tuner_timing),          request.samples, request.launches_per_sample,
        request.flush_cache ? 1U : 0U, restores.data(), restores.size()};
    std::vector<double> milliseconds(request.samples, std::numeric_limits<double>::quiet_NaN());
    const auto done =
        call(Ok{}, table_.time, abi.kernel, abi.first(), &timing, milliseconds.data());
    if (!done) return Unexpected{done.error()};
    return milliseconds;
  }
  DeviceResult<double> power(const LaunchSequence& sequence) override {
    if (table_.power == nullptr) {
      return Unexpected{DeviceFailure{DeviceError::kUnsupported, "this backend measures no power"}};
    }
    if (auto able = can_zero(sequence); !able) return Unexpected{able.error()};
    const AbiSequence abi(sequence);
    double watts = 0;
    const auto done = call(Ok{}, table_.power, abi.kernel, abi.first(), &watts);
    if (!done) return Unexpected{done.error()};
    return watts;
  }

 private:
  DeviceResult<Ok> can_zero(const LaunchSequence& sequence) const {
    const auto needs = [](const KernelLaunch& one) { return !one.zeros.empty(); };
    if (table_.zeroes != 0 || std::none_of(sequence.begin(), sequence.end(), needs)) return Ok{};
    return Unexpected{
        DeviceFailure{DeviceError::kUnsupported,
                      "this backend plugin cannot zero memory before each launch ('zero: each')"}};
  }

  DeviceResult<LoadedKernel> load_next(KernelId kernel, const NextKernel& next) {
    if (table_.load_next == nullptr) {
      return Unexpected{DeviceFailure{
          DeviceError::kUnsupported,
          "this backend plugin knows nothing of launches that follow others ('then'): it is older "
          "than the program"}};
    }
    KernelId id = 0;
    tuner_resources resources{-1, -1, -1, -1, -1, -1};
    const auto done =
        call(Ok{}, table_.load_next, kernel, tuner::to_abi(next.entry), &id, &resources);
    if (!done) return Unexpected{done.error()};
    return LoadedKernel{id, from_abi(resources)};
  }

  // `value` by reference: the call may write it.
  template <typename T, typename Function, typename... Arguments>
  DeviceResult<T> call(const T& value, Function* function, Arguments... arguments) {
    StringSink error;
    const int status = function(table_.self, arguments..., error.sink());
    if (status != TUNER_OK) return Unexpected{failure(status, std::move(error.text))};
    return value;
  }

  tuner_backend table_;
  DeviceFacts facts_;
};

bool complete(const tuner_backend& table) {
  // What came with later minor versions may be missing.
  return table.struct_size >= offsetof(tuner_backend, power) && table.destroy != nullptr &&
         table.facts != nullptr && table.allocate != nullptr && table.release != nullptr &&
         table.upload != nullptr && table.download != nullptr && table.fill != nullptr &&
         table.copy != nullptr && table.compare != nullptr && table.load != nullptr &&
         table.unload != nullptr && table.set_symbol != nullptr && table.launch != nullptr &&
         table.time != nullptr;
}

}  // namespace

DeviceResult<std::unique_ptr<Backend>> open_plugin_backend(
    const tuner_backend_factory& factory, std::uint32_t item, const std::string& name,
    std::uint32_t device, const std::vector<std::pair<std::string, std::string>>& options) {
  std::vector<tuner_pair> pairs;
  for (const auto& [key, value] : options) {
    pairs.push_back({tuner::to_abi(key), tuner::to_abi(value)});
  }
  tuner_backend table{};
  table.struct_size = sizeof table;
  StringSink error;
  const int status = factory.open(item, device, pairs.data(), pairs.size(), &table, error.sink());
  if (status != TUNER_OK) return Unexpected{failure(status, std::move(error.text))};
  if (!complete(table)) {
    return Unexpected{
        DeviceFailure{DeviceError::kUnsupported, "its table is too short for this program"}};
  }
  return std::unique_ptr<Backend>(std::make_unique<PluginBackend>(table, name));
}

}  // namespace tuner
