// As in deep-learning frameworks: a macro makes the grid-stride loop, functions give the launch.
#include <cuda_runtime.h>
#include <cmath>
#include <stdexcept>
#include <vector>

#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

const int NUM_THREADS_CUDA = 512;

inline int GET_BLOCKS(const int N) { return (N + NUM_THREADS_CUDA - 1) / NUM_THREADS_CUDA; }

template <typename Dtype>
class ReLULayer {
 public:
  void Forward_gpu(const std::vector<Dtype*>& bottom, const std::vector<Dtype*>& top, int count);

 private:
  Dtype negative_slope_ = Dtype(0.1);
};

template <typename Dtype>
__global__ void ReLUForward(const int n, const Dtype* in, Dtype* out, Dtype negative_slope) {
  CUDA_KERNEL_LOOP(index, n) {
    out[index] = in[index] > 0 ? in[index] : in[index] * negative_slope;
  }
}

template <typename Dtype>
void ReLULayer<Dtype>::Forward_gpu(const std::vector<Dtype*>& bottom, const std::vector<Dtype*>& top,
                                   int count) {
  if (bottom.empty()) throw std::runtime_error("no bottom");
  const Dtype* bottom_data = bottom[0];
  Dtype* top_data = top[0];
  // NOLINT_NEXT_LINE(whitespace/operators)
  ReLUForward<Dtype><<<GET_BLOCKS(count), NUM_THREADS_CUDA>>>(count, bottom_data, top_data,
                                                              negative_slope_);
}

template class ReLULayer<float>;
template class ReLULayer<double>;
