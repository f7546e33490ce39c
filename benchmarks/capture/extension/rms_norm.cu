#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void rms_norm_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ w,
                                scalar_t* __restrict__ y, int cols, float eps) {
  extern __shared__ float partial[];
  const int row = blockIdx.x;
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float v = x[row * cols + i];
    sum += v * v;
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float scale = rsqrtf(partial[0] / cols + eps);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    y[row * cols + i] = scalar_t(float(x[row * cols + i]) * scale * float(w[i]));
  }
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor w, double eps) {
  TORCH_CHECK(x.is_cuda(), "x must be on a GPU");
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto y = torch::empty_like(x);
  const int cols = x.size(-1);
  const int rows = x.numel() / cols;
  const int threads = 1024;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rms_norm", [&] {
    rms_norm_kernel<scalar_t>
        <<<rows, threads, threads * sizeof(float), at::cuda::getCurrentCUDAStream()>>>(
            x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), cols,
            (float)eps);
  });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("rms_norm", &rms_norm); }
