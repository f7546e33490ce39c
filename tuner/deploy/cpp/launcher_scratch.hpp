// Scratch memory of one call, given back in the order of the stream.
class scratch_memory {
 public:
  explicit scratch_memory(cudaStream_t stream) : stream_(stream) {}
  ~scratch_memory() {
    if (own_ != nullptr) cudaFreeAsync(own_, stream_);
  }
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;
  cudaError_t get(void* given, std::size_t given_bytes, bool zeroed, std::size_t bytes) {
    if (bytes == 0) return cudaSuccess;
    if (given != nullptr && given_bytes < bytes) return cudaErrorInvalidValue;
    data_ = static_cast<char*>(given);
    if (given == nullptr) {
      const cudaError_t failed = cudaMallocAsync(&own_, bytes, stream_);
      if (failed != cudaSuccess) return failed;
      data_ = static_cast<char*>(own_);
    } else if (zeroed) {
      return cudaSuccess;
    }
    return cudaMemsetAsync(data_, 0, bytes, stream_);
  }
  void* take(long long bytes) {
    char* const start = data_;
    data_ += bytes;
    return start;
  }

 private:
  cudaStream_t stream_;
  void* own_ = nullptr;
  char* data_ = nullptr;
};
