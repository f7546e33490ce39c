// Decides what an error of the driver means for the configuration that ran.

#include "tuner/plugins/cuda/driver_error.h"

namespace tuner::cuda {

tuner_status classify(CUresult result, Phase phase) {
  switch (result) {
    case CUDA_SUCCESS:
      return TUNER_OK;
    case CUDA_ERROR_OUT_OF_MEMORY:
      return TUNER_OUT_OF_MEMORY;
    // Sticky: the kernel did it, and the context stays dead.
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return TUNER_RUNTIME_FAULT;
    // The device, not the kernel.
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_EXTERNAL_DEVICE:
      return TUNER_DEVICE_LOST;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return TUNER_UNSUPPORTED;
    default:
      break;
  }
  if (phase == Phase::kLaunch) return TUNER_LAUNCH_REFUSED;
  if (phase == Phase::kWait) return TUNER_RUNTIME_FAULT;
  return TUNER_INVALID;
}

std::string describe(const DriverApi& api, CUresult result, const char* call) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.get_error_name(result, &name);
  api.get_error_string(result, &text);
  std::string out = std::string(call) + ": ";
  out += name != nullptr ? name : "error " + std::to_string(static_cast<int>(result));
  if (text != nullptr) out += std::string(" (") + text + ")";
  return out;
}

void check(const DriverApi& api, CUresult result, const char* call, Phase phase) {
  if (result == CUDA_SUCCESS) return;
  throw sdk::Error(classify(result, phase), describe(api, result, call));
}

}  // namespace tuner::cuda
