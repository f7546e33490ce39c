#pragma once
// Energy that a device has taken, from the management library (NVML). Only reads: clocks and power
// limits stay as they are.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tuner::cuda {

// Opens libnvidia-ml.so.1 at run time.
class PowerMeter {
 public:
  // `uuid` as the driver gives it ("GPU-..."). Throws sdk::Error (TUNER_UNSUPPORTED) with the
  // reason.
  explicit PowerMeter(const std::string& uuid);

  std::uint64_t millijoules() const;  // since the driver was loaded; throws sdk::Error
  double watts() const;               // of the board now; 0 where it does not tell

 private:
  void* device_ = nullptr;
  int (*power_usage_)(void*, unsigned*) = nullptr;  // milliwatts; null: an old library
  int (*total_energy_)(void*, unsigned long long*) = nullptr;
};

// Power of the board while one variant after another is timed. Devices average it over about a
// second: reads before that, or more often, give nothing new.
class BoardPower {
 public:
  explicit BoardPower(std::string uuid) : uuid_(std::move(uuid)) {}
  double watts();  // 0 where nobody tells

 private:
  std::string uuid_;
  std::optional<PowerMeter> meter_;  // opened on first use
  bool absent_ = false;              // and could not be
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point asked_;
  double watts_ = 0;
};

// Watts between two steps of the counter, which the device renews some ten times a second, while
// `work` (some milliseconds of load, waited for) is called again and again. `warm_seconds` pass
// first; then at least `seconds` between the steps. Throws sdk::Error when the counter stands
// still.
double mean_watts(const std::function<std::uint64_t()>& millijoules,
                  const std::function<double()>& now_seconds, const std::function<void()>& work,
                  double warm_seconds, double seconds);

}  // namespace tuner::cuda
