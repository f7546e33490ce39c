#pragma once
// Inputs, comparisons and the table that all families share.

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "race.h"

// Uniform in [-1, 1], or whole numbers in [-8, 8] (sums of which are exact).
template <class T>
__global__ void fill(T* data, std::size_t size, unsigned seed, bool whole) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < size;
       i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    data[i] = T(whole ? float(int(z % 17) - 8) : float(z >> 40) * 0x1p-23f - 1);
  }
}

// The largest difference beyond `relative` of b's value, NaN counting as infinite.
template <class T>
__global__ void compare(const T* a, const T* b, std::size_t size, float relative, int* worst) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < size;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const float difference = fabsf(float(a[i]) - float(b[i])) - relative * fabsf(float(b[i]));
    const float seen = difference <= 3e38f ? difference : INFINITY;
    if (seen > 0) atomicMax(worst, __float_as_int(seen));
  }
}

template <class T>
float difference_of(Buffer<T>& a, Buffer<T>& b, double relative = 0) {
  Buffer<int> worst(1);
  compare<<<1024, 256>>>(a.data(), b.data(), a.size(), float(relative), worst.data());
  float difference = 0;
  check(cudaMemcpy(&difference, worst.data(), 4, cudaMemcpyDeviceToHost), "compare");
  return difference;
}

template <class T>
void expect_equal(Buffer<T>& a, Buffer<T>& b, double tolerance, const char* what) {
  const float difference = difference_of(a, b);
  check(difference <= tolerance, std::string(what) + ": differs by " + std::to_string(difference));
}

template <class Extent>
Shape shape_of(const Extent& grid, const Extent& block, long long shared_bytes) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, unsigned(shared_bytes)};
}

inline cudaDeviceProp this_device() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device");
  return properties;
}

// One line of the table; the ratios are collected for the geometric mean.
class Table {
 public:
  void line(const std::string& family, const std::string& size, double work, const char* unit,
            double tuned_ms, const std::map<std::string, double>& others) {
    std::printf("%-10s %-20s tuned %9.4f ms %8.1f %s", family.c_str(), size.c_str(), tuned_ms,
                work / tuned_ms / 1e6, unit);
    for (const auto& [name, ms] : others) {
      std::printf("  %s %9.4f ms %8.1f (x %.3f)", name.c_str(), ms, work / ms / 1e6, ms / tuned_ms);
      ratios_[family + " / " + name].push_back(ms / tuned_ms);
    }
    std::printf("\n");
  }
  ~Table() {
    for (const auto& [name, ratios] : ratios_) {
      double sum = 0;
      for (const double ratio : ratios) sum += std::log(ratio);
      std::printf("geometric mean, %s: %.3f over %zu sizes, lowest %.3f\n", name.c_str(),
                  std::exp(sum / ratios.size()), ratios.size(),
                  *std::min_element(ratios.begin(), ratios.end()));
    }
  }

 private:
  std::map<std::string, std::vector<double>> ratios_;
};
