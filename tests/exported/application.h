#pragma once
// What the programs here share: memory on the device, streams, graphs, random numbers and sizes,
// and the report.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

inline void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

// An array on the device, filled from the host or with a NaN pattern.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count, int byte = 0xff) : count_(count) {
    must(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
    must(cudaMemset(data_, byte, count * sizeof(T)), "cudaMemset");
  }
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
    must(cudaMemcpy(data_, from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  void fill(int byte) const { must(cudaMemset(data_, byte, count_ * sizeof(T)), "cudaMemset"); }
  std::vector<T> fetch() const {
    std::vector<T> out(count_);
    must(cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return out;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

struct Stream {
  Stream() { must(cudaStreamCreateWithFlags(&id, cudaStreamNonBlocking), "stream"); }
  ~Stream() { cudaStreamDestroy(id); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void wait() const { must(cudaStreamSynchronize(id), "cudaStreamSynchronize"); }
  cudaStream_t id = nullptr;
};

// Nodes of a graph, and how many of them are of a type.
struct NodeCount {
  std::size_t all = 0;
  std::size_t of_type = 0;
};

inline NodeCount count_nodes(cudaGraph_t graph, cudaGraphNodeType wanted) {
  NodeCount count;
  must(cudaGraphGetNodes(graph, nullptr, &count.all), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count.all);
  must(cudaGraphGetNodes(graph, nodes.data(), &count.all), "cudaGraphGetNodes");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    must(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    count.of_type += type == wanted ? 1 : 0;
  }
  return count;
}

inline std::mt19937& generator() {
  static std::mt19937 one(20);
  return one;
}

inline std::vector<float> random_floats(std::size_t count, float low = -1, float high = 1) {
  std::uniform_real_distribution<float> pick(low, high);
  std::vector<float> out(count);
  for (float& value : out) value = pick(generator());
  return out;
}

// Even by logarithm; every second one a multiple of 32.
inline int random_extent(int low, int high) {
  std::uniform_real_distribution<double> pick(std::log(low), std::log(high));
  const int extent = static_cast<int>(std::exp(pick(generator())));
  const bool round = generator()() % 2 == 0;
  return round && extent >= 32 ? extent / 32 * 32 : extent;
}

// Places of an answer that are compared: all of few, a random sample of many.
inline std::vector<std::size_t> places(std::size_t count) {
  constexpr std::size_t kMost = 20000;
  std::vector<std::size_t> out;
  if (count <= kMost) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(i);
    return out;
  }
  std::uniform_int_distribution<std::size_t> pick(0, count - 1);
  for (std::size_t i = 0; i < kMost; ++i) out.push_back(pick(generator()));
  return out;
}

// Counts sizes, ways of use, and what went wrong.
class Report {
 public:
  // `how`: of the launcher's selection; `same`: the header selects the same configuration.
  void line(const char* size, int how, int configuration, bool same, double error, double allowed) {
    static const char* const kNames[] = {"exact",    "near_size",   "near_device",
                                         "fallback", "unsupported", "predicted"};
    const bool right = same && error <= allowed;  // not for NaN
    std::printf("%-24s %-12s configuration %d, error %.3g of %.3g: %s\n", size, kNames[how],
                configuration, error, allowed,
                right  ? "right"
                : same ? "WRONG"
                       : "header and launcher DIFFER");
    ++(right ? right_ : wrong_);
    ++seen_[how];
  }
  void note(const char* what, bool right) {
    std::printf("%s: %s\n", what, right ? "right" : "WRONG");
    ++(right ? right_ : wrong_);
  }
  int end(const char* kernel) const {
    std::printf(
        "%s: %d sizes right, %d wrong; %d exact, %d near, %d from another device, "
        "%d fallbacks, %d predicted\n",
        kernel, right_, wrong_, seen_[0], seen_[1], seen_[2], seen_[3], seen_[5]);
    return wrong_ == 0 && right_ > 0 ? 0 : 1;
  }

 private:
  int right_ = 0;
  int wrong_ = 0;
  int seen_[6] = {};
};

inline cudaDeviceProp device_properties() {
  int number = 0;
  must(cudaGetDevice(&number), "cudaGetDevice");
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
  return properties;
}

// Larger of the two; a NaN stays.
inline double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }
