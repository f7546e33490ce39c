#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/plugin/sdk_elements.h"
#include "tuner/ports/backend.h"

namespace tuner {

// A device in host memory. Kernels are C++ functions that a test registers; an artifact's image is
// the name of one, and so are the entries that follow it. Buffers have exactly the size asked for,
// so the address sanitizer sees what the guard words do not. 16-bit floats are not supported.
class FakeBackend : public Backend, public DeviceMemory, public CountsLaunches {
 public:
  // One launch, as the kernel sees it.
  struct Call {
    FakeBackend& device;
    const LaunchGeometry& geometry;
    std::span<const LaunchArgument> arguments;
    const std::map<std::string, std::vector<std::byte>>& symbols;

    template <typename T>
    T* buffer(std::size_t i) const {
      const BufferRange& range = arguments[i].buffer;
      return reinterpret_cast<T*>(device.buffers_.at(range.buffer).data() + range.offset);
    }
    template <typename T>
    T scalar(std::size_t i) const {
      return read<T>(arguments[i].scalar);
    }
    template <typename T>
    T symbol(const std::string& name) const {
      return read<T>(symbols.at(name));
    }

   private:
    template <typename T>
    static T read(const std::vector<std::byte>& bytes) {
      T value;
      std::memcpy(&value, bytes.data(), sizeof value);
      return value;
    }
  };

  struct Kernel {
    std::function<void(const Call&)> body;
    std::function<void(const Call&)> shuffled{};  // what another order of threads does besides
    std::function<double(int)> milliseconds = [](int) { return 1.0; };  // of the n-th timed launch
    Resources resources;
    std::optional<DeviceFailure> load_failure;
    std::optional<DeviceFailure> launch_failure;
    std::optional<DeviceFailure> time_failure;
    std::map<std::string, std::size_t> symbol_bytes;  // of those whose size matters
    double watts = 0;                                 // 0 = not measurable
    int launches = 0;
    int timed = 0;
  };

  std::map<std::string, Kernel> kernels;
  DeviceFacts device;
  bool shuffles = false;                // whether it can launch in another order of threads
  std::vector<std::uint64_t> shuffled;  // the seeds of such launches
  std::uint64_t memory_limit = std::numeric_limits<std::uint64_t>::max();
  std::size_t passes = 0;                // in which it counts; 0: it does not
  std::vector<TimingRequest> timings;    // every request
  std::vector<std::string> timed_order;  // the kernel of each request
  // How many buffers hold these bytes somewhere.
  std::size_t holding(std::span<const std::byte> bytes) const {
    return static_cast<std::size_t>(std::ranges::count_if(buffers_, [&](const auto& one) {
      const std::vector<std::byte>& held = one.second;
      return std::search(held.begin(), held.end(), bytes.begin(), bytes.end()) != held.end();
    }));
  }
  std::size_t live_buffers() const { return buffers_.size(); }
  std::size_t loaded_kernels() const { return loaded_.size(); }

  const DeviceFacts& facts() override { return device; }
  DeviceMemory& memory() override { return *this; }

  DeviceResult<BufferId> allocate(std::uint64_t bytes) override {
    std::uint64_t used = bytes;
    for (const auto& [id, buffer] : buffers_) used += buffer.size();
    if (used > memory_limit) return fail(DeviceError::kOutOfMemory, "out of memory");
    buffers_[++last_id_].resize(bytes);
    return last_id_;
  }
  DeviceResult<BufferId> allocate_at(std::uint64_t address, std::uint64_t bytes) override {
    auto made = allocate(bytes);
    if (made) placed_[address] = *made;
    return made;
  }
  // Finds what was placed there; null: nothing was.
  std::byte* placed(std::uint64_t address) {
    const auto behind = placed_.upper_bound(address);
    if (behind == placed_.begin()) return nullptr;
    const auto& [begin, buffer] = *std::prev(behind);
    std::vector<std::byte>& held = buffers_.at(buffer);
    return address - begin < held.size() ? held.data() + (address - begin) : nullptr;
  }
  void release(BufferId buffer) override {
    buffers_.erase(buffer);
    std::erase_if(placed_, [buffer](const auto& one) { return one.second == buffer; });
  }

