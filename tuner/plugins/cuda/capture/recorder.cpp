// Waits for the launch, and writes down its parameters, attributes, variables and memory.

#include "tuner/plugins/cuda/capture/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "tuner/plugins/cuda/launch_bytes.h"

namespace tuner::capture {
namespace {

constexpr std::size_t kMostParameters = 4096;

// A launch may name a CUkernel instead of a CUfunction. Its module is loaded now, if the driver has
// put that off until the first launch: the variables in it are read before that.
CUfunction function_of(CUfunction given) {
  CUmodule module = nullptr;
  CUfunction function = given;
  if (TUNER_DRIVER(cuFuncGetModule)(&module, given) != CUDA_SUCCESS) {
    must(TUNER_DRIVER(cuKernelGetFunction)(&function, reinterpret_cast<CUkernel>(given)),
         "cuKernelGetFunction");
  }
  try {
    driver_function<CUresult (*)(CUfunction)>("cuFuncLoad")(function);
  } catch (const std::exception&) {
    // Drivers before CUDA 12.4 have no such call; a kernel that was launched before is loaded.
  }
  return function;
}

struct Parameter {
  std::size_t offset = 0;
  std::string bytes;
};

std::vector<Parameter> parameters_of(CUfunction function, const Launch& launch) {
  std::vector<Parameter> out;
  const auto info =
      driver_function<CUresult (*)(CUfunction, std::size_t, std::size_t*, std::size_t*)>(
          "cuFuncGetParamInfo");
  const std::string_view buffer = cuda::packed_parameters(launch.extra);
  std::size_t offset = 0, size = 0;
  for (std::size_t i = 0; i < kMostParameters && info(function, i, &offset, &size) == CUDA_SUCCESS;
       ++i) {
    if (launch.parameters != nullptr) {
      out.push_back({offset, std::string(static_cast<const char*>(launch.parameters[i]), size)});
    } else if (offset + size <= buffer.size()) {
      out.push_back({offset, std::string(buffer.substr(offset, size))});
    } else {
      throw std::runtime_error("its parameters cannot be read");
    }
  }
  return out;
}

nlohmann::json attributes_of(const Launch& launch) {
  nlohmann::json out = nlohmann::json::object();
  for (const CUlaunchAttribute& one : launch.attributes) {
    if (one.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& cluster = one.value.clusterDim;
      out["cluster"] = {cluster.x, cluster.y, cluster.z};
    } else if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      out["cooperative"] = one.value.cooperative != 0;
    } else if (one.id == CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
      out["carveout"] = one.value.sharedMemCarveout;
    } else if (one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
      out["programmatic"] = one.value.programmaticStreamSerializationAllowed != 0;
    }
  }
  return out;
}

// Lets copies of the capture go on while another thread captures a graph.
class RelaxedCapture {
 public:
  RelaxedCapture() { TUNER_DRIVER(cuThreadExchangeStreamCaptureMode)(&mode_); }
  ~RelaxedCapture() { TUNER_DRIVER(cuThreadExchangeStreamCaptureMode)(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

bool is_captured_into_graph(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return TUNER_DRIVER(cuStreamIsCapturing)(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// A variable of the kernel's module.
struct Variable {
  std::string name;
  CUdeviceptr address = 0;
  std::string before;

  std::string now() const {
    std::string bytes(before.size(), '\0');
    must(TUNER_DRIVER(cuMemcpyDtoH)(bytes.data(), address, bytes.size()), "cuMemcpyDtoH");
    return bytes;
  }
};

std::vector<Variable> variables_of(CUfunction function, const Image& image) {
  std::vector<Variable> out;
  CUmodule module = nullptr;
  must(TUNER_DRIVER(cuFuncGetModule)(&module, function), "cuFuncGetModule");
  for (const std::string& name : image.variables) {
    Variable one{name, 0, {}};
    std::size_t bytes = 0;
    // Shared memory and texture references have symbols, too, and no address.
    if (TUNER_DRIVER(cuModuleGetGlobal)(&one.address, &bytes, module, name.c_str()) !=
        CUDA_SUCCESS) {
      continue;
    }
    one.before.resize(bytes);
    one.before = one.now();
    out.push_back(std::move(one));
  }
  return out;
}

nlohmann::json device_of_context() {
  CUdevice device = 0;
  must(TUNER_DRIVER(cuCtxGetDevice)(&device), "cuCtxGetDevice");
  char name[256] = {};
  int major = 0, minor = 0, driver = 0;
  TUNER_DRIVER(cuDeviceGetName)(name, sizeof name, device);
  const auto ask = TUNER_DRIVER(cuDeviceGetAttribute);
  ask(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  ask(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  TUNER_DRIVER(cuDriverGetVersion)(&driver);
  return {{"name", name},
          {"number", device},
          {"arch", "sm_" + std::to_string(major * 10 + minor)},
          {"driver", driver}};
}

}  // namespace

struct PendingLaunch {
  std::string mangled, name, prefix;
  nlohmann::json described;  // all that is known before the launch
  std::vector<Variable> variables;
  std::unique_ptr<Snapshot> memory;
};

namespace {

// The launch of this thread that is being captured.
thread_local std::unique_ptr<PendingLaunch> pending_here;

}  // namespace

void Recorder::take_module(const char* bytes, std::size_t count) {
  if (is_complete_) return;
  Image image = image_of(std::string(bytes, count));
  const bool holds = std::ranges::any_of(image.kernels, [&](const std::string& name) {
    return matches(request_.kernel, demangled(name.c_str()));
  });
  if (!holds) return;
  const std::lock_guard lock(images_mutex_);
  images_.push_back(std::move(image));
}

void Recorder::take_allocation(CUdeviceptr address) {
  const std::lock_guard lock(mutex_);
  allocated_.insert(address);
}

bool Recorder::is_due(const Launch& launch, const std::string& name) {
  std::size_t place = 0;
  if (request_.geometries.empty()) {
    if (++seen_ != request_.launch) return false;
  } else {
    const auto found = std::ranges::find(request_.geometries, launch.geometry);
    if (found == request_.geometries.end()) return false;
    place = static_cast<std::size_t>(found - request_.geometries.begin());
    if (done_[place]) return false;
  }
  if (is_captured_into_graph(launch.stream)) {
    note(name,
         "this launch is recorded into a graph, and runs when that is launched: launches of "
         "graphs are not captured");
    return false;
  }
  done_[place] = true;
  return true;
}

const Image& Recorder::image_with(const std::string& mangled) const {
  const std::lock_guard lock(images_mutex_);
  for (const Image& image : images_) {
    if (std::ranges::find(image.kernels, mangled) != image.kernels.end()) return image;
  }
  throw std::runtime_error("the image that holds it was not seen: CUPTI did not report its module");
}

void Recorder::begin(const Launch& launch, const std::string& name) {
  const RelaxedCapture relaxed;
  must(TUNER_DRIVER(cuCtxSynchronize)(), "cuCtxSynchronize");
  auto pending = std::make_unique<PendingLaunch>();
  pending->mangled = launch.mangled;
  pending->name = name;
  pending->prefix = "launch-" + std::to_string(getpid()) + "-" + std::to_string(begun_++) + "-";
  pending->memory = std::make_unique<Snapshot>(request_, pending->prefix);
  const CUfunction function = function_of(launch.function);
  nlohmann::json parameters = nlohmann::json::array();
  for (const Parameter& one : parameters_of(function, launch)) {
    pending->memory->reach(one.bytes.data(), one.bytes.size());
    parameters.push_back({{"offset", one.offset},
                          {"size", one.bytes.size()},
                          {"bytes", cuda::hexadecimal(one.bytes)}});
  }
  int carveout = -1;
  TUNER_DRIVER(cuFuncGetAttribute)
  (&carveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, function);
  pending->described = {{"kernel", {{"mangled", launch.mangled}, {"name", name}}},
                        {"geometry", launch.geometry},
                        {"attributes", attributes_of(launch)},
                        {"parameters", std::move(parameters)},
                        {"device", device_of_context()},
                        {"process", getpid()}};
  if (carveout >= 0) pending->described["attributes"].emplace("carveout", carveout);
  pending->variables = variables_of(function, image_with(launch.mangled));
  for (const Variable& one : pending->variables) {
    pending->memory->reach(one.before.data(), one.before.size());
  }
  for (const CUdeviceptr one : allocated_) pending->memory->reach(&one, sizeof one);
  pending->memory->save();
  pending_here = std::move(pending);
  ++pending_;
}

void Recorder::end(PendingLaunch& pending, CUresult launched) {
  must(launched, "the driver has refused the launch");
  const RelaxedCapture relaxed;
  must(TUNER_DRIVER(cuCtxSynchronize)(), "the launch itself");
  pending.memory->save_written();
  nlohmann::json allocations = nlohmann::json::array();
  for (const Allocation& one : pending.memory->allocations()) {
    allocations.push_back({{"address", one.address},
                           {"size", one.bytes},
                           {"kind", one.kind},
                           {"device", one.device},
                           {"file", one.before},
                           {"written", one.written}});
  }
  nlohmann::json variables = nlohmann::json::array();
  for (const Variable& one : pending.variables) {
    variables.push_back({{"name", one.name},
                         {"bytes", cuda::hexadecimal(one.before)},
                         {"changes", one.now() != one.before}});
  }
  nlohmann::json& out = pending.described;
  out["allocations"] = std::move(allocations);
  out["variables"] = std::move(variables);
  out["image"] = pending.prefix + "image.cubin";
  write_file(request_.folder + "/" + pending.prefix + "image.cubin",
             image_with(pending.mangled).bytes);
  write_json(request_.folder + "/" + pending.prefix + "capture.json", out);  // last: it is whole
}

void Recorder::before(const Launch& launch) {
  if (is_complete_ || pending_here || launch.mangled == nullptr) return;
  const std::lock_guard lock(mutex_);
  auto [known, is_new] = names_.try_emplace(launch.mangled);
  if (is_new) {
    const std::string name = demangled(launch.mangled);
    if (matches(request_.kernel, name)) known->second = name;
  }
  if (known->second.empty() || !is_due(launch, known->second)) return;
  try {
    begin(launch, known->second);
  } catch (const std::exception& error) {
    note(known->second, error.what());
    finish();
  }
}

void Recorder::after(CUresult launched) {
  if (!pending_here) return;
  const std::lock_guard lock(mutex_);
  const std::unique_ptr<PendingLaunch> pending = std::move(pending_here);
  try {
    end(*pending, launched);
  } catch (const std::exception& error) {
    note(pending->name, error.what());
  }
  --pending_;
  finish();
}

void Recorder::finish() {
  is_complete_ = pending_ == 0 && std::ranges::all_of(done_, [](bool one) { return one; });
}

void Recorder::note(const std::string& name, const std::string& why) {
  try {
    write_json(request_.folder + "/failed-" + std::to_string(getpid()) + ".json",
               {{"kernel", name}, {"why", why}});
  } catch (const std::exception&) {
    // The program finds no capture, and says so.
  }
}

}  // namespace tuner::capture
