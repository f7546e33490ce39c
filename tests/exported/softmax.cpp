#include "application.h"
#include "softmax_launcher.hpp"
#include "softmax_tuned.h"

static void check(Report& report, const cudaDeviceProp& properties, int M, int N) {
  const auto rows = static_cast<std::size_t>(M);
  const auto cols = static_cast<std::size_t>(N);
  const auto x = random_floats(rows * cols, -4, 4);
  const DeviceArray<float> X(x);
  const DeviceArray<float> Y(rows * cols);
  const auto done = softmax_launcher::softmax(X.get(), Y.get(), M, N);
  must(done.status, "softmax");
  must(cudaDeviceSynchronize(), "softmax");
  const auto header = softmax_tuned::select(softmax_tuned::device_from(properties), {M, N});
  const auto y = Y.fetch();
  double error = 0;
  for (const std::size_t row : places(rows)) {
    double most = -1e30;
    double sum = 0;
    for (std::size_t i = 0; i < cols; ++i) {
      most = std::max(most, static_cast<double>(x[row * cols + i]));
    }
    for (std::size_t i = 0; i < cols; ++i) {
      sum += std::exp(static_cast<double>(x[row * cols + i]) - most);
    }
    for (std::size_t i = 0; i < cols; ++i) {
      const double expected = std::exp(static_cast<double>(x[row * cols + i]) - most) / sum;
      error = worse(std::abs(static_cast<double>(y[row * cols + i]) - expected) / expected, error);
    }
  }
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d", M, N);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 1e-5);
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : softmax_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.M), static_cast<int>(entry.size.N));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 4000), random_extent(1, 8000));
  }
  return report.end("softmax");
}
