namespace TUNER_SPACE {
namespace {

struct device_state {
  int number = 0;
  cudaDeviceProp properties{};
  device facts{};
  bool prepared[TUNER_KERNELS] = {};
};

std::mutex& guard() {
  static std::mutex one;
  return one;
}

// Facts of the current device, asked for once.
cudaError_t current_device(device_state*& out) {
  int number = 0;
  if (const cudaError_t failed = cudaGetDevice(&number); failed != cudaSuccess) return failed;
  thread_local device_state* last = nullptr;
  if (last != nullptr && last->number == number) {
    out = last;
    return cudaSuccess;
  }
  const std::lock_guard<std::mutex> held(guard());
  static std::map<int, device_state> known;  // its elements stay where they are
  auto found = known.find(number);
  if (found == known.end()) {
    device_state fresh;
    fresh.number = number;
    const cudaError_t failed = cudaGetDeviceProperties(&fresh.properties, number);
    if (failed != cudaSuccess) return failed;
    found = known.emplace(number, fresh).first;
    found->second.facts = device_from(found->second.properties);
  }
  out = last = &found->second;
  return cudaSuccess;
}

template <class T>
void* address(T& value) {
  return const_cast<void*>(static_cast<const void*>(&value));
}

// Lets a kernel have all the dynamic shared memory that its static one leaves: once, and the most,
// so that no call takes from another what it is about to use.
cudaError_t allow_shared(device_state& state, int number, const void* kernel) {
  const std::lock_guard<std::mutex> held(guard());
  if (state.prepared[number]) return cudaSuccess;
  cudaFuncAttributes attributes{};
  cudaError_t failed = cudaFuncGetAttributes(&attributes, kernel);
  if (failed != cudaSuccess) return failed;
  const auto most = static_cast<int>(state.properties.sharedMemPerBlockOptin) -
                    static_cast<int>(attributes.sharedSizeBytes);
  failed = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  state.prepared[number] = failed == cudaSuccess;
  return failed;
}

// `number`: of the kernel, among all.
cudaError_t put_in_stream(device_state& state, int number, const void* kernel, const extent& grid,
                          const extent& block, long long shared, void** list, cudaStream_t stream) {
  if (shared > 0) {
    const cudaError_t failed = allow_shared(state, number, kernel);
    if (failed != cudaSuccess) return failed;
  }
  return cudaLaunchKernel(kernel, dim3(grid.x, grid.y, grid.z), dim3(block.x, block.y, block.z),
                          list, static_cast<std::size_t>(shared), stream);
}
