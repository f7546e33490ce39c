#pragma once
// Further abilities of a backend: base classes that it may have besides (sdk_backend.h).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

class MeasuresPower {
 public:
  virtual ~MeasuresPower() = default;
  // Mean watts while launches follow each other without a pause, for about a second.
  virtual double power(std::uint64_t kernel, const tuner_launch& launch) = 0;
};

class ShufflesThreads {
 public:
  virtual ~ShufflesThreads() = default;
  // Launches like launch(), the threads of each block in an order drawn from `seed`.
  virtual void launch_shuffled(std::uint64_t kernel, const tuner_launch& launch,
                               std::uint64_t seed) = 0;
};

// Launches look at their maps_of(), which have at most five dimensions.
class MapsTensors {
 public:
  virtual ~MapsTensors() = default;
};

class TellsAddresses {
 public:
  virtual ~TellsAddresses() = default;
  // Returns the address as kernels see it; it stays until the buffer is released.
  virtual std::uint64_t address_of(tuner_range at) = 0;
  // Allocates a buffer whose first byte has this address for kernels.
  virtual std::uint64_t allocate_at(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {
    throw Error(TUNER_UNSUPPORTED, "this backend places no memory at given addresses");
  }
};

class MakesTextures {
 public:
  virtual ~MakesTextures() = default;
  // Makes the object that a kernel takes for a texture; it stays until the buffer is released.
  virtual std::uint64_t texture_of(tuner_range at, const tuner_texture& how) = 0;
};

class AdoptsMemory {
 public:
  virtual ~AdoptsMemory() = default;
  // Memory of an application in this process as a buffer, until release(), which does not free it.
  virtual std::uint64_t adopt(std::uint64_t address, std::uint64_t bytes) = 0;
};

class TimesGraphs {
 public:
  virtual ~TimesGraphs() = default;
  // Times like time(), but launches from a graph that holds all launches of a sample.
  virtual void time_graph(std::uint64_t kernel, const tuner_launch& launch,
                          const tuner_timing& timing, std::span<double> milliseconds) = 0;
};

// Timings look at their turns_of().
class RotatesBuffers {
 public:
  virtual ~RotatesBuffers() = default;
};

// Launches look at their attributes.
class SetsLaunchAttributes {
 public:
  virtual ~SetsLaunchAttributes() = default;
};

// The device's clock and power; 0 = not known.
struct Conditions {
  double megahertz = 0;
  double watts = 0;
};

class TellsConditions {
 public:
  virtual ~TellsConditions() = default;
  virtual Conditions conditions() = 0;  // during the last call that timed something
  // Says what users should know of how it measures in this process; empty: as usual.
  virtual std::string remark() { return {}; }
};

class SetsLimits {
 public:
  virtual ~SetsLimits() = default;
  // Bytes of the heap of kernels, of each thread's stack, and of what printf fills; 0: as the
  // device does by itself.
  virtual void set_limits(std::uint64_t heap, std::uint64_t stack, std::uint64_t printf_bytes) = 0;
};

class ReadsCounters {
 public:
  virtual ~ReadsCounters() = default;
  // Begins to count. Returns how often all of so many launches have to be made, in the same order,
  // each time from the same memory. An Error with TUNER_INVALID: one of the names is no counter of
  // this device.
  virtual std::uint32_t begin_counting(const std::vector<std::string>& names,
                                       std::uint32_t launches, bool flush_cache) = 0;
  // Makes one of these launches; its values are written by the last call of the last pass.
  virtual void count(std::uint64_t kernel, const tuner_launch& launch,
                     std::span<double> values) = 0;
};

}  // namespace tuner::sdk
