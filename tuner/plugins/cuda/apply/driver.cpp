// Finds functions of the driver without the lookups that this object has put itself in front of.

#include "tuner/plugins/cuda/apply/driver.h"

#include <dlfcn.h>

#include <atomic>

namespace tuner::apply {

Lookup real_dlsym() {
  static std::atomic<Lookup> known = nullptr;
  Lookup lookup = known;
  // The versions of glibc since 2.34, and before it of x86-64 and of aarch64.
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (lookup == nullptr) {
      lookup = reinterpret_cast<Lookup>(::dlvsym(RTLD_NEXT, "dlsym", version));
    }
  }
  known = lookup;
  return lookup;
}

void* driver_symbol(const char* name) {
  static std::atomic<void*> driver = nullptr;
  if (driver == nullptr) driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver != nullptr ? real_dlsym()(driver, name) : nullptr;
}

std::string name_of(CUresult result) {
  const char* name = nullptr;
  const auto ask = reinterpret_cast<decltype(&cuGetErrorName)>(driver_symbol("cuGetErrorName"));
  if (ask != nullptr) ask(result, &name);
  return name != nullptr ? name : "error " + std::to_string(result);
}

void must(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(std::string(call) + ": " + name_of(result));
}

void RelaxedCapture::exchange() { TUNER_DRIVER(cuThreadExchangeStreamCaptureMode)(&mode_); }

bool is_captured(CUstream stream) noexcept {
  try {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return TUNER_DRIVER(cuStreamIsCapturing)(stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace tuner::apply
