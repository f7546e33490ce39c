#include "application.h"
#include "reduction_launcher.hpp"
#include "reduction_tuned.h"

// `total` and `arrivals` are zero before and after each launch: the study has them as inout.
static void check(Report& report, const cudaDeviceProp& properties, long long N) {
  std::uniform_int_distribution<int> pick(-8, 8);
  std::vector<float> x(static_cast<std::size_t>(N));
  double expected = 0;
  for (float& value : x) {
    value = static_cast<float>(pick(generator()));
    expected += static_cast<double>(value);
  }
  const DeviceArray<float> X(x);
  const DeviceArray<float> sum(1);
  const DeviceArray<float> total(1, 0);
  const DeviceArray<std::uint32_t> arrivals(1, 0);
  const auto done =
      reduction_launcher::reduction(X.get(), sum.get(), total.get(), arrivals.get(), N);
  must(done.status, "reduction");
  must(cudaDeviceSynchronize(), "reduction");
  const auto header = reduction_tuned::select(reduction_tuned::device_from(properties), {N});
  const double error = std::abs(static_cast<double>(sum.fetch()[0]) - expected) +
                       std::abs(static_cast<double>(total.fetch()[0])) + arrivals.fetch()[0];
  char size[64];
  std::snprintf(size, sizeof size, "%lld", N);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 0);
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : reduction_tuned::entries) {
    if (entry.size.N <= (1 << 26)) check(report, properties, entry.size.N);
  }
  for (int i = 0; i < 20; ++i) check(report, properties, random_extent(1, 1 << 24));
  return report.end("reduction");
}
