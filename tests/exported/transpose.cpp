#include "application.h"
#include "transpose_launcher.hpp"
#include "transpose_tuned.h"

static void check(Report& report, const cudaDeviceProp& properties, int M, int N) {
  const auto rows = static_cast<std::size_t>(M);
  const auto cols = static_cast<std::size_t>(N);
  const auto a = random_floats(rows * cols);
  const DeviceArray<float> A(a);
  const DeviceArray<float> B(rows * cols);
  const auto done = transpose_launcher::transpose(A.get(), B.get(), M, N);
  must(done.status, "transpose");
  must(cudaDeviceSynchronize(), "transpose");
  const auto header = transpose_tuned::select(transpose_tuned::device_from(properties), {M, N});
  const auto b = B.fetch();
  double wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) wrong += b[j * rows + i] == a[i * cols + j] ? 0 : 1;
  }
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d", M, N);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, wrong, 0);
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : transpose_tuned::entries) {
    if (entry.size.M * entry.size.N > (1 << 25)) continue;  // the host takes its time
    check(report, properties, static_cast<int>(entry.size.M), static_cast<int>(entry.size.N));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 5000), random_extent(1, 5000));
  }
  return report.end("transpose");
}
