// A program that launches saxpy in the ways that programs do, and checks what it has written:
// applied_program check. "short COUNT KERNEL" launches as often as it can instead, to see what a
// launch costs.
#include <cooperative_groups.h>
#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "applied_kernel.cuh"

// Of the same name, with other parameters.
__global__ void saxpy(const double* x, double* y, double a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void tiny(float* p) { p[threadIdx.x] += 1; }

constexpr int kBlock = 32, kLarge = 1 << 24, kOdd = 1000003;

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Vectors {
  explicit Vectors(int count) : n(count) {
    must(cudaMalloc(&x, n * sizeof(float)), "cudaMalloc");
    must(cudaMalloc(&y, n * sizeof(float)), "cudaMalloc");
    std::vector<float> ones(n, 1.0F);
    ones[n - 1] = 3;
    must(cudaMemcpy(x, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    must(cudaMemset(y, 0, n * sizeof(float)), "cudaMemset");
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  int blocks() const { return (n + kBlock - 1) / kBlock; }
  // Whether each element was written so often, in sum; prints what is not so.
  bool holds(float sum, const char* what) const {
    std::vector<float> host(n);
    must(cudaDeviceSynchronize(), what);
    must(cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost), what);
    for (int i = 0; i < n; ++i) {
      const float right = i == n - 1 ? 3 * sum : sum;
      if (host[i] == right) continue;
      std::printf("WRONG %s: y[%d] is %g, not %g\n", what, i, host[i], right);
      return false;
    }
    std::printf("right %s\n", what);
    return true;
  }
  int n;
  float *x = nullptr, *y = nullptr;
};

bool plain(int n, int times) {
  const Vectors v(n);
  for (int i = 0; i < times; ++i) saxpy<<<v.blocks(), kBlock>>>(v.x, v.y, 2.0F, v.n);
  return v.holds(2.0F * times, "launches in the default stream");
}

bool extended() {
  const Vectors v(kOdd);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = 0;
  cudaLaunchConfig_t how{};
  how.gridDim = v.blocks();
  how.blockDim = kBlock;
  how.attrs = &attribute;
  how.numAttrs = 1;
  using Function = void (*)(const float*, float*, float, int);
  const Function function = saxpy;
  const float* x = v.x;
  for (int i = 0; i < 10; ++i) {
    must(cudaLaunchKernelEx(&how, function, x, v.y, 1.0F, v.n), "cudaLaunchKernelEx");
  }
  return v.holds(10, "launches with an attribute");
}

bool by_driver() {
  const Vectors v(kOdd);
  cudaFunction_t function{};
  must(cudaGetFuncBySymbol(&function,
                           reinterpret_cast<const void*>(
                               static_cast<void (*)(const float*, float*, float, int)>(saxpy))),
       "cudaGetFuncBySymbol");
  float a = 1;
  int n = v.n;
  const float* x = v.x;
  float* y = v.y;
  void* parameters[] = {&x, &y, &a, &n};
  for (int i = 0; i < 10; ++i) {
    if (cuLaunchKernel(function, v.blocks(), 1, 1, kBlock, 1, 1, 0, nullptr, parameters, nullptr) !=
        CUDA_SUCCESS) {
      std::printf("WRONG cuLaunchKernel\n");
      return false;
    }
  }
  return v.holds(10, "launches of the driver's interface");
}

bool in_graph() {
  const Vectors v(kOdd);
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t ready{};
  must(cudaStreamCreate(&stream), "cudaStreamCreate");
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < 5; ++i) saxpy<<<v.blocks(), kBlock, 0, stream>>>(v.x, v.y, 1.0F, v.n);
  must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  must(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < 10; ++i) must(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
  return v.holds(50, "launches of a graph");
}

bool cooperative() {
  const Vectors v(1000);
  const float* x = v.x;
  float* y = v.y;
  float a = 1;
  int n = v.n;
  void* parameters[] = {&x, &y, &a, &n};
  const auto function = static_cast<void (*)(const float*, float*, float, int)>(saxpy);
  must(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(function), v.blocks(), kBlock,
                                   parameters, 0, nullptr),
       "cudaLaunchCooperativeKernel");
  return v.holds(1, "a cooperative launch");
}

bool in_threads() {
  std::vector<Vectors> all(4, Vectors(1));
  for (Vectors& one : all) one = Vectors(kOdd);
  std::vector<std::thread> threads;
  for (const Vectors& v : all) {
    threads.emplace_back([&v] {
      cudaStream_t stream{};
      must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      for (int i = 0; i < 50; ++i) saxpy<<<v.blocks(), kBlock, 0, stream>>>(v.x, v.y, 1.0F, v.n);
      must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    });
  }
  for (std::thread& one : threads) one.join();
  bool right = true;
  for (const Vectors& v : all) right = v.holds(50, "launches of four threads") && right;
  return right;
}

bool of_doubles() {
  const Vectors v(1000);
  double *x = nullptr, *y = nullptr;
  must(cudaMalloc(&x, 8000), "cudaMalloc");
  must(cudaMalloc(&y, 8000), "cudaMalloc");
  saxpy<<<32, 32>>>(x, y, 1.0, 1000);
  return v.holds(0, "a kernel of doubles of the same name");
}

int check() {
  bool right = plain(kLarge, 40);
  right = plain(kOdd, 20) && right;
  right = extended() && right;
  right = by_driver() && right;
  right = in_graph() && right;
  right = in_threads() && right;
  right = cooperative() && right;
  right = of_doubles() && right;
  std::printf("replaceable launches of saxpy: %d\n", 40 + 20 + 10 + 10 + 5 + 200);
  return right ? 0 : 1;
}

int launch_short(int count, bool is_saxpy) {
  const Vectors v(1024);
  const auto all = [&](int times) {
    for (int i = 0; i < times; ++i) {
      if (is_saxpy) {
        saxpy<<<v.blocks(), kBlock>>>(v.x, v.y, 1.0F, v.n);
      } else {
        tiny<<<1, 256>>>(v.y);
      }
    }
    must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };
  all(1000);
  const auto begun = std::chrono::steady_clock::now();
  all(count);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  std::printf("%.1f ns a launch\n", 1e9 * taken.count() / count);
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "short") == 0) {
    return launch_short(std::atoi(argv[2]), std::strcmp(argv[3], "saxpy") == 0);
  }
  return check();
}
