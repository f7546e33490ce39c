// An NVIDIA device as a backend: memory, modules and symbols.

#include "tuner/plugins/cuda/cuda_backend.h"

#include <algorithm>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {
namespace {

// cuModuleLoadData is told no size: anything but a whole image would be read past its end.
bool looks_like_image(std::string_view image) {
  return image.substr(0, 4) ==
             "\x7f"
             "ELF" ||
         image.find(".version") != std::string_view::npos;
}

// "9.0" of ".version 9.0" in PTX.
std::string ptx_version(std::string_view ptx) {
  constexpr std::string_view kWord = ".version ";
  const std::size_t at = ptx.find(kWord);
  if (at == ptx.npos) return "of no version";
  const std::string_view rest = ptx.substr(at + kWord.size());
  return std::string(rest.substr(0, rest.find_first_of("\r\n ")));
}

}  // namespace

int CudaBackend::device_count() {
  const DriverApi api = load_driver();
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount");
  if (count == 0) throw sdk::Error(TUNER_UNSUPPORTED, "no CUDA device found");
  return count;
}

CudaBackend::CudaBackend(std::uint32_t device, const sdk::Options& options)
    : CudaBackend(load_driver(), device, options.text_of("arch")) {}

CudaBackend::CudaBackend(const DriverApi& api, std::uint32_t device, const std::string& arch)
    : api_(api),
      device_(device_of(api_, device)),
      facts_(device_facts(api_, device_, arch)),
      board_power_(facts_.uuid) {}

CudaBackend::~CudaBackend() {
  for (const auto& [limit, bytes] : first_limits_) {
    if (opened_) api_.ctx_set_limit(limit, bytes);
  }
}

void CudaBackend::set_limits(std::uint64_t heap, std::uint64_t stack, std::uint64_t printf_bytes) {
  opened();
  const auto set = [this](CUlimit limit, const char* name, std::uint64_t bytes) {
    const auto first = std::find_if(first_limits_.begin(), first_limits_.end(),
                                    [limit](const auto& one) { return one.first == limit; });
    if (bytes == 0 && first == first_limits_.end()) return;
    std::size_t now = 0;
    check(api_, api_.ctx_get_limit(&now, limit), "cuCtxGetLimit");
    if (first == first_limits_.end()) {
      first_limits_.emplace_back(limit, now);
    } else if (bytes == 0) {
      bytes = first->second;
    }
    if (now == bytes) return;
    const CUresult result = api_.ctx_set_limit(limit, bytes);
    if (result == CUDA_SUCCESS) return;
    throw sdk::Error(TUNER_UNSUPPORTED, std::string("limits: {") + name + ": " +
                                            std::to_string(bytes) + "} is more than the device " +
                                            "gives, or is changed too late: " +
                                            describe(api_, result, "cuCtxSetLimit"));
  };
  set(CU_LIMIT_MALLOC_HEAP_SIZE, "heap", heap);
  set(CU_LIMIT_STACK_SIZE, "stack", stack);
  set(CU_LIMIT_PRINTF_FIFO_SIZE, "printf", printf_bytes);
}

CudaBackend::Opened::Opened(const DriverApi& api, CUdevice device, const tuner_device_facts& facts)
    : context(api, device),
      stream(make_stream(api)),
      kernels(api, stream.get(), facts.arch, facts.multiprocessors * 8),
      timer(api, stream.get(), facts, kernels) {}

CudaBackend::Opened& CudaBackend::opened() {
  if (!opened_) opened_ = std::make_unique<Opened>(api_, device_, facts_);
  opened_->context.make_current();
  return *opened_;
}

void CudaBackend::wait(const char* call, bool kernel_ran) const {
  check(api_, api_.stream_synchronize(opened_->stream.get()), call,
        kernel_ran ? Phase::kWait : Phase::kCall);
}

CUdeviceptr CudaBackend::address(tuner_range range, std::uint64_t bytes) const {
  const auto found = buffers_.find(range.buffer);
  if (found == buffers_.end()) throw sdk::Error(TUNER_INVALID, "no such buffer");
  const std::uint64_t size = found->second.bytes();
  if (range.offset > size || bytes > size - range.offset) {
    throw sdk::Error(TUNER_INVALID, "bytes " + std::to_string(range.offset) + " to " +
                                        std::to_string(range.offset + bytes) +
                                        " lie outside a buffer of " + std::to_string(size));
  }
  return found->second.get() + range.offset;
}

std::uint64_t CudaBackend::allocate(std::uint64_t bytes) {
  opened();
  DeviceMemory memory(api_, bytes == 0 ? 1 : bytes);
  const std::uint64_t id = memory.get();
  buffers_.emplace(id, std::move(memory));
  return id;
}

// The buffer is named by its address, as all are.
std::uint64_t CudaBackend::allocate_at(std::uint64_t address, std::uint64_t bytes) {
  opened();
  if (!placed_) placed_.emplace(api_, device_);
  placed_->make(address, bytes);
  buffers_.insert_or_assign(address, DeviceMemory::view(address, bytes));
  return address;
}

// Views memory of the device's primary context, which is that of applications of the runtime API,
// too.
std::uint64_t CudaBackend::adopt(std::uint64_t address, std::uint64_t bytes) {
  if (address == 0) throw sdk::Error(TUNER_INVALID, "a null pointer is no device memory");
  const auto own = buffers_.find(address);
  if (own != buffers_.end() && own->second.is_owned()) {
    throw sdk::Error(TUNER_INVALID, "this memory is the backend's own");
  }
  buffers_.insert_or_assign(address, DeviceMemory::view(address, bytes));
  return address;
}

