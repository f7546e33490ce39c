#include "fake_driver.h"

#include <chrono>
#include <thread>

namespace tuner::cuda {
namespace {

FakeDriver* driver = nullptr;  // the driver's functions carry no context

template <typename Handle>
Handle handle() {
  ++driver->alive;
  return reinterpret_cast<Handle>(std::malloc(1));
}

template <typename Handle>
CUresult end(Handle it) {
  --driver->alive;
  std::free(it);
  return CUDA_SUCCESS;
}

void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 232448;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 1 << 21;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      return driver->compute_mode;
    default:
      return 1024;
  }
}

void memory_functions(DriverApi& api) {
  api.mem_alloc = [](CUdeviceptr* out, std::size_t bytes) {
    if (driver->result("alloc") != CUDA_SUCCESS) return driver->result("alloc");
    ++driver->alive;
    *out = reinterpret_cast<CUdeviceptr>(std::calloc(1, bytes));
    return CUDA_SUCCESS;
  };
  api.mem_free = [](CUdeviceptr it) { return end(host(it)); };
  api.mem_host_alloc = [](void** out, std::size_t bytes, unsigned) {
    ++driver->alive;
    *out = std::calloc(1, bytes);
    return CUDA_SUCCESS;
  };
  api.mem_host_get_device_pointer = [](CUdeviceptr* out, void* it, unsigned) {
    *out = reinterpret_cast<CUdeviceptr>(it);
    return CUDA_SUCCESS;
  };
  api.mem_free_host = [](void* it) { return end(it); };
  api.memcpy_htod_async = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    std::memcpy(host(to), from, bytes);
    return driver->note("upload");
  };
  api.memcpy_dtoh_async = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(to, host(from), bytes);
    return driver->note("download");
  };
  api.memcpy_dtod_async = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(host(to), host(from), bytes);
    return driver->note("copy");
  };
  api.memset_d8_async = [](CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
    std::memset(host(to), value, bytes);
    return driver->note("memset");
  };
}

void stream_functions(DriverApi& api) {
  api.stream_create = [](CUstream* out, unsigned) {
    *out = handle<CUstream>();
    return CUDA_SUCCESS;
  };
  api.stream_destroy = [](CUstream it) { return end(it); };
  api.stream_synchronize = [](CUstream) {
    const CUresult result = driver->result("synchronize");
    driver->calls.emplace_back("synchronize");
    return result;
  };
  api.event_create = [](CUevent* out, unsigned) {
    *out = handle<CUevent>();
    return CUDA_SUCCESS;
  };
  api.event_destroy = [](CUevent it) { return end(it); };
  api.event_record = [](CUevent, CUstream) { return driver->note("event"); };
  api.event_elapsed_time = [](float* out, CUevent, CUevent) {
    *out = 6.0F;
    return CUDA_SUCCESS;
  };
  api.stream_wait_value_32 = [](CUstream, CUdeviceptr address, cuuint32_t round, unsigned) {
    driver->gate = static_cast<volatile std::uint32_t*>(host(address));
    driver->gate_round = round;
    *driver->gate = 0;  // each round is told apart by the fake, not by counting
    driver->calls.emplace_back("gate");
    return CUDA_SUCCESS;
  };
}

void kernel_functions(DriverApi& api) {
  api.module_load_data = [](CUmodule* out, const void*) {
    if (driver->result("load") != CUDA_SUCCESS) return driver->result("load");
    *out = handle<CUmodule>();
    return CUDA_SUCCESS;
  };
  api.module_unload = [](CUmodule it) { return end(it); };
  api.module_get_function = [](CUfunction* out, CUmodule module, const char*) {
    *out = reinterpret_cast<CUfunction>(module);
    return driver->result("function");
  };
  api.module_get_global = [](CUdeviceptr* out, std::size_t* size, CUmodule, const char*) {
    static unsigned char symbol[16];
    *out = reinterpret_cast<CUdeviceptr>(symbol);
    *size = sizeof symbol;
    return driver->result("global");
  };
  api.func_get_attribute = [](int* out, CUfunction_attribute which, CUfunction) {
    *out = driver->function_attributes[which];
    return CUDA_SUCCESS;
  };
  api.func_set_attribute = [](CUfunction, CUfunction_attribute which, int value) {
    if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
      driver->dynamic_shared_limit = value;
    }
    driver->set_attributes[which] = value;
    return driver->result("set_attribute");
  };
  api.func_get_param_info = [](CUfunction, std::size_t index, std::size_t*, std::size_t* size) {
    if (index >= driver->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *size = driver->parameters[index];
    return CUDA_SUCCESS;
  };
  api.tensor_map_encode_tiled =
      [](CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank, void* address,
         const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
         const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
         CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
        driver->map = {type,
                       address,
                       {extents, extents + rank},
                       {strides, strides + rank - 1},
                       {box, box + rank},
                       swizzle};
        out->opaque[0] = 4711;
        return driver->result("encode");
      };
  api.tex_object_create = [](CUtexObject* out, const CUDA_RESOURCE_DESC* memory,
                             const CUDA_TEXTURE_DESC* reading, const CUDA_RESOURCE_VIEW_DESC*) {
    driver->texture_memory = *memory;
    driver->texture_reading = *reading;
    *out = ++driver->textures_made;
    return driver->result("texture");
  };
  api.tex_object_destroy = [](CUtexObject) {
    ++driver->textures_ended;
    return CUDA_SUCCESS;
  };
  api.array_create = [](CUarray* out, const CUDA_ARRAY3D_DESCRIPTOR* shape) {
    driver->array_shape = *shape;
    *out = handle<CUarray>();
    return driver->result("array");
  };
  api.array_destroy = [](CUarray it) { return end(it); };
  api.surf_object_create = [](CUsurfObject* out, const CUDA_RESOURCE_DESC* memory) {
    driver->texture_memory = *memory;
    *out = ++driver->surfaces_made;
    return driver->result("surface");
  };
  api.surf_object_destroy = [](CUsurfObject) {
    --driver->surfaces_made;
    return CUDA_SUCCESS;
  };
  api.memcpy_3d_async = [](const CUDA_MEMCPY3D* copy, CUstream) {
    driver->array_copy = *copy;
    const bool fills = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    return driver->note(fills ? "fill array" : "empty array");
  };
  api.launch_kernel = [](CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, CUstream, void** arguments, void**) {
    driver->launched_maps.clear();
    for (std::size_t i = 0; i < driver->parameters.size(); ++i) {
      if (driver->parameters[i] != sizeof(CUtensorMap)) continue;
      driver->launched_maps.push_back(*static_cast<const std::uint64_t*>(arguments[i]));
    }
    driver->wait_for_the_gate();
    return driver->note("kernel");
  };
}

