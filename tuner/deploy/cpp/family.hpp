// Made by TUNER_GENERATOR; do not edit. TUNER_FUNCTION: one function of TUNER_COUNT tuned kernels.
// C++17; belongs to the launchers that it includes, whose .cu files nvcc compiles.
//
//   const auto done = TUNER_SPACE::TUNER_FUNCTION(TUNER_CALL_FIRSTstream);
//   // done.status is CUDA's; name_of(done.chosen) is the kernel, in_words(done.how) how it was found
//
// The kernel is the fastest of those that were measured at the nearest size, on the nearest device,
// and that can run this size. Its own launcher chooses the configuration.
#ifndef TUNER_PREFIX_H
#define TUNER_PREFIX_H
//each KERNELS
#include "TUNER_STEM.hpp"
//end

#include <map>
#include <mutex>

namespace TUNER_SPACE {
using TUNER_FIRST::device;
using TUNER_FIRST::dims;
using TUNER_FIRST::match;
using TUNER_FIRST::in_words;
enum class kernel : unsigned char { TUNER_NAMES };
constexpr const char* name_of(kernel one) {
  constexpr const char* names[] = {TUNER_QUOTED};
  return names[static_cast<int>(one)];
}
// Outcome of a call. cudaErrorInvalidConfiguration: none of the kernels can run this size on this
// device.
struct launched {
  cudaError_t status;
  kernel chosen;
  match how;
};

namespace detail {
// The kernel that was the fastest at a size on a device.
struct entry {
  int dev;
  int kernel;
  dims size;
};
constexpr device tuned_device(const char* name, long long compute_capability, long long processors) {
  device v;
  v.name = name;
  v.compute_capability = compute_capability;
  v.multiprocessors = processors;
  return v;
}
constexpr int kernel_count = TUNER_COUNT;
constexpr int device_count = TUNER_DEVICE_COUNT;
constexpr int entry_count = TUNER_ENTRY_COUNT;
constexpr device devices[] = {
//each DEVICES
    tuned_device(TUNER_DEVICE, TUNER_CAPABILITY, TUNER_PROCESSORS),
//end
};
constexpr entry entries[] = {
//each ENTRIES
    {TUNER_DEVICE, TUNER_KERNEL, {TUNER_EXTENTS}},  // TUNER_TIMES
//end
};

// Facts of a device, as each of the kernels sees them.
struct facts {
//each KERNELS
  TUNER_OWN::device of_TUNER_N;
//end
};
//each KERNELS
inline bool serves_TUNER_N(const facts& all, const dims& d) {
  const TUNER_OWN::dims size{TUNER_EXTENTS};
  const auto s = TUNER_OWN::detail::answer_to(all.of_TUNER_N, size);
//if IS_SIZED
  if (s.entry_index < 0) return false;  // the kernel is compiled for each size that was tuned
  const TUNER_OWN::dims& has = TUNER_OWN::entries[s.entry_index].size;
  if (!(TUNER_SAME)) return false;
//end
  return TUNER_OWN::valid(s.cfg, size, all.of_TUNER_N);
}
//end
// The table above, asked for one size on one device: kernels stand where the search for the nearest
// has configurations.
struct question {
  using how = match;
  struct notes {
    TUNER_FIRST::detail::standing devices[device_count];
    int nearest[kernel_count];
    TUNER_FIRST::detail::standing standings[kernel_count];
    bool ruled_out[kernel_count];
  };
  const facts& all;
  const dims& d;
  notes blank() const { return {}; }
  int device_total() const { return device_count; }
  int configuration_total() const { return kernel_count; }
  int entry_total() const { return entry_count; }
  const device& asked() const { return all.of_0; }
  const device& tuned(int i) const { return devices[i]; }
  int device_of(int i) const { return entries[i].dev; }
  int configuration_of(int i) const { return entries[i].kernel; }
  bool serves(int k) const {
    switch (k) {
//each KERNELS
      case TUNER_N: return serves_TUNER_N(all, d);
//end
    }
    return false;
  }
  bool same(int i) const {
    const dims& size = entries[i].size;
    static_cast<void>(size);
    return TUNER_SAME;
  }
  long long distance(int i) const {
    using namespace TUNER_FIRST::detail;
    const dims& size = entries[i].size;
    static_cast<void>(size);
    return TUNER_DISTANCE;
  }
};
struct choice {
  const facts* on = nullptr;
  dims size{};
  kernel chosen{};
  match how = match::unsupported;
};

// Facts of the current device, asked for once.
inline cudaError_t current_facts(const facts*& out) {
  int number = 0;
  cudaError_t failed = cudaGetDevice(&number);
  if (failed != cudaSuccess) return failed;
  thread_local int last = -1;
  thread_local const facts* found = nullptr;
  if (last != number) {
    static std::mutex guard;
    static std::map<int, facts> known;  // its elements stay where they are
    static std::map<int, cudaDeviceProp> properties;  // hold the names
    const std::lock_guard<std::mutex> held(guard);
    if (known.find(number) == known.end()) {
      cudaDeviceProp one{};
      failed = cudaGetDeviceProperties(&one, number);
      if (failed != cudaSuccess) return failed;
      const cudaDeviceProp& p = properties[number] = one;
      known[number] = {\
//each KERNELS
TUNER_OWN::device_from(p), \
//end
};
    }
    found = &known[number];
    last = number;
  }
  out = found;
  return cudaSuccess;
}

// Remembered for the last few sizes of each thread. The answer is good until the thread asks again.
inline const choice& choice_for(const facts& all, const dims& d) {
  constexpr int count = 8;
  thread_local choice known[count];
  thread_local int oldest = 0;
  for (const choice& one : known) {
    const dims& size = one.size;
    static_cast<void>(size);
    if (one.on == &all && TUNER_SAME) return one;
  }
  choice& fresh = known[oldest];
  oldest = (oldest + 1) % count;
  const auto found = TUNER_FIRST::detail::nearest(question{all, d});
  fresh = {&all, d, static_cast<kernel>(found.configuration), found.how};
  return fresh;
}
}  // namespace detail

inline launched TUNER_FUNCTION(TUNER_PARAMETERS) {
  launched done{};
  done.how = match::unsupported;
  const detail::facts* all = nullptr;
  done.status = detail::current_facts(all);
  if (done.status != cudaSuccess) return done;
  dims d;
//each SIZES
  d.TUNER_DIM = static_cast<long long>(TUNER_VALUE);
//end
  if (!(TUNER_POSITIVE)) {
    done.status = cudaErrorInvalidValue;
    return done;
  }
  const detail::choice& chosen = detail::choice_for(*all, d);
  done.chosen = chosen.chosen;
  done.how = chosen.how;
  if (chosen.how == match::unsupported) {
    done.status = cudaErrorInvalidConfiguration;
    return done;
  }
  switch (static_cast<int>(chosen.chosen)) {
//each KERNELS
    case TUNER_N: done.status = TUNER_OWN::TUNER_OWN_FUNCTION(TUNER_CALLstream).status; break;
//end
  }
  return done;
}
}  // namespace TUNER_SPACE
#endif