void CudaBackend::release(std::uint64_t buffer) {
  opened();
  textures_.release(buffer);
  buffers_.erase(buffer);
}

void CudaBackend::upload(tuner_range to, const void* data, std::uint64_t bytes) {
  opened();
  const CUdeviceptr target = address(to, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_htod_async(target, data, bytes, opened_->stream.get()),
        "cuMemcpyHtoDAsync");
  wait("cuMemcpyHtoDAsync");
}

void CudaBackend::download(tuner_range from, void* data, std::uint64_t bytes) {
  opened();
  const CUdeviceptr source = address(from, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_dtoh_async(data, source, bytes, opened_->stream.get()),
        "cuMemcpyDtoHAsync");
  wait("cuMemcpyDtoHAsync");
}

void CudaBackend::fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) {
  opened();
  const CUdeviceptr target = address(to, elements * sdk::facts_of(how.type).bytes);
  if (elements > 0) opened_->kernels.fill(target, elements, how);
}

void CudaBackend::copy(tuner_range to, tuner_range from, std::uint64_t bytes) {
  opened();
  const CUdeviceptr target = address(to, bytes);
  const CUdeviceptr source = address(from, bytes);
  if (bytes == 0) return;
  check(api_, api_.memcpy_dtod_async(target, source, bytes, opened_->stream.get()),
        "cuMemcpyDtoDAsync");
  wait("cuMemcpyDtoDAsync");
}

tuner_comparison CudaBackend::compare(tuner_range actual, tuner_range expected, tuner_type type,
                                      std::uint64_t elements, double rtol, double atol) {
  opened();
  const std::uint64_t bytes = elements * sdk::facts_of(type).bytes;
  const CUdeviceptr left = address(actual, bytes);
  const CUdeviceptr right = address(expected, bytes);
  if (elements == 0) return {};
  return opened_->kernels.compare(left, right, type, elements, rtol, atol);
}

sdk::LoadedKernel CudaBackend::load(std::string_view image, std::string_view entry) {
  opened();
  if (entry == programs::kHostEntry) {
    Kernel loaded;
    loaded.function =
        std::make_unique<KernelFunction>(std::make_unique<programs::HostFunction>(image));
    return add(std::move(loaded));
  }
  if (!looks_like_image(image)) throw sdk::Error(TUNER_INVALID, "neither a cubin nor PTX");
  const std::string terminated(image);
  CUmodule raw = nullptr;
  const CUresult result = api_.module_load_data(&raw, terminated.c_str());
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    throw sdk::Error(TUNER_INVALID, describe(api_, result, "cuModuleLoadData") + ": it is PTX " +
                                        ptx_version(image) + ", and the driver is " +
                                        facts_.driver);
  }
  check(api_, result, "cuModuleLoadData");
  Kernel loaded;
  loaded.module = Module(raw, {&api_});
  loaded.entry = entry;
  loaded.function = std::make_unique<KernelFunction>(api_, raw, loaded.entry);
  return add(std::move(loaded));
}

sdk::LoadedKernel CudaBackend::load_next(std::uint64_t id, std::string_view entry) {
  opened();
  // Loads an entry once: its attributes are set in the driver for all launches.
  if (kernel(id).entry == entry) return {id, kernel(id).function->resources()};
  for (const std::uint64_t other : kernel(id).next) {
    if (kernel(other).entry == entry) return {other, kernel(other).function->resources()};
  }
  Kernel other;
  other.entry = entry;
  other.function = std::make_unique<KernelFunction>(api_, kernel(id).module.get(), other.entry);
  const sdk::LoadedKernel loaded = add(std::move(other));
  kernel(id).next.push_back(loaded.kernel);
  return loaded;
}

sdk::LoadedKernel CudaBackend::add(Kernel loaded) {
  const sdk::LoadedKernel out{++last_kernel_, loaded.function->resources()};
  kernels_.emplace(out.kernel, std::move(loaded));
  return out;
}

void CudaBackend::unload(std::uint64_t id) {
  opened();
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) return;
  for (const std::uint64_t next : found->second.next) kernels_.erase(next);
  kernels_.erase(id);
}

CudaBackend::Kernel& CudaBackend::kernel(std::uint64_t id) {
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) throw sdk::Error(TUNER_INVALID, "no such kernel");
  return found->second;
}

void CudaBackend::set_symbol(std::uint64_t id, std::string_view lowered_name, const void* data,
                             std::uint64_t bytes) {
  opened();
  const std::string name(lowered_name);
  CUdeviceptr target = 0;
  std::size_t size = 0;
  check(api_, api_.module_get_global(&target, &size, kernel(id).module.get(), name.c_str()),
        "cuModuleGetGlobal");
  // An array may be sized for the largest case, and the rest keeps its initial value. What a
  // register holds is one number, of one size.
  constexpr std::uint64_t kLargestNumber = 8;
  const bool fits = bytes == size || (bytes < size && size > kLargestNumber);
  if (!fits) {
    throw sdk::Error(TUNER_INVALID, "'" + name + "' has " + std::to_string(size) +
                                        " bytes in the kernel, " + std::to_string(bytes) +
                                        " are to be written");
  }
  check(api_, api_.memcpy_htod_async(target, data, bytes, opened_->stream.get()),
        "cuMemcpyHtoDAsync");
  wait("cuMemcpyHtoDAsync");
}

}  // namespace tuner::cuda