  DeviceResult<Ok> upload(BufferRange to, std::span<const std::byte> bytes) override {
    if (!covers(to, bytes.size())) return fail(DeviceError::kInvalid, "upload out of range");
    std::copy(bytes.begin(), bytes.end(), at(to));
    return Ok{};
  }
  DeviceResult<Ok> download(BufferRange from, std::span<std::byte> bytes) override {
    if (!covers(from, bytes.size())) return fail(DeviceError::kInvalid, "download out of range");
    std::copy_n(at(from), bytes.size(), bytes.begin());
    return Ok{};
  }
  DeviceResult<Ok> copy(BufferRange to, BufferRange from, std::uint64_t bytes) override {
    if (!covers(to, bytes) || !covers(from, bytes)) {
      return fail(DeviceError::kInvalid, "copy out of range");
    }
    std::copy_n(at(from), bytes, at(to));
    return Ok{};
  }

  DeviceResult<std::uint64_t> address(BufferRange of) override {
    if (!covers(of, 0)) return fail(DeviceError::kInvalid, "there is no such buffer");
    return reinterpret_cast<std::uintptr_t>(at(of));
  }

  DeviceResult<Ok> fill(BufferRange to, std::uint64_t elements, const Fill& how) override {
    const DataType type = how.kind == Fill::Kind::kBytes ? DataType::kUInt8 : how.type;
    const std::size_t size = size_of(type);
    if (!covers(to, elements * size)) return fail(DeviceError::kInvalid, "fill out of range");
    const bool constant = how.kind == Fill::Kind::kBytes || how.kind == Fill::Kind::kConstant;
    const std::uint64_t distinct = constant ? std::min<std::uint64_t>(1, elements) : elements;
    std::byte* out = at(to);
    if (how.kind == Fill::Kind::kMask) {
      mask(out, elements, how);
      return Ok{};
    }
    for (std::uint64_t i = 0; i < distinct; ++i) {
      std::memcpy(out + i * size, scalar_bytes(type, element(how, i)).data(), size);
    }
    // What is there is copied behind itself, twice as much each time.
    for (std::uint64_t done = distinct; done < elements; done *= 2) {
      std::memcpy(out + done * size, out, std::min(done, elements - done) * size);
    }
    return Ok{};
  }

  DeviceResult<Comparison> compare(BufferRange actual, BufferRange expected, DataType type,
                                   std::uint64_t elements, double rtol, double atol) override {
    const std::size_t size = size_of(type);
    if (!covers(actual, elements * size) || !covers(expected, elements * size)) {
      return fail(DeviceError::kInvalid, "compare out of range");
    }
    Comparison out{};
    const std::byte* left = at(actual);
    const std::byte* right = at(expected);
    if (!is_floating(type) && std::memcmp(left, right, elements * size) == 0) return out;
    for (std::uint64_t i = 0; i < elements; ++i) {
      const double a = number(left + i * size, type);
      const double e = number(right + i * size, type);
      double error = std::fabs(a - e);
      if (a == e) error = 0;
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      out.max_abs_error = std::max(out.max_abs_error, error);
      if (std::isfinite(error) && error <= atol + rtol * std::fabs(e)) continue;
      if (out.mismatches++ > 0) continue;
      out.first_mismatch = i;
      out.first_value = a;
      out.first_expected = e;
    }
    return out;
  }

