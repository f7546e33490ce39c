#pragma once
// One opened device, and the compiler of its kernels. A device lives in a run worker; every call
// may take the process down.

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/model/data_type.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/trial.h"
#include "tuner/plugin/abi.h"

namespace tuner {

enum class DeviceError : std::uint32_t {
  kNone = 0,
  kInvalid = 1,  // arguments of the call are impossible (bad handle, bad range)
  kOutOfMemory = 2,
  kLaunch = 3,   // refused before anything ran; the context is still good
  kRuntime = 4,  // the kernel did something illegal; the context may be dead
  kUnsupported = 5,
  kDeviceLost = 6,  // the device itself is gone or broken
};

struct DeviceFailure {
  DeviceError error = DeviceError::kRuntime;
  std::string message;
};

struct Ok {};
template <typename T>
using DeviceResult = Expected<T, DeviceFailure>;

using BufferId = std::uint64_t;
using KernelId = std::uint64_t;

// These cross the plugin boundary as they are. They have no defaults: write {} behind a member.
using BufferRange = tuner_range;
using Comparison = tuner_comparison;
using Zeros = tuner_zeros;  // what becomes zero
// Done before every timed sequence, outside the timed region.
using Restore = tuner_restore;     // a copy
using ByteFill = tuner_byte_fill;  // one byte again and again

// Element formulas are in plugin/abi.h (tuner_fill).
struct Fill {
  enum class Kind : std::uint32_t {
    kBytes = 0,
    kConstant,
    kUniform,
    kNormal,
    kIntegers,
    kSequence,
    kMask,  // exclusive or, of 64-bit words
    kZipf
  };
  Kind kind = Kind::kBytes;
  DataType type = DataType::kUInt8;
  double a = 0;
  double b = 0;
  std::uint64_t seed = 0;
};

struct LoadedKernel {
  KernelId id = 0;
  Resources resources;
  std::vector<LoadedKernel> then{};  // those of the artifact; they go with it
};

// Byte `place` of an argument begins the address of `of`, or the object that is a texture over it:
// 8 bytes.
struct AddressAt {
  std::uint64_t place = 0;
  BufferRange of{};
  std::optional<TextureView> texture{};
};

// Arguments in the order of the kernel's signature: a buffer (with offset), a map of one, or bytes:
// those of a number or a struct, with the addresses that stand in them.
struct LaunchArgument {
  bool is_buffer = false;
  BufferRange buffer{};
  std::vector<std::byte> scalar;
  std::optional<TensorMap> map{};  // then is_buffer
  std::vector<AddressAt> addresses{};
};

struct KernelLaunch {
  KernelId kernel = 0;
  LaunchGeometry geometry;
  std::vector<LaunchArgument> arguments;
  std::vector<Zeros> zeros{};  // before it, each time; timed with it
};

// Launches that follow each other in one stream; a variant with one kernel has one.
using LaunchSequence = std::vector<KernelLaunch>;

struct TimingRequest {
  std::uint32_t samples = 1;
  std::uint32_t launches_per_sample = 1;  // of the sequence; > 1 for very short ones (hot only)
  bool flush_cache = true;
  std::vector<Restore> restores;
  bool graph = false;  // the launches of a sample are captured in a graph, which is launched
  // The sequences that take turns, each the same launches on other buffers: launch number i of the
  // request is turns[i % turns.size()]. Empty: always the sequence itself.
  std::vector<LaunchSequence> turns{};
  std::vector<ByteFill> fills{};  // behind the restores
};

// The memory of one device.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual DeviceResult<BufferId> allocate(std::uint64_t bytes) = 0;
  // Allocates memory whose first byte has this address for kernels. What else is in the way there,
  // other buffers of the kind apart, makes it fail. kUnsupported: the backend chooses all
  // addresses.
  virtual DeviceResult<BufferId> allocate_at(std::uint64_t, std::uint64_t) {
    return Unexpected{DeviceFailure{DeviceError::kUnsupported,
                                    "this backend places no memory at given addresses"}};
  }
  virtual void release(BufferId buffer) = 0;
  virtual DeviceResult<Ok> upload(BufferRange to, std::span<const std::byte> bytes) = 0;
  virtual DeviceResult<Ok> download(BufferRange from, std::span<std::byte> bytes) = 0;
  virtual DeviceResult<Ok> fill(BufferRange to, std::uint64_t elements, const Fill& how) = 0;
  virtual DeviceResult<Ok> copy(BufferRange to, BufferRange from, std::uint64_t bytes) = 0;
  virtual DeviceResult<Comparison> compare(BufferRange actual, BufferRange expected, DataType type,
                                           std::uint64_t elements, double rtol, double atol) = 0;
  // Returns a buffer's address as kernels see it; it stays until the buffer is released.
  // kUnsupported: the backend cannot provide it.
  virtual DeviceResult<std::uint64_t> address(BufferRange of) = 0;
  // An object that kernels read it through; it stays until the buffer is released.
  virtual DeviceResult<std::uint64_t> texture(BufferRange, const TextureView&) {
    return Unexpected{
        DeviceFailure{DeviceError::kUnsupported, "this backend has no textures over buffers"}};
  }
};

