#include "application.h"
#include "matmul_launcher.hpp"
#include "matmul_tuned.h"

static void check(Report& report, const cudaDeviceProp& properties, int M, int N, int K) {
  const auto rows = static_cast<std::size_t>(M);
  const auto cols = static_cast<std::size_t>(N);
  const auto depth = static_cast<std::size_t>(K);
  const auto a = random_floats(rows * depth);
  const auto b = random_floats(depth * cols);
  const DeviceArray<float> A(a);
  const DeviceArray<float> B(b);
  const DeviceArray<float> C(rows * cols);
  const auto done = matmul_launcher::matmul(A.get(), B.get(), C.get(), M, N, K);
  must(done.status, "matmul");
  must(cudaDeviceSynchronize(), "matmul");
  const auto header = matmul_tuned::select(matmul_tuned::device_from(properties), {M, N, K});
  const auto c = C.fetch();
  double error = 0;
  for (const std::size_t place : places(c.size())) {
    double sum = 0;
    for (std::size_t k = 0; k < depth; ++k) {
      sum += static_cast<double>(a[place / cols * depth + k]) *
             static_cast<double>(b[k * cols + place % cols]);
    }
    error = worse(std::abs(static_cast<double>(c[place]) - sum), error);
  }
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d x %d", M, N, K);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 2e-7 * K);
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : matmul_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.M), static_cast<int>(entry.size.N),
          static_cast<int>(entry.size.K));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 2000), random_extent(1, 2000),
          random_extent(1, 4000));
  }
  return report.end("matmul");
}
