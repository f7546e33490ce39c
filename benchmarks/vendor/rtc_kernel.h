#pragma once
// A kernel compiled at run time with the definitions of one configuration, and its launches.

#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

inline void check(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

inline void check(cudaError_t status, const char* what) {
  check(status == cudaSuccess, std::string(what) + ": " + cudaGetErrorString(status));
}

// The -D options of a configuration, as the tuner makes them.
class Definitions {
 public:
  Definitions& number(const char* name, long long value) {
    options_.push_back(std::string("-DTUNE_") + name + "=" + std::to_string(value));
    return *this;
  }
  Definitions& choice(const char* name, const char* value, bool chosen) {
    options_.push_back(std::string("-DTUNE_") + name + "_IS_" + value + (chosen ? "=1" : "=0"));
    return *this;
  }
  const std::vector<std::string>& options() const { return options_; }

 private:
  std::vector<std::string> options_;
};

struct Shape {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
};

class RtcKernel {
 public:
  // `suffix`: of the architecture's name, "a" for instructions that only one kind of device has.
  RtcKernel(const std::string& folder, const std::string& entry, const Definitions& definitions,
            const Shape& shape, const std::string& suffix = "")
      : shape_(shape) {
    const std::string path = folder + "/" + entry + ".cu";
    std::ifstream file(path);
    check(bool(file), path + ": cannot be read");
    std::stringstream text;
    text << file.rdbuf();

    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "device");
    std::vector<std::string> options = definitions.options();
    options.push_back("--gpu-architecture=sm_" + std::to_string(device.major * 10 + device.minor) +
                      suffix);
    options.push_back("-std=c++17");
    options.push_back("-I" + folder);
    std::vector<const char*> raw;
    for (const std::string& option : options) raw.push_back(option.c_str());

    nvrtcProgram program;
    nvrtcCreateProgram(&program, text.str().c_str(), path.c_str(), 0, nullptr, nullptr);
    if (nvrtcCompileProgram(program, int(raw.size()), raw.data()) != NVRTC_SUCCESS) {
      std::size_t size = 0;
      nvrtcGetProgramLogSize(program, &size);
      std::string log(size, '\0');
      nvrtcGetProgramLog(program, log.data());
      check(false, log);
    }
    std::size_t size = 0;
    nvrtcGetCUBINSize(program, &size);
    std::string image(size, '\0');
    nvrtcGetCUBIN(program, image.data());
    nvrtcDestroyProgram(&program);

    CUmodule module = nullptr;
    check(cuModuleLoadData(&module, image.data()) == CUDA_SUCCESS, entry + ": not loaded");
    module_.reset(module, cuModuleUnload);
    find(entry);
  }

  // Another kernel of the same source.
  RtcKernel another(const std::string& entry, const Shape& shape) const {
    RtcKernel other = *this;
    other.shape_ = shape;
    other.find(entry);
    return other;
  }

  // Copies from the device to a __constant__ symbol.
  void set_constant(const char* name, const void* from, std::size_t bytes) const {
    CUdeviceptr to = 0;
    std::size_t size = 0;
    check(cuModuleGetGlobal(&to, &size, module_.get(), name) == CUDA_SUCCESS && size == bytes,
          std::string(name) + ": no such constant, or of another size");
    check(cuMemcpyDtoD(to, reinterpret_cast<CUdeviceptr>(from), bytes) == CUDA_SUCCESS, name);
  }

  void launch(std::vector<void*> arguments) const {
    const CUresult status = cuLaunchKernel(
        function_, shape_.grid[0], shape_.grid[1], shape_.grid[2], shape_.block[0], shape_.block[1],
        shape_.block[2], shape_.shared_bytes, nullptr, arguments.data(), nullptr);
    check(status == CUDA_SUCCESS, "launch failed");
  }

 private:
  void find(const std::string& entry) {
    check(cuModuleGetFunction(&function_, module_.get(), entry.c_str()) == CUDA_SUCCESS, entry);
    check(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             int(shape_.shared_bytes)) == CUDA_SUCCESS,
          entry + ": too much shared memory");
  }

  Shape shape_;
  std::shared_ptr<std::remove_pointer_t<CUmodule>> module_;
  CUfunction function_ = nullptr;
};
