#pragma once
// Calls of the driver that is in the process already, and of CUPTI, which is opened beside it: the
// object that the driver loads into an application links neither.

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "tuner/plugins/cuda/dynamic_library.h"
#include "tuner/plugins/cuda/toolkit.h"

namespace tuner::capture {

// Returns a function of the driver by its exported name. Throws where this driver lacks it.
template <typename Function>
Function driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const found = driver != nullptr ? dlsym(driver, name) : nullptr;
  if (found == nullptr) throw std::runtime_error(std::string("this driver has no ") + name);
  return reinterpret_cast<Function>(found);
}

// The name as cuda.h maps it to the newest version ("cuMemcpyDtoH_v2").
#define TUNER_TEXT_OF(name) #name
#define TUNER_NAME_OF(name) TUNER_TEXT_OF(name)
// NOLINTNEXTLINE(bugprone-macro-parentheses): the operand of decltype is a name
#define TUNER_DRIVER(name) (::tuner::capture::driver_function<decltype(&name)>(TUNER_NAME_OF(name)))

// Throws with the driver's name of the error.
inline void must(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  TUNER_DRIVER(cuGetErrorName)(result, &name);
  throw std::runtime_error(std::string(call) + ": " + (name != nullptr ? name : "failed"));
}

// Returns a function of CUPTI, the application's own if it has loaded one. Throws where there is
// none.
template <typename Function>
Function cupti_function(const char* name) {
  static const auto cupti = cuda::DynamicLibrary::open_first(cuda::cupti_candidates());
  return reinterpret_cast<Function>(cupti.require(name));
}
inline void must(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  throw std::runtime_error(std::string(call) + ": error " + std::to_string(result) + " of CUPTI");
}

// NOLINTBEGIN(bugprone-macro-parentheses): the operand of decltype is a name
#define TUNER_CUPTI_CALL(name) \
  (::tuner::capture::cupti_function<decltype(&name)>(TUNER_TEXT_OF(name)))
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace tuner::capture
