#include "application.h"
#include "deployed.h"
#include "reduction_launcher.hpp"
#include "reduction_tuned.h"

// Whole numbers, of which every sum is exact.
static std::vector<float> whole_numbers(long long N, double& sum) {
  std::uniform_int_distribution<int> pick(-8, 8);
  std::vector<float> x(static_cast<std::size_t>(N));
  sum = 0;
  for (float& value : x) {
    value = static_cast<float>(pick(generator()));
    sum += static_cast<double>(value);
  }
  return x;
}

static void check(Report& report, const cudaDeviceProp& properties, long long N) {
  double expected = 0;
  const DeviceArray<float> X(whole_numbers(N, expected));
  const DeviceArray<float> sum(1);
  const auto done = reduction_launcher::reduction(X.get(), sum.get(), N);
  must(done.status, "reduction");
  must(cudaDeviceSynchronize(), "reduction");
  const auto header = reduction_tuned::select(reduction_tuned::device_from(properties), {N});
  const double error = std::abs(static_cast<double>(sum.fetch()[0]) - expected);
  char size[64];
  std::snprintf(size, sizeof size, "%lld", N);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 0);
}

struct Sum {
  explicit Sum(long long N) : count(N), X(whole_numbers(N, expected)) {}
  Job job() {
    return {[this](cudaStream_t stream) {
              return reduction_launcher::reduction(X.get(), sum.get(), count, stream).status;
            },
            [this] { must(cudaMemset(sum.get(), 0xff, sizeof(float)), "cudaMemset"); },
            [this] { return static_cast<double>(sum.fetch()[0]) == expected; }};
  }
  long long count;
  double expected = 0;
  DeviceArray<float> X;
  DeviceArray<float> sum{1};
};

static void deploy(Report& report, long long one, long long other) {
  Sum first(one);
  Sum second(other);
  Deployment deployment(
      report, std::to_string(one) + " and " + std::to_string(other),
      [] { return reduction_launcher::release_workspaces(); },
      [](cudaStream_t stream) { return reduction_launcher::release_workspaces(stream); });
  deployment.check(first.job(), second.job());
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : reduction_tuned::entries) {
    if (entry.size.N <= (1 << 26)) check(report, properties, entry.size.N);
  }
  for (int i = 0; i < 20; ++i) check(report, properties, random_extent(1, 1 << 24));
  deploy(report, 1 << 20, 1 << 24);
  deploy(report, 100003, 5000000);
  return report.end("reduction");
}
