// CUB's scans beside a copy of as many bytes, cold cache: what the shipped scans are compared with.
//
// usage: scans [N...]      prints GB/s, each element read once and written once

#include <cub/device/device_scan.cuh>

#include "common.h"

namespace {

template <class T, class Scan>
void line(const char* study, long long n, Scan scan) {
  Race race;
  Buffer<T> x(n), y(n);
  fill<<<1024, 256>>>(x.data(), n, 1, true);
  std::size_t bytes = 0;
  check(scan(nullptr, bytes, x.data(), y.data(), n), "CUB");
  Buffer<char> storage(bytes);
  const auto library = [&] { check(scan(storage.data(), bytes, x.data(), y.data(), n), "CUB"); };
  const auto copy = [&] {
    check(cudaMemcpyAsync(y.data(), x.data(), x.bytes(), cudaMemcpyDeviceToDevice), "copy");
  };
  const std::vector<double> times = race.run({library, copy});
  const double moved = 2.0 * double(x.bytes()) / 1e6;
  std::printf("%-15s %11lld  CUB %7.1f  copy %7.1f GB/s\n", study, n, moved / times[0],
              moved / times[1]);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<long long> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {1ll << 20, 1ll << 24, 1ll << 28, 100000007ll};
  const auto sum = [](void* storage, std::size_t& bytes, auto* x, auto* y, long long n) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, x, y, n);
  };
  for (const long long n : sizes) {
    line<float>("scan", n, sum);
    line<float>("scan_exclusive", n,
                [](void* storage, std::size_t& bytes, auto* x, auto* y, long long count) {
                  return cub::DeviceScan::ExclusiveSum(storage, bytes, x, y, count);
                });
    line<float>(
        "scan_max", n, [](void* storage, std::size_t& bytes, auto* x, auto* y, long long count) {
          return cub::DeviceScan::InclusiveScan(storage, bytes, x, y, cuda::maximum<>{}, count);
        });
    line<int>("scan_i32", n, sum);
    line<double>("scan_f64", n, sum);
  }
}
