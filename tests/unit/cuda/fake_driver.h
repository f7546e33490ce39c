#pragma once
// A driver without a GPU: device memory is host memory, calls are written down, failures are set.

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

struct FakeDriver {
  std::vector<std::string> calls;           // what touched the stream, in order
  std::map<std::string, CUresult> failing;  // by call
  std::vector<std::size_t> parameters;      // sizes of the kernel's parameters
  std::map<int, int> function_attributes{{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 512},
                                         {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1024},
                                         {CU_FUNC_ATTRIBUTE_NUM_REGS, 96}};
  int dynamic_shared_limit = 0;             // as last set
  std::map<int, int> set_attributes;        // of functions, as last set
  std::vector<CUlaunchAttribute> launched;  // of the last launch that had some
  std::map<int, std::size_t> limits{{CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20},
                                    {CU_LIMIT_STACK_SIZE, 1024}};
  bool capturing = false;  // then calls of the stream go into a graph
  std::vector<std::string> captured;
  struct Map {  // as last encoded, fastest dimension first
    CUtensorMapDataType type{};
    const void* address = nullptr;
    std::vector<cuuint64_t> extents, strides;
    std::vector<cuuint32_t> box;
    CUtensorMapSwizzle swizzle{};
  } map;
  CUDA_RESOURCE_DESC texture_memory{};
  CUDA_TEXTURE_DESC texture_reading{};
  CUtexObject textures_made = 0;
  CUtexObject textures_ended = 0;
  CUsurfObject surfaces_made = 0;
  CUDA_ARRAY3D_DESCRIPTOR array_shape{};
  CUDA_MEMCPY3D array_copy{};                // the last one
  std::vector<std::uint64_t> launched_maps;  // first word of each 128-byte parameter of a launch
  int compute_mode = CU_COMPUTEMODE_DEFAULT;
  int alive = 0;  // allocations, modules, streams and events
  volatile std::uint32_t* gate = nullptr;
  bool gate_open_while_queueing = false;
  bool blocks = false;  // what is launched waits for the device, as with CUDA_LAUNCH_BLOCKING=1
  int waits = 0;        // so many launches do
  std::uint32_t gate_round = 0;

  void wait_for_the_gate();

  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;
  DriverApi api() const;
  CUresult result(const std::string& call) const {
    const auto found = failing.find(call);
    return found == failing.end() ? CUDA_SUCCESS : found->second;
  }
  CUresult note(const std::string& call) {
    (capturing ? captured : calls).push_back(call);
    if (gate != nullptr && *gate != 0) gate_open_while_queueing = true;
    return result(call);
  }

 private:
  FakeDriver* previous_;
};

// For a driver's functions, which carry no context: notes the call with the driver that is there.
CUresult note_of_the_driver(const std::string& call);

}  // namespace tuner::cuda
