// The exported histograms beside CUB's DeviceHistogram and a copy, in turns, cold cache, each as a
// call of an application: what prepares the result is part of the time.
//
// usage: histograms [N]      N samples, 2^28; GB/s of samples read, of the copy GB/s read and
// written
//
// Zipf: bin k with a probability in proportion to 1 / (k + 1)^1.1. Every answer is compared. Exit
// status 1: one is wrong.

#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <random>

#include "common.h"
#include "histogram_edges_launcher.hpp"
#include "histogram_launcher.hpp"
#include "histogram_skewed_launcher.hpp"
#include "histogram_u8_launcher.hpp"
#include "histogram_u8_skewed_launcher.hpp"

namespace {

// Number k where a uniform number lies below the share of 0 to k, and not below that of 0 to k - 1.
template <class T>
__global__ void draw(T* data, long long n, const double* shares, int bins) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
    unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    const double u = double((z ^ (z >> 31)) >> 11) * 0x1p-53;
    int low = 0;
    for (int high = bins - 1; low < high;) {
      const int middle = (low + high) / 2;
      if (u < shares[middle])
        high = middle;
      else
        low = middle + 1;
    }
    data[i] = T(low);
  }
}

// Samples 0 to bins - 1: all as likely (alpha 0), or by Zipf's law.
template <class T>
void fill_by_law(Buffer<T>& data, int bins, double alpha) {
  std::vector<double> shares(bins);
  double sum = 0;
  for (int k = 0; k < bins; ++k) shares[k] = sum += std::pow(k + 1, -alpha);
  for (double& one : shares) one /= sum;
  Buffer<double> there(bins);
  check(cudaMemcpy(there.data(), shares.data(), there.bytes(), cudaMemcpyHostToDevice), "shares");
  draw<<<2048, 256>>>(data.data(), (long long)data.size(), there.data(), bins);
  check(cudaDeviceSynchronize(), "draw");
}

struct Contest {
  const char* study;
  const char* input;
  int bins;
};
bool all_right = true;

// `ours` writes its first argument, `cub` is given storage and its second.
template <class T, class Ours, class Cub>
void hold(const Contest& contest, Buffer<T>& samples, Ours ours, Cub cub) {
  static Race race;
  Buffer<unsigned> mine(contest.bins), theirs(contest.bins);
  Buffer<T> copied(samples.size());
  std::size_t bytes = 0;
  check(cub(nullptr, bytes, theirs.data()), "CUB");
  Buffer<char> storage(bytes);
  const std::vector<double> times =
      race.run({[&] { check(ours(mine.data()).status, "launcher"); },
                [&] { check(cub(storage.data(), bytes, theirs.data()), "CUB"); },
                [&] {
                  check(cudaMemcpyAsync(copied.data(), samples.data(), samples.bytes(),
                                        cudaMemcpyDeviceToDevice),
                        "copy");
                }});
  const bool is_right = difference_of(mine, theirs) == 0;
  all_right = all_right && is_right;
  const double read = double(samples.bytes()) / 1e6;
  std::printf(
      "%-20s %-8s %6d bins  ours %7.1f  CUB %7.1f  copy %7.1f GB/s  x %6.2f  of copy %.3f%s\n",
      contest.study, contest.input, contest.bins, read / times[0], read / times[1],
      2 * read / times[2], times[1] / times[0], times[2] / (2 * times[0]),
      is_right ? "" : "  WRONG");
  std::fflush(stdout);
}

void even(Buffer<float>& X, int bins, double alpha) {
  const long long n = (long long)X.size();
  if (alpha == 0) {
    fill<<<1024, 256>>>(X.data(), X.size(), 1, false);
  } else {
    fill_by_law(X, bins, alpha);
  }
  const float lower = alpha == 0 ? -1 : 0, upper = alpha == 0 ? 1 : float(bins);
  const auto cub = [&](void* storage, std::size_t& bytes, unsigned* out) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, X.data(), out, bins + 1, lower,
                                               upper, int(n));
  };
  const char* input = alpha == 0 ? "uniform" : "Zipf 1.1";
  hold(
      {"histogram", input, bins}, X,
      [&](unsigned* out) {
        return histogram_launcher::histogram(X.data(), out, bins, n, lower, upper);
      },
      cub);
  if (alpha == 0) return;
  hold(
      {"histogram_skewed", input, bins}, X,
      [&](unsigned* out) {
        return histogram_skewed_launcher::histogram_skewed(X.data(), out, bins, n, lower);
      },
      cub);
}

void edges(Buffer<float>& X, int bins) {
  fill<<<1024, 256>>>(X.data(), X.size(), 1, false);
  std::mt19937 generator(1);
  std::vector<float> drawn(bins + 1);
  for (float& one : drawn) one = float(generator()) * 0x1p-31f - 1;
  std::sort(drawn.begin(), drawn.end());
  Buffer<float> given(drawn.size());
  check(cudaMemcpy(given.data(), drawn.data(), given.bytes(), cudaMemcpyHostToDevice), "edges");
  const long long n = (long long)X.size();
  hold(
      {"histogram_edges", "uniform", bins}, X,
      [&](unsigned* out) {
        return histogram_edges_launcher::histogram_edges(X.data(), out, bins, n, given.data());
      },
      [&](void* storage, std::size_t& bytes, unsigned* out) {
        return cub::DeviceHistogram::HistogramRange(storage, bytes, X.data(), out, bins + 1,
                                                    given.data(), int(n));
      });
}

void bytes_of_8_bits(long long n, double alpha) {
  Buffer<unsigned char> X(n);
  fill_by_law(X, 256, alpha);
  const auto cub = [&](void* storage, std::size_t& bytes, unsigned* out) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, X.data(), out, 257, 0, 256, int(n));
  };
  if (alpha == 0) {
    hold(
        {"histogram_u8", "uniform", 256}, X,
        [&](unsigned* out) { return histogram_u8_launcher::histogram_u8(X.data(), out, 256, n); },
        cub);
  } else {
    hold(
        {"histogram_u8_skewed", "Zipf 1.1", 256}, X,
        [&](unsigned* out) {
          return histogram_u8_skewed_launcher::histogram_u8_skewed(X.data(), out, 256, n);
        },
        cub);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long long n = argc > 1 ? std::atoll(argv[1]) : 1ll << 28;
  for (const double alpha : {0.0, 1.1}) bytes_of_8_bits(n, alpha);
  Buffer<float> X(n);
  for (const int bins : {256, 2048, 16384, 65536}) {
    for (const double alpha : {0.0, 1.1}) even(X, bins, alpha);
  }
  for (const int bins : {256, 2048, 16384}) edges(X, bins);
  return all_right ? 0 : 1;
}
