#pragma once
// Driver objects that end with their scope. Destruction ignores errors: after a fault the context
// is dead and every call fails.

#include <memory>
#include <type_traits>

#include "tuner/plugins/cuda/driver_api.h"

namespace tuner::cuda {

template <auto Member>
struct Destroyer {
  const DriverApi* api = nullptr;
  template <typename Handle>
  void operator()(Handle* handle) const {
    (api->*Member)(handle);
  }
};

template <typename Handle, auto Member>
using UniqueHandle = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Member>>;

using Module = UniqueHandle<CUmodule, &DriverApi::module_unload>;
using Stream = UniqueHandle<CUstream, &DriverApi::stream_destroy>;
using Event = UniqueHandle<CUevent, &DriverApi::event_destroy>;

// Device memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DriverApi& api, std::size_t bytes);  // throws sdk::Error
  ~DeviceMemory() {
    if (pointer_ != 0) api_->mem_free(pointer_);
  }
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  CUdeviceptr get() const { return pointer_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
  }
  const DriverApi* api_ = nullptr;
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_ = 0;
};

// The device's primary context, retained and made current.
class PrimaryContext {
 public:
  PrimaryContext(const DriverApi& api, CUdevice device);  // throws sdk::Error
  ~PrimaryContext() { api_.primary_ctx_release(device_); }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  void make_current() const { api_.ctx_set_current(context_); }

 private:
  const DriverApi& api_;
  CUdevice device_;
  CUcontext context_ = nullptr;
};

Stream make_stream(const DriverApi& api);
Event make_event(const DriverApi& api);

}  // namespace tuner::cuda
