// Reads from NVML how much energy a device has taken.

#include "tuner/plugins/cuda/power_meter.h"

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {
namespace {

constexpr int kSuccess = 0;         // NVML_SUCCESS
constexpr double kLongestStep = 2;  // seconds without a step: the counter stands still

[[noreturn]] void fail(const std::string& what, int code) {
  throw sdk::Error(TUNER_UNSUPPORTED, "power cannot be measured: " + what + " (NVML error " +
                                          std::to_string(code) + ")");
}

}  // namespace

PowerMeter::PowerMeter(const std::string& uuid) {
  const auto library = DynamicLibrary::open_first({"libnvidia-ml.so.1"});
  using Init = int (*)();
  using ByUuid = int (*)(const char*, void**);
  const auto init = reinterpret_cast<Init>(library.require("nvmlInit_v2"));
  const auto by_uuid = reinterpret_cast<ByUuid>(library.require("nvmlDeviceGetHandleByUUID"));
  total_energy_ = reinterpret_cast<decltype(total_energy_)>(
      library.require("nvmlDeviceGetTotalEnergyConsumption"));
  power_usage_ = reinterpret_cast<decltype(power_usage_)>(library.find("nvmlDeviceGetPowerUsage"));
  if (const int code = init(); code != kSuccess) fail("nvmlInit", code);
  if (const int code = by_uuid(uuid.c_str(), &device_); code != kSuccess) {
    fail("no device " + uuid, code);
  }
  millijoules();
}

std::uint64_t PowerMeter::millijoules() const {
  unsigned long long value = 0;
  if (const int code = total_energy_(device_, &value); code != kSuccess) {
    fail("this device does not count its energy", code);
  }
  return value;
}

double PowerMeter::watts() const {
  unsigned milliwatts = 0;
  const bool told = power_usage_ != nullptr && power_usage_(device_, &milliwatts) == kSuccess;
  return told ? milliwatts / 1000.0 : 0;
}

double BoardPower::watts() {
  constexpr std::chrono::seconds kFirst{1};
  constexpr std::chrono::milliseconds kPause{250};
  const auto now = std::chrono::steady_clock::now();
  if (absent_ || now - begin_ < kFirst || now - asked_ < kPause) return watts_;
  try {
    if (!meter_) meter_.emplace(uuid_);
    watts_ = meter_->watts();
  } catch (const sdk::Error&) {
    absent_ = true;  // measuring goes on without
  }
  asked_ = now;
  return watts_;
}

double mean_watts(const std::function<std::uint64_t()>& millijoules,
                  const std::function<double()>& now_seconds, const std::function<void()>& work,
                  double warm_seconds, double seconds) {
  struct Step {
    double at;
    std::uint64_t energy;
  };
  // Waits for the counter to change: only then does its value belong to the present moment.
  const auto next_step = [&] {
    const double begin = now_seconds();
    const std::uint64_t before = millijoules();
    for (;;) {
      work();
      const std::uint64_t energy = millijoules();
      const double at = now_seconds();
      if (energy != before) return Step{at, energy};
      if (at - begin > kLongestStep) {
        throw sdk::Error(TUNER_UNSUPPORTED, "power cannot be measured: the counter stands still");
      }
    }
  };
  for (const double begin = now_seconds(); now_seconds() - begin < warm_seconds;) work();
  const Step first = next_step();
  Step last = next_step();
  while (last.at - first.at < seconds) last = next_step();
  return static_cast<double>(last.energy - first.energy) / 1000 / (last.at - first.at);
}

}  // namespace tuner::cuda
