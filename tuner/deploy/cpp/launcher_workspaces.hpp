// Waits until it is done, so that any stream may use the memory and no captured graph has to. In a
// stream of its own: work in the default stream would disturb a capture.
cudaError_t zero_now(void* data, std::size_t bytes) {
  cudaStream_t side = nullptr;
  cudaError_t failed = cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  if (failed != cudaSuccess) return failed;
  failed = cudaMemsetAsync(data, 0, bytes, side);
  const cudaError_t waited = cudaStreamSynchronize(side);
  cudaStreamDestroy(side);
  return failed != cudaSuccess ? failed : waited;
}

// Grows. What it has outgrown stays, because launches in flight and captured graphs may use it:
// each piece is at least twice as large as the one before, so that all are together less than twice
// the last.
class growing_memory {
 public:
  cudaError_t reserve(std::size_t bytes, bool zeroed) {
    if (bytes <= bytes_) return cudaSuccess;
    const outside_of_captures here;
    const std::size_t wanted = std::max(bytes, 2 * bytes_);
    void* fresh = nullptr;
    cudaError_t failed = cudaMalloc(&fresh, wanted);
    if (failed != cudaSuccess) return failed;
    if (zeroed) failed = zero_now(fresh, wanted);
    if (failed != cudaSuccess) {
      cudaFree(fresh);
      return failed;
    }
    pieces_.push_back(fresh);
    bytes_ = wanted;
    return cudaSuccess;
  }
  // The next call gets another piece.
  void retire() { bytes_ = 0; }
  cudaError_t release() {
    const outside_of_captures here;
    cudaError_t failed = cudaSuccess;
    for (void* one : pieces_) {
      const cudaError_t status = cudaFree(one);
      if (failed == cudaSuccess) failed = status;
    }
    pieces_.clear();
    bytes_ = 0;
    return failed;
  }
  char* data() const { return bytes_ == 0 ? nullptr : static_cast<char*>(pieces_.back()); }

 private:
  std::vector<void*> pieces_;
  std::size_t bytes_ = 0;  // of the last one
};

// What the launches in one stream use, one after the other.
struct workspace {
  std::mutex busy;       // while a call puts its launches into the stream, none of another between
  growing_memory clean;  // zero when it is made, and left so by each call
  growing_memory other;  // zeroed in each call, or not at all
};

// Device, stream, capture (0: none). A graph may run beside the stream that it was captured in, so
// it has memory of its own. CUDA tells no number of a stream while it is captured: then its handle.
using workspace_key = std::array<unsigned long long, 3>;
using workspace_map = std::map<workspace_key, std::shared_ptr<workspace>>;

std::mutex& workspaces_guard() {
  static std::mutex one;
  return one;
}

// Never destroyed: calls may still come while the process ends.
workspace_map& workspaces() {
  static workspace_map& all = *new workspace_map;
  return all;
}

//part launcher_stream_number.hpp

// A call's hold on the workspace of its stream.
class workspace_hold {
 public:
  cudaError_t get(int device, cudaStream_t stream, long long clean_bytes, long long other_bytes) {
    workspace_key key{static_cast<unsigned long long>(device), 0, 0};
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    cudaError_t failed = cudaStreamGetCaptureInfo(stream, &capturing, &key[2]);
    if (failed != cudaSuccess) return failed;
    key[2] = capturing == cudaStreamCaptureStatusNone ? 0 : key[2] + 1;
    key[1] = reinterpret_cast<std::uintptr_t>(stream);
    if (key[2] == 0) failed = number_of(stream, key[1]);
    if (failed != cudaSuccess) return failed;
    {
      const std::lock_guard<std::mutex> held(workspaces_guard());
      std::shared_ptr<workspace>& known = workspaces()[key];
      if (known == nullptr) known = std::make_shared<workspace>();
      one_ = known;
    }
    busy_ = std::unique_lock<std::mutex>(one_->busy);
    failed = one_->clean.reserve(static_cast<std::size_t>(clean_bytes), true);
    if (failed != cudaSuccess) return failed;
    failed = one_->other.reserve(static_cast<std::size_t>(other_bytes), false);
    clean = one_->clean.data();
    other = one_->other.data();
    return failed;
  }
  // The next `bytes` of `memory`, which is one of those below.
  static void* take(char*& memory, long long bytes) {
    char* const start = memory;
    memory += bytes;
    return start;
  }
  // A launch that cleans up was not to be had after one that does not.
  void spoil() { one_->clean.retire(); }

  char* clean = nullptr;
  char* other = nullptr;

 private:
  std::shared_ptr<workspace> one_;
  std::unique_lock<std::mutex> busy_;  // goes before what it locks
};

template <class Wanted>
cudaError_t release_those(const Wanted& wanted) {
  const std::lock_guard<std::mutex> held(workspaces_guard());
  cudaError_t failed = cudaSuccess;
  for (auto one = workspaces().begin(); one != workspaces().end();) {
    if (!wanted(one->first)) {
      ++one;
      continue;
    }
    {
      const std::lock_guard<std::mutex> waited(one->second->busy);
      const cudaError_t clean = one->second->clean.release();
      const cudaError_t other = one->second->other.release();
      if (failed == cudaSuccess) failed = clean != cudaSuccess ? clean : other;
    }
    // One that a call has in its hands stays: what it makes of it must be found again.
    one = one->second.use_count() == 1 ? workspaces().erase(one) : std::next(one);
  }
  return failed;
}