  DeviceResult<LoadedKernel> load(const Artifact& artifact) override {
    const auto found = kernels.find(artifact.image);
    if (found == kernels.end()) {
      return fail(DeviceError::kInvalid, "no kernel '" + artifact.image + "' in the image");
    }
    if (found->second.load_failure) return Unexpected{*found->second.load_failure};
    const KernelId first = ++last_id_;
    loaded_[first] = {artifact.image, {}, {}};
    LoadedKernel out{first, found->second.resources};
    for (const NextKernel& next : artifact.then) {
      loaded_[++last_id_] = {next.entry, {}, {}};
      loaded_[first].next.push_back(last_id_);
      out.then.push_back({last_id_, kernels.at(next.entry).resources});
    }
    return out;
  }
  void unload(KernelId kernel) override {
    for (const KernelId next : loaded_.at(kernel).next) loaded_.erase(next);
    loaded_.erase(kernel);
  }
  DeviceResult<Ok> set_symbol(KernelId kernel, const std::string& lowered_name,
                              std::span<const std::byte> bytes) override {
    const auto& sizes = kernels.at(loaded_.at(kernel).name).symbol_bytes;
    const auto size = sizes.find(lowered_name);
    if (size != sizes.end() && size->second != bytes.size()) {
      return fail(DeviceError::kInvalid, "another size");
    }
    loaded_.at(kernel).symbols[lowered_name] = {bytes.begin(), bytes.end()};
    return Ok{};
  }

  DeviceResult<Ok> launch(const LaunchSequence& sequence) override {
    for (const KernelLaunch& one : sequence) {
      Kernel& code = kernels.at(loaded_.at(one.kernel).name);
      if (code.launch_failure) return Unexpected{*code.launch_failure};
      run(one);
    }
    return Ok{};
  }

  // Kernels here have no threads: one says what becomes of it in another order.
  DeviceResult<Ok> launch_shuffled(const LaunchSequence& sequence, std::uint64_t seed) override {
    if (!shuffles) return fail(DeviceError::kUnsupported, "no order of threads");
    shuffled.push_back(seed);
    if (auto done = launch(sequence); !done) return done;
    for (const KernelLaunch& one : sequence) {
      const Loaded& loaded = loaded_.at(one.kernel);
      const auto& spoil = kernels.at(loaded.name).shuffled;
      if (spoil) spoil(Call{*this, one.geometry, one.arguments, loaded.symbols});
    }
    return Ok{};
  }

  DeviceResult<std::vector<double>> time(const LaunchSequence& sequence,
                                         const TimingRequest& request) override {
    const std::string& name = loaded_.at(sequence.front().kernel).name;
    Kernel& code = kernels.at(name);
    timings.push_back(request);
    timed_order.push_back(name);
    if (code.time_failure) return Unexpected{*code.time_failure};
    std::vector<double> samples;
    for (std::uint32_t i = 0; i < request.samples; ++i) {
      for (const Restore& r : request.restores) {
        if (auto done = copy({r.to, 0}, {r.from, 0}, r.bytes); !done) {
          return Unexpected{done.error()};
        }
      }
      for (const ByteFill& one : request.fills) {
        std::fill_n(at(one.at), one.bytes, static_cast<std::byte>(one.value));
      }
      double total = 0;
      for (std::uint32_t n = 0; n < request.launches_per_sample; ++n) {
        const std::size_t number = std::size_t{i} * request.launches_per_sample + n;
        const auto& turns = request.turns;
        for (const KernelLaunch& one : turns.empty() ? sequence : turns[number % turns.size()]) {
          Kernel& step = kernels.at(loaded_.at(one.kernel).name);
          run(one);
          total += step.milliseconds(step.timed++);
        }
      }
      samples.push_back(total / request.launches_per_sample);
    }
    return samples;
  }

  DeviceResult<double> power(const LaunchSequence& sequence) override {
    const double watts = kernels.at(loaded_.at(sequence.front().kernel).name).watts;
    if (watts == 0) return fail(DeviceError::kUnsupported, "no power meter");
    return watts;
  }

  // Counter number k has the value k + 1.
  Expected<std::vector<std::vector<double>>, Failure> count(
      const std::vector<const LaunchSequence*>& sequences, const std::vector<std::string>& names,
      bool, const std::function<DeviceResult<Ok>(std::size_t)>& restore) override {
    if (passes == 0) {
      return Unexpected{Failure{{DeviceError::kUnsupported, "nobody may look"}, 0}};
    }
    std::vector<std::vector<double>> values(sequences.size());
    for (std::size_t i = 0; i < passes * sequences.size(); ++i) {
      const std::size_t at = i % sequences.size();
      auto done = restore(at);
      if (done) done = launch(*sequences[at]);
      if (!done) return Unexpected{Failure{done.error(), at}};
      values[at].clear();
      for (std::size_t k = 1; k <= names.size(); ++k) values[at].push_back(static_cast<double>(k));
    }
    return values;
  }

