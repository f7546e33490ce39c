// Creates and destroys the driver's objects.

#include "tuner/plugins/cuda/handles.h"

#include "tuner/plugins/cuda/driver_error.h"

namespace tuner::cuda {

DeviceMemory::DeviceMemory(const DriverApi& api, std::size_t bytes) : api_(&api), bytes_(bytes) {
  check(api, api.mem_alloc(&pointer_, bytes), "cuMemAlloc");
}

PrimaryContext::PrimaryContext(const DriverApi& api, CUdevice device) : api_(api), device_(device) {
  check(api, api.primary_ctx_retain(&context_, device), "cuDevicePrimaryCtxRetain");
  const CUresult current = api.ctx_set_current(context_);
  if (current == CUDA_SUCCESS) return;
  api.primary_ctx_release(device);
  check(api, current, "cuCtxSetCurrent");
}

Stream make_stream(const DriverApi& api) {
  CUstream raw = nullptr;
  check(api, api.stream_create(&raw, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return Stream(raw, {&api});
}

Event make_event(const DriverApi& api) {
  CUevent raw = nullptr;
  check(api, api.event_create(&raw, CU_EVENT_DEFAULT), "cuEventCreate");
  return Event(raw, {&api});
}

}  // namespace tuner::cuda
