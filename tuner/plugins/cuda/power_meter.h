#pragma once
// Energy that a device has taken, from the management library (NVML). Only reads: clocks and power
// limits stay as they are.

#include <cstdint>
#include <functional>
#include <string>

namespace tuner::cuda {

// Opens libnvidia-ml.so.1 at run time.
class PowerMeter {
 public:
  // `uuid` as the driver gives it ("GPU-..."). Throws sdk::Error (TUNER_UNSUPPORTED) with the
  // reason.
  explicit PowerMeter(const std::string& uuid);

  std::uint64_t millijoules() const;  // since the driver was loaded; throws sdk::Error

 private:
  void* device_ = nullptr;
  int (*total_energy_)(void*, unsigned long long*) = nullptr;
};

// Watts between two steps of the counter, which the device renews some ten times a second, while
// `work` (some milliseconds of load, waited for) is called again and again. `warm_seconds` pass
// first; then at least `seconds` between the steps. Throws sdk::Error when the counter stands
// still.
double mean_watts(const std::function<std::uint64_t()>& millijoules,
                  const std::function<double()>& now_seconds, const std::function<void()>& work,
                  double warm_seconds, double seconds);

}  // namespace tuner::cuda