  Conditions conditions() override { return at_; }
  Conditions at_{};  // what it runs at

 private:
  struct Loaded {
    std::string name;
    std::map<std::string, std::vector<std::byte>> symbols;
    std::vector<KernelId> next;
  };

  static Unexpected<DeviceFailure> fail(DeviceError error, std::string message) {
    return Unexpected{DeviceFailure{error, std::move(message)}};
  }
  bool covers(BufferRange range, std::uint64_t bytes) const {
    const auto found = buffers_.find(range.buffer);
    return found != buffers_.end() && range.offset + bytes <= found->second.size();
  }
  std::byte* at(BufferRange range) { return buffers_.at(range.buffer).data() + range.offset; }

  void run(const KernelLaunch& launch) {
    for (const Zeros& zeros : launch.zeros) std::fill_n(at(zeros.at), zeros.bytes, std::byte{0});
    const Loaded& loaded = loaded_.at(launch.kernel);
    Kernel& code = kernels.at(loaded.name);
    ++code.launches;
    std::vector<LaunchArgument> arguments = launch.arguments;
    for (LaunchArgument& one : arguments) {
      static_cast<void>(write_addresses(*this, one.addresses, one.scalar));
    }
    if (code.body) code.body(Call{*this, launch.geometry, arguments, loaded.symbols});
  }

  static void mask(std::byte* data, std::uint64_t words, const Fill& how) {
    for (std::uint64_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + 8 * i, sizeof word);
      word ^= splitmix64(splitmix64(how.seed + i) ^ static_cast<std::uint64_t>(how.a));
      std::memcpy(data + 8 * i, &word, sizeof word);
    }
  }
  // The formulas of plugin/abi.h.
  static double element(const Fill& how, std::uint64_t i) {
    const std::uint64_t r = splitmix64(how.seed + i);
    const double u = static_cast<double>(r >> 11) * 0x1p-53;
    switch (how.kind) {
      case Fill::Kind::kBytes:
      case Fill::Kind::kConstant:
        return how.a;
      case Fill::Kind::kUniform:
        return how.a + (how.b - how.a) * u;
      case Fill::Kind::kIntegers:
        return how.a + std::floor((how.b - how.a + 1) * u);
      case Fill::Kind::kSequence:
        return how.a + how.b * static_cast<double>(i);
      case Fill::Kind::kZipf:
        return sdk::elements::element_zipf(how.a, how.b, r) - 1;
      case Fill::Kind::kNormal:
      case Fill::Kind::kMask:
        break;
    }
    double sum = -2;
    for (int shift = 0; shift < 64; shift += 16) {
      sum += static_cast<double>((r >> shift) & 0xFFFF) / 65535;
    }
    return how.a + how.b * sum * std::sqrt(3.0);
  }

  template <typename T>
  static double as(const std::byte* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value);
  }
  static double number(const std::byte* bytes, DataType type) {
    switch (type) {
      case DataType::kFloat32:
        return as<float>(bytes);
      case DataType::kFloat64:
        return as<double>(bytes);
      case DataType::kInt8:
        return as<std::int8_t>(bytes);
      case DataType::kInt16:
        return as<std::int16_t>(bytes);
      case DataType::kInt32:
        return as<std::int32_t>(bytes);
      case DataType::kInt64:
        return as<std::int64_t>(bytes);
      case DataType::kUInt8:
        return as<std::uint8_t>(bytes);
      case DataType::kUInt16:
        return as<std::uint16_t>(bytes);
      case DataType::kUInt32:
        return as<std::uint32_t>(bytes);
      case DataType::kUInt64:
        return as<std::uint64_t>(bytes);
      default:
        return std::numeric_limits<double>::quiet_NaN();
    }
  }

  std::map<BufferId, std::vector<std::byte>> buffers_;
  std::map<std::uint64_t, BufferId> placed_;  // by address
  std::map<KernelId, Loaded> loaded_;
  std::uint64_t last_id_ = 0;
};

}  // namespace tuner
