#include "application.h"
#include "convolution2d_launcher.hpp"
#include "convolution2d_tuned.h"

static void check(Report& report, const cudaDeviceProp& properties, int H, int W) {
  constexpr std::size_t kFilter = 17;
  const auto height = static_cast<std::size_t>(H);
  const auto width = static_cast<std::size_t>(W);
  const std::size_t stride = width + kFilter - 1;
  const auto image = random_floats((height + kFilter - 1) * stride);
  const auto weights = random_floats(kFilter * kFilter);
  const DeviceArray<float> in(image);
  const DeviceArray<float> out(height * width);
  const auto done =
      convolution2d_launcher::convolution2d(in.get(), out.get(), H, W, weights.data());
  must(done.status, "convolution2d");
  must(cudaDeviceSynchronize(), "convolution2d");
  const auto header =
      convolution2d_tuned::select(convolution2d_tuned::device_from(properties), {H, W});
  const auto got = out.fetch();
  double error = 0;
  for (const std::size_t place : places(got.size())) {
    double sum = 0;
    for (std::size_t r = 0; r < kFilter; ++r) {
      for (std::size_t c = 0; c < kFilter; ++c) {
        sum += static_cast<double>(weights[r * kFilter + c]) *
               static_cast<double>(image[(place / width + r) * stride + place % width + c]);
      }
    }
    error = worse(std::abs(static_cast<double>(got[place]) - sum), error);
  }
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d", H, W);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 2e-7 * 289);
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : convolution2d_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.H), static_cast<int>(entry.size.W));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 3000), random_extent(1, 3000));
  }
  return report.end("convolution2d");
}