// Writes the addresses into the bytes where they stand.
inline DeviceResult<Ok> write_addresses(DeviceMemory& memory, std::span<const AddressAt> addresses,
                                        std::span<std::byte> bytes) {
  for (const AddressAt& one : addresses) {
    const auto address =
        one.texture ? memory.texture(one.of, *one.texture) : memory.address(one.of);
    if (!address) return Unexpected{address.error()};
    std::memcpy(bytes.subspan(one.place).data(), &*address, sizeof *address);
  }
  return Ok{};
}

// The part of a backend that is about its process.
class BackendSetup {
 public:
  virtual ~BackendSetup() = default;
  // Sets limits before anything is loaded; all 0: as at first. kUnsupported: it has none of those
  // that are requested.
  virtual DeviceResult<Ok> set_limits(const KernelLimits& limits) {
    if (!limits.any()) return Ok{};
    return Unexpected{DeviceFailure{DeviceError::kUnsupported,
                                    "this backend has no limits of heap, stack or printf"}};
  }
  // Says what users should know of how it measures in this process; empty: as usual.
  virtual std::string remark() { return {}; }
};

class Backend : public BackendSetup {
 public:
  ~Backend() override = default;
  virtual const DeviceFacts& facts() = 0;
  virtual DeviceMemory& memory() = 0;  // lives as long as the backend

  // A failure here is the variant's (kInvalid: the image does not load; kUnsupported: this backend
  // launches single kernels only).
  virtual DeviceResult<LoadedKernel> load(const Artifact& artifact) = 0;
  virtual void unload(KernelId kernel) = 0;
  virtual DeviceResult<Ok> set_symbol(KernelId kernel, const std::string& lowered_name,
                                      std::span<const std::byte> bytes) = 0;
  // Launches once and waits. A sequence begins with a loaded kernel and goes on with its `then`.
  virtual DeviceResult<Ok> launch(const LaunchSequence& sequence) = 0;
  // Launches like launch(), the threads of each block in an order drawn from `seed` wherever
  // nothing but a barrier would order them. kUnsupported where the device alone decides.
  virtual DeviceResult<Ok> launch_shuffled(const LaunchSequence& sequence, std::uint64_t seed) = 0;
  // Milliseconds of the whole sequence, one for each sample. kUnsupported: no graphs, or no turns.
  virtual DeviceResult<std::vector<double>> time(const LaunchSequence& sequence,
                                                 const TimingRequest& request) = 0;
  // Measures mean power in watts while launches follow each other without a pause, for about a
  // second. Outputs hold whatever that leaves. kUnsupported where the device does not measure it.
  virtual DeviceResult<double> power(const LaunchSequence& sequence) = 0;
  // Reports the device's clock and power during the last time().
  virtual Conditions conditions() = 0;
};

// Interface of backends that work on memory of the application in whose process they are.
class AdoptsMemory {
 public:
  virtual ~AdoptsMemory() = default;
  // A buffer until it is released, which leaves the memory itself alone. `address` is what a kernel
  // is given for it.
  virtual DeviceResult<BufferId> adopt(std::uint64_t address, std::uint64_t bytes) = 0;
};

// Interface of backends that read hardware counters.
class CountsLaunches {
 public:
  struct Failure : DeviceFailure {
    std::size_t at = 0;  // the place of the sequence
  };
  virtual ~CountsLaunches() = default;
  // Counts each sequence by the counters' names: values[sequence][counter], NaN where the device
  // has no value. `restore` is called before each launch with the sequence's place; counting takes
  // several. kUnsupported: it has no counters, or none may look; kInvalid: no such counter. Nothing
  // should be timed in this process afterwards.
  virtual Expected<std::vector<std::vector<double>>, Failure> count(
      const std::vector<const LaunchSequence*>& sequences, const std::vector<std::string>& names,
      bool flush_cache, const std::function<DeviceResult<Ok>(std::size_t)>& restore) = 0;
};

// Source text to something that the backend can load.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Name and version of everything that turns a request into an image; part of every cache key.
  virtual std::string identity() = 0;
  // Throws UnavailableError when it cannot work here any more, whatever the request (no room for
  // its temporary files).
  virtual Expected<Artifact, CompileFailure> compile(const CompileRequest& request) = 0;
};

}  // namespace tuner
