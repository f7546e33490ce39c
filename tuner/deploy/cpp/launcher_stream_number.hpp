// Unlike its handle, a stream's number is not given again when the stream is destroyed.
cudaError_t number_of(cudaStream_t stream, unsigned long long& out) {
#if CUDART_VERSION >= 12000
  return cudaStreamGetId(stream, &out);
#else
  thread_local char own = 0;
  const void* handle = stream;
  bool is_own = stream == cudaStreamPerThread;  // one handle for a stream of each thread
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  is_own = is_own || stream == nullptr;
#endif
  if (is_own) handle = &own;
  out = reinterpret_cast<std::uintptr_t>(handle);
  return cudaSuccess;
#endif
}
