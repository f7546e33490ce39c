#pragma once
// The first OpenCL device of this machine, for tests that need one.

#include <exception>
#include <string>

#include "tuner/plugins/opencl/devices.h"

namespace tuner::opencl {

// Why there is none; empty where there is one.
inline std::string no_device() {
  try {
    all_devices();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Tests of devices skip, and say so, where there is none.
#define TUNER_NEEDS_DEVICE()                                         \
  if (const std::string why = no_device(); !why.empty()) {           \
    GTEST_SKIP() << "NO OPENCL DEVICE, NOTHING WAS TESTED: " << why; \
  }                                                                  \
  static_assert(true)

}  // namespace tuner::opencl
