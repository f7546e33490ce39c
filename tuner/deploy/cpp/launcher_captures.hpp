// Lets this thread allocate while a stream is captured. CUDA forbids that by default, because an
// allocation might wait for the capture; ours is of memory that no stream uses yet.
class outside_of_captures {
 public:
  outside_of_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~outside_of_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_of_captures(const outside_of_captures&) = delete;
  outside_of_captures& operator=(const outside_of_captures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // then what it was before
};
