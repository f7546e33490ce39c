// An NVIDIA device as a backend: memory, modules and symbols.

#include "tuner/plugins/cuda/cuda_backend.h"

#include "tuner/plugins/cuda/device_facts.h"
#include "tuner/plugins/cuda/driver_error.h"
#include "tuner/plugins/cuda/launch_check.h"

namespace tuner::cuda {
namespace {

CUdevice device_of(const DriverApi& api, std::uint32_t number) {
  int count = 0;
  check(api, api.device_get_count(&count), "cuDeviceGetCount");
  if (number >= static_cast<std::uint32_t>(count)) {
    throw sdk::Error(TUNER_UNSUPPORTED, "there is no CUDA device " + std::to_string(number) +
                                            "; devices are counted from 0 and there are " +
                                            std::to_string(count));
  }
  CUdevice device = 0;
  check(api, api.device_get(&device, static_cast<int>(number)), "cuDeviceGet");
  return device;
}

tuner_resources resources_of(const DriverApi& api, CUfunction function) {
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    check(api, api.func_get_attribute(&value, which, function), "cuFuncGetAttribute");
    return std::int64_t{value};
  };
  tuner_resources out = sdk::kUnknownResources;
  out.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  out.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  out.constant_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  out.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  out.max_threads = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return out;
}

// cuModuleLoadData is told no size: anything but a whole image would be read past its end.
bool looks_like_image(std::string_view image) {
  return image.substr(0, 4) ==
             "\x7f"
             "ELF" ||
         image.find(".version") != std::string_view::npos;
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
    : api_(api), device_(device_of(api_, device)), facts_(device_facts(api_, device_, arch)) {}

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

void CudaBackend::release(std::uint64_t buffer) {
  opened();
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
  const CUdeviceptr target = address(to, elements * element_size(how.type));
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
  const std::uint64_t bytes = elements * element_size(type);
  const CUdeviceptr left = address(actual, bytes);
  const CUdeviceptr right = address(expected, bytes);
  if (elements == 0) return {};
  return opened_->kernels.compare(left, right, type, elements, rtol, atol);
}

sdk::LoadedKernel CudaBackend::load(std::string_view image, std::string_view entry) {
  opened();
  if (!looks_like_image(image)) throw sdk::Error(TUNER_INVALID, "neither a cubin nor PTX");
  const std::string terminated(image);
  CUmodule raw = nullptr;
  check(api_, api_.module_load_data(&raw, terminated.c_str()), "cuModuleLoadData");
  Kernel loaded;
  loaded.module = Module(raw, {&api_});
  return add(std::move(loaded), raw, entry);
}

sdk::LoadedKernel CudaBackend::load_next(std::uint64_t id, std::string_view entry) {
  opened();
  // A kernel that is launched several times is one: what the driver was told of it holds for all.
  if (kernel(id).entry == entry) return {id, kernel(id).resources};
  for (const std::uint64_t other : kernel(id).next) {
    if (kernel(other).entry == entry) return {other, kernel(other).resources};
  }
  const sdk::LoadedKernel loaded = add({}, kernel(id).module.get(), entry);
  kernel(id).next.push_back(loaded.kernel);
  return loaded;
}

sdk::LoadedKernel CudaBackend::add(Kernel loaded, CUmodule module, std::string_view entry) {
  loaded.entry = entry;
  check(api_, api_.module_get_function(&loaded.function, module, loaded.entry.c_str()),
        "cuModuleGetFunction");
  loaded.resources = resources_of(api_, loaded.function);
  read_parameters(loaded);
  const sdk::LoadedKernel out{++last_kernel_, loaded.resources};
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
  if (bytes != size) {
    throw sdk::Error(TUNER_INVALID, "'" + name + "' has " + std::to_string(size) +
                                        " bytes in the kernel, " + std::to_string(bytes) +
                                        " are to be written");
  }
  check(api_, api_.memcpy_htod_async(target, data, bytes, opened_->stream.get()),
        "cuMemcpyHtoDAsync");
  wait("cuMemcpyHtoDAsync");
}

}  // namespace tuner::cuda
