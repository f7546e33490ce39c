// The object that the driver loads into an application when $CUDA_INJECTION64_PATH names it. It
// watches, or waits for a launch, and never ends or disturbs the application, whatever goes wrong.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "tuner/plugins/cuda/capture/driver_calls.h"
#include "tuner/plugins/cuda/capture/recorder.h"
#include "tuner/plugins/cuda/capture/request.h"
#include "tuner/plugins/cuda/capture/watch.h"

namespace tuner::capture {

namespace {

struct Injected {
  Request request;
  std::unique_ptr<Recorder> recorder;
  CUpti_SubscriberHandle subscriber = nullptr;
  std::atomic<bool> is_stopped = false;
};

// Never destroyed: launches may come while the process ends.
Injected& injected() {
  static Injected* const one = new Injected;
  return *one;
}

template <typename Parameters>
Launch launch_of(const Parameters& from, const char* name) {
  return {from.f,
          name,
          {from.gridDimX, from.gridDimY, from.gridDimZ, from.blockDimX, from.blockDimY,
           from.blockDimZ, from.sharedMemBytes},
          from.hStream,
          from.kernelParams,
          nullptr,
          {}};
}

Launch launch_of_config(const cuLaunchKernelEx_params& from, const char* name) {
  const CUlaunchConfig& how = *from.config;
  Launch out{from.f,
             name,
             {how.gridDimX, how.gridDimY, how.gridDimZ, how.blockDimX, how.blockDimY, how.blockDimZ,
              how.sharedMemBytes},
             how.hStream,
             from.kernelParams,
             from.extra,
             {}};
  if (how.numAttrs > 0) out.attributes.assign(how.attrs, how.attrs + how.numAttrs);
  return out;
}

Launch launch_in(const CUpti_CallbackData& call, CUpti_CallbackId id) {
  const char* name = call.symbolName;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
      id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    return launch_of_config(*static_cast<const cuLaunchKernelEx_params*>(call.functionParams),
                            name);
  }
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
      id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
    Launch out =
        launch_of(*static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams), name);
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    out.attributes.push_back(cooperative);
    return out;
  }
  const auto& from = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
  Launch out = launch_of(from, name);
  out.extra = from.extra;
  return out;
}

constexpr std::array kLaunches{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                               CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

constexpr std::array kAllocations{
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,        CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz, CUPTI_DRIVER_TRACE_CBID_cuMemMap};

// The address that a call which allocates has returned, or maps memory at: all of these have it, or
// a pointer to it, as their first parameter.
CUdeviceptr allocated_by(const CUpti_CallbackData& call, CUpti_CallbackId id) {
  CUdeviceptr first = 0;
  std::memcpy(&first, call.functionParams, sizeof first);
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemMap || first == 0) return first;
  CUdeviceptr address = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it is a pointer of the application
  std::memcpy(&address, reinterpret_cast<const void*>(first), sizeof address);
  return address;
}

// Whether no stream means the thread's own in this call.
bool is_per_thread(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

void call_back(bool wanted) {
  const auto enable = TUNER_CUPTI_CALL(cuptiEnableCallback);
  CUpti_SubscriberHandle const subscriber = injected().subscriber;
  const std::uint32_t on = wanted ? 1 : 0;
  enable(on, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  for (const auto id : kLaunches) enable(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  if (injected().request.memory != Request::Memory::kAll) return;
  for (const auto id : kAllocations) enable(on, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
}

// Ends the callbacks: launches cost what they cost without a capture.
void stop_capturing() {
  if (!injected().is_stopped.exchange(true)) call_back(false);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  Recorder& recorder = *injected().recorder;
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
      const auto& module =
          *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
      recorder.take_module(module.pCubin, module.cubinSize);
      return;
    }
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (std::ranges::find(kAllocations, id) != kAllocations.end()) {
      if (call.callbackSite == CUPTI_API_EXIT) recorder.take_allocation(allocated_by(call, id));
    } else if (call.callbackSite == CUPTI_API_ENTER) {
      Launch launch = launch_in(call, id);
      if (launch.stream == nullptr && is_per_thread(id)) launch.stream = CU_STREAM_PER_THREAD;
      recorder.before(launch);
    } else {
      const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
      recorder.after(result != nullptr ? *result : CUDA_SUCCESS);
      if (recorder.is_done()) stop_capturing();
    }
  } catch (const std::exception&) {
    // No room for a name, say: the launch is not captured.
  }
}

void begin_capturing() {
  injected().recorder = std::make_unique<Recorder>(injected().request);
  const CUptiResult result =
      TUNER_CUPTI_CALL(cuptiSubscribe)(&injected().subscriber, called, nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    throw std::runtime_error("CUPTI is in use: another profiler is attached");
  }
  must(result, "cuptiSubscribe");
  call_back(true);
}

}  // namespace
}  // namespace tuner::capture

// Called by the driver at the end of cuInit. 1: all is well.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace tuner::capture;
  try {
    Request& request = injected().request;
    request = Request::of_environment();
    // The mark by which the program sees that the driver has loaded this.
    write_file(request.folder + "/attached-" + std::to_string(getpid()), "");
    try {
      request.watches ? begin_watching(request) : begin_capturing();
    } catch (const std::exception& error) {
      write_json(request.folder + "/failed-" + std::to_string(getpid()) + ".json",
                 {{"kernel", request.kernel}, {"why", error.what()}});
    }
  } catch (const std::exception&) {
    // Without a request, or a place to write to, there is nobody to report to.
  }
  return 1;
}
