// A product of matrices whose loops are cut into tiles. Compiled with the tile as a macro; the
// threads and the size are arguments. It reads a.bin and b.bin, writes c.bin, and prints what it
// took.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#ifndef TILE
#define TILE 32
#endif

namespace {

std::vector<float> read(const char* name, std::size_t count) {
  std::vector<float> all(count);
  std::ifstream(name, std::ios::binary)
      .read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(4 * count));
  return all;
}

// Rows [begin, end) of c = a b.
void multiply(const float* a, const float* b, float* c, int n, int begin, int end) {
  for (int i0 = begin; i0 < end; i0 += TILE) {
    for (int k0 = 0; k0 < n; k0 += TILE) {
      for (int j0 = 0; j0 < n; j0 += TILE) {
        for (int i = i0; i < std::min(i0 + TILE, end); ++i) {
          for (int k = k0; k < std::min(k0 + TILE, n); ++k) {
            const float factor = a[i * n + k];
            for (int j = j0; j < std::min(j0 + TILE, n); ++j) c[i * n + j] += factor * b[k * n + j];
          }
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: matmul N THREADS\n");
    return 2;
  }
  const int n = std::atoi(argv[1]);
  const int threads = std::atoi(argv[2]);
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::vector<float> a = read("a.bin", count);
  const std::vector<float> b = read("b.bin", count);
  std::vector<float> c(count);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> team;
  const int share = (n + threads - 1) / threads;
  for (int begin = 0; begin < n; begin += share) {
    team.emplace_back([&, begin] {
      multiply(a.data(), b.data(), c.data(), n, begin, std::min(begin + share, n));
    });
  }
  for (std::thread& one : team) one.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::ofstream("c.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(c.data()), static_cast<std::streamsize>(4 * count));
  std::printf("time: %.6f s, %.3f GFLOP/s\n", took.count(), 2e-9 * n * n * n / took.count());
}