void graph_functions(DriverApi& api) {
  api.launch_kernel_ex = [](const CUlaunchConfig* config, CUfunction, void**, void**) {
    driver->launched.assign(config->attrs, config->attrs + config->numAttrs);
    return driver->note("kernel with attributes");
  };
  api.stream_begin_capture = [](CUstream, CUstreamCaptureMode) {
    driver->capturing = true;
    driver->captured.clear();
    return driver->result("capture");
  };
  api.stream_end_capture = [](CUstream, CUgraph* out) {
    driver->capturing = false;
    *out = handle<CUgraph>();
    return driver->result("end capture");
  };
  api.graph_destroy = [](CUgraph it) { return end(it); };
  api.graph_instantiate = [](CUgraphExec* out, CUgraph, unsigned long long) {
    if (driver->result("instantiate") != CUDA_SUCCESS) return driver->result("instantiate");
    *out = handle<CUgraphExec>();
    return driver->note("instantiate " + std::to_string(driver->captured.size()));
  };
  api.graph_exec_destroy = [](CUgraphExec it) { return end(it); };
  api.graph_upload = [](CUgraphExec, CUstream) { return driver->note("upload graph"); };
  api.graph_launch = [](CUgraphExec, CUstream) { return driver->note("graph"); };
}

}  // namespace

CUresult note_of_the_driver(const std::string& call) { return driver->note(call); }

void FakeDriver::wait_for_the_gate() {
  if (gate == nullptr || (!blocks && waits == 0)) return;
  if (!blocks) --waits;
  while (*gate < gate_round) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

FakeDriver::FakeDriver() : previous_(driver) { driver = this; }
FakeDriver::~FakeDriver() { driver = previous_; }

DriverApi FakeDriver::api() const {
  DriverApi api;
  api.driver_get_version = [](int* out) {
    *out = 13000;
    return CUDA_SUCCESS;
  };
  api.get_error_name = [](CUresult, const char** out) {
    *out = "CUDA_ERROR_SET_BY_TEST";
    return CUDA_SUCCESS;
  };
  api.get_error_string = [](CUresult, const char** out) {
    *out = "a failure";
    return CUDA_SUCCESS;
  };
  api.device_get_count = [](int* out) {
    *out = 2;
    return CUDA_SUCCESS;
  };
  api.device_get = [](CUdevice* out, int number) {
    *out = number;
    return CUDA_SUCCESS;
  };
  api.device_get_name = [](char* out, int, CUdevice) {
    std::strcpy(out, "Fake H200");
    return CUDA_SUCCESS;
  };
  api.device_get_uuid = [](CUuuid* out, CUdevice) {
    for (int i = 0; i < 16; ++i) out->bytes[i] = static_cast<char>(0xF0 + i);
    return CUDA_SUCCESS;
  };
  api.device_get_attribute = [](int* out, CUdevice_attribute which, CUdevice) {
    *out = attribute(which);
    return CUDA_SUCCESS;
  };
  api.device_total_mem = [](std::size_t* out, CUdevice) {
    *out = std::size_t{1} << 37;
    return CUDA_SUCCESS;
  };
  api.primary_ctx_retain = [](CUcontext* out, CUdevice) {
    *out = handle<CUcontext>();
    std::free(*out);
    *out = nullptr;
    return driver->result("retain");
  };
  api.primary_ctx_release = [](CUdevice) {
    --driver->alive;
    return CUDA_SUCCESS;
  };
  api.ctx_get_limit = [](std::size_t* out, CUlimit limit) {
    *out = driver->limits[limit];
    return CUDA_SUCCESS;
  };
  api.ctx_set_limit = [](CUlimit limit, std::size_t bytes) {
    if (driver->result("limit") == CUDA_SUCCESS) driver->limits[limit] = bytes;
    return driver->result("limit");
  };
  api.ctx_synchronize = [] { return CUDA_SUCCESS; };
  api.ctx_set_current = [](CUcontext) { return CUDA_SUCCESS; };
  memory_functions(api);
  stream_functions(api);
  kernel_functions(api);
  graph_functions(api);
  return api;
}

}  // namespace tuner::cuda
