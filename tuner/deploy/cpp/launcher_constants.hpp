// Which streams have copied what is kept into the constant memory of one variant since either last
// changed. Of more than these the first is forgotten, and copies again, which harms nothing.
struct copied_streams {
  static constexpr unsigned most = 64;
  unsigned long long numbers[most] = {};
  unsigned count = 0;       // of all that came
  std::size_t bytes = 0;    // that they copied
  bool in_a_graph = false;  // that writes a caller's values each time it is launched

  bool has(unsigned long long number) const {
    for (unsigned i = 0; i < count && i < most; ++i) {
      if (numbers[i] == number) return true;
    }
    return false;
  }
  void add(unsigned long long number) { numbers[count++ % most] = number; }
};

// What one constant was set to on one device.
struct kept_constant {
  void* data = nullptr;
  std::size_t bytes = 0;  // 0: it was not set
  copied_streams copied[TUNER_VARIANTS];
};

struct kept_constants {
  int device = 0;
  kept_constant of[TUNER_CONSTANTS];
};

// Of all that is kept, but for the bytes themselves.
std::mutex& constants_guard() {
  static std::mutex one;
  return one;
}

// Whoever replaces or frees kept bytes is alone; launches do not wait for it.
std::mutex& setting_guard() {
  static std::mutex one;
  return one;
}

// By device. Never destroyed: calls may still come while the process ends.
std::map<int, kept_constants>& all_kept() {
  static std::map<int, kept_constants>& all = *new std::map<int, kept_constants>;
  return all;
}

kept_constants& kept_on(int device) {
  thread_local kept_constants* last = nullptr;
  if (last != nullptr && last->device == device) return *last;
  const std::lock_guard<std::mutex> held(constants_guard());
  const auto found = all_kept().try_emplace(device);
  last = &found.first->second;  // stays where it is
  if (found.second) last->device = device;
  return *last;
}

// Waits until the values are there, so that launches in any stream may follow. They stay at one
// address until they are released, because captured graphs copy from there.
cudaError_t keep_constant(int which, const void* from, std::size_t bytes, cudaStream_t stream) {
  constexpr std::size_t room = 65536;  // no constant is larger
  if (from == nullptr || bytes == 0 || bytes > room) return cudaErrorInvalidValue;
  int device = 0;
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cudaError_t failed = cudaGetDevice(&device);
  if (failed == cudaSuccess) failed = cudaStreamIsCapturing(stream, &capturing);
  if (failed != cudaSuccess) return failed;
  if (capturing != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
  const outside_of_captures here;
  kept_constant& kept = kept_on(device).of[which];
  const std::lock_guard<std::mutex> alone(setting_guard());
  if (kept.data == nullptr) {
    void* fresh = nullptr;
    failed = cudaMalloc(&fresh, room);
    if (failed != cudaSuccess) return failed;
    kept.data = fresh;
  }
  failed = cudaMemcpyAsync(kept.data, from, bytes, cudaMemcpyDefault, stream);
  const cudaError_t waited = cudaStreamSynchronize(stream);
  if (failed == cudaSuccess) failed = waited;
  const std::lock_guard<std::mutex> held(constants_guard());
  kept.bytes = failed == cudaSuccess ? bytes : 0;  // else nobody knows what is there
  for (copied_streams& one : kept.copied) one.count = 0;
  return failed;
}

// Writes the constant memory of a variant.
using put_function = cudaError_t (*)(int variant, const void* from, std::size_t bytes,
                                     cudaStream_t stream);

// Puts the caller's values into the stream, or those that are kept where the caller gives none and
// this stream has not copied them yet.
cudaError_t set_constant(kept_constant& kept, put_function put, int variant, const void* given,
                         std::size_t bytes, cudaStream_t stream) {
  if (variant < 0 || variant >= int(sizeof kept.copied / sizeof *kept.copied)) {
    return cudaErrorInvalidValue;
  }
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cudaError_t failed = cudaStreamIsCapturing(stream, &capturing);
  if (failed != cudaSuccess) return failed;
  const bool is_captured = capturing != cudaStreamCaptureStatusNone;
  copied_streams& copied = kept.copied[variant];
  if (given != nullptr) {
    failed = put(variant, given, bytes, stream);
    const std::lock_guard<std::mutex> held(constants_guard());
    copied.count = 0;
    copied.in_a_graph = copied.in_a_graph || is_captured;
    return failed;
  }
  unsigned long long number = 0;
  if (!is_captured) failed = number_of(stream, number);
  if (failed != cudaSuccess) return failed;
  const std::lock_guard<std::mutex> held(constants_guard());
  if (kept.bytes == 0 || kept.bytes < bytes) return cudaErrorInvalidValue;
  // Before CUDA 12 a stream may have the number of one that was destroyed.
  const bool counts = CUDART_VERSION >= 12000 && !is_captured && !copied.in_a_graph;
  if (copied.bytes != bytes) copied.count = 0;
  if (counts && copied.has(number)) return cudaSuccess;
  failed = put(variant, kept.data, bytes, stream);
  copied.bytes = bytes;
  if (counts && failed == cudaSuccess) copied.add(number);
  return failed;
}

cudaError_t release_kept() {
  const outside_of_captures here;
  const std::lock_guard<std::mutex> alone(setting_guard());
  const std::lock_guard<std::mutex> held(constants_guard());
  cudaError_t failed = cudaSuccess;
  for (auto& one : all_kept()) {
    for (kept_constant& kept : one.second.of) {
      const cudaError_t status = kept.data == nullptr ? cudaSuccess : cudaFree(kept.data);
      if (failed == cudaSuccess) failed = status;
      kept = kept_constant();
    }
  }
  return failed;
}
