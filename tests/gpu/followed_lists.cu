// A program whose kernels reach memory in three ways: through a struct that is passed by value,
// through lists and a table of pointers in device memory, and through variables of the module.
// Two more add floats in whatever order their threads come.
#include <cstdio>
#include <vector>

struct Vectors {
  int count;
  float factor;
  const float* x;
  float* y;
};

template <class T>
__global__ void axpy(Vectors v, T more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < v.count) v.y[i] += v.factor * v.x[i] + more;
}

struct Node {
  float value;
  Node* next;
};
struct Rows {
  const float* const* rows;
  int count;
};
__constant__ float scale;
__device__ int calls;

__global__ void walk(Node* const* heads, Rows table, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) calls++;
  if (i >= count) return;
  float sum = 0;
  for (const Node* at = heads[i]; at != nullptr; at = at->next) sum += at->value;
  for (int row = 0; row < table.count; ++row) sum += table.rows[row][i];
  out[i] = sum * scale;
}

__global__ void add_up(const float* x, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(sum, x[i]);
}

__global__ void add_rows(Rows table, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int row = 0; row < table.count; ++row) atomicAdd(sum, table.rows[row][i]);
}

// Numbers whose sum is about 100, and a thousand times as much on the way there: sums in other
// orders differ by far more than a ten-thousandth of it, and by far less than it.
std::vector<float> that_cancel(int count) {
  std::vector<float> out(count);
  unsigned random = 1;
  for (int i = 0; i < count / 2; ++i) {
    random = random * 1664525u + 1013904223u;
    const float one = (random >> 8) / float(1 << 14) - 512;
    out[i] = one + 0.001f;
    out[count - 1 - i] = 0.001f - one;
  }
  return out;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* out = nullptr;
  cudaMalloc(&out, values.size() * sizeof(T));
  cudaMemcpy(out, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return out;
}

int main() {
  const int count = 100000;
  float* const x = on_device(std::vector<float>(count, 3));
  float* const y = on_device(std::vector<float>(count, 1));
  axpy<double><<<(count + 255) / 256, 256>>>(Vectors{count, 2, x, y}, 0.5);

  Node* nodes = nullptr;
  cudaMalloc(&nodes, 2 * count * sizeof(Node));
  std::vector<Node> host(2 * count);
  std::vector<Node*> heads(count);
  for (int i = 0; i < count; ++i) {
    host[2 * i] = {float(i), nodes + 2 * i + 1};
    host[2 * i + 1] = {0.5f, nullptr};
    heads[i] = nodes + 2 * i;
  }
  cudaMemcpy(nodes, host.data(), host.size() * sizeof(Node), cudaMemcpyHostToDevice);
  const std::vector<const float*> rows{x, y, x};
  const float two = 2;
  cudaMemcpyToSymbol(scale, &two, sizeof two);
  walk<<<(count + 255) / 256, 256>>>(on_device(heads), Rows{on_device(rows), 3},
                                     on_device(std::vector<float>(count)), count);
  std::vector<float> thirds(count);
  for (int i = 0; i < count; ++i) thirds[i] = 1 / (1.0f + i % 999);
  add_up<<<(count + 255) / 256, 256>>>(on_device(thirds), on_device(std::vector<float>(1)), count);
  float* const cancelling = on_device(that_cancel(count));
  add_up<<<(count + 255) / 256, 256>>>(cancelling, on_device(std::vector<float>(1)), count);
  add_rows<<<(count + 255) / 256, 256>>>(Rows{on_device(std::vector<const float*>{cancelling}), 1},
                                         on_device(std::vector<float>(1)), count);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
