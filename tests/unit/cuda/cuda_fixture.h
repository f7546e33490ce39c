#pragma once
// The cuda backend over a driver without a GPU.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "fake_driver.h"
#include "tuner/plugins/cuda/cuda_backend.h"

namespace tuner::cuda {

inline const std::string kImage = std::string("\x7f") + "ELF and the rest";

inline sdk::Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const sdk::Error& error) {
    return error;
  }
  return {TUNER_OK, "nothing was thrown"};
}

class Cuda : public testing::Test {
 protected:
  std::uint64_t load() { return backend.load(kImage, "kernel").kernel; }
  tuner_launch one_block() {
    tuner_launch launch{};
    launch.struct_size = sizeof launch;
    for (int i = 0; i < 3; ++i) launch.grid[i] = launch.block[i] = 1;
    return launch;
  }
  std::vector<std::string> timed(tuner_timing timing, std::vector<double>* out = nullptr) {
    const auto kernel = load();
    backend.launch(kernel, one_block());
    std::vector<double> milliseconds(timing.samples);
    backend.time(kernel, one_block(), timing, milliseconds);  // the first use has a prelude
    driver.calls.clear();
    backend.time(kernel, one_block(), timing, milliseconds);
    if (out != nullptr) *out = milliseconds;
    return driver.calls;
  }
  FakeDriver driver;
  CudaBackend backend{driver.api(), 1, "auto"};
};

}  // namespace tuner::cuda
