// How many trials a second one coordinator can commit: bench_commits FOLDER [TRIALS]
//
// FOLDER lies on the disk that is asked about, and must not exist yet. Each trial is marked as in
// flight and recorded, as in a run; its parameters and samples are as many as those of the shipped
// matrix product.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tuner/store/store.h"

namespace tuner {
namespace {

constexpr int kParameters = 20;
constexpr int kSamples = 12;

ContextKey key_of_product() {
  ContextKey key;
  key.kernel = "matmul";
  key.device.name = "a device";
  key.size.dims = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
  for (int i = 0; i < kParameters; ++i) key.parameters.push_back("PARAMETER_" + std::to_string(i));
  return key;
}

Trial trial_of(int number) {
  Trial trial;
  trial.configuration.assign(kParameters, Value{std::int64_t{16}});
  trial.configuration.front() = std::int64_t{number};
  trial.timing.samples.assign(kSamples, 0.125);
  trial.timing.median = 0.125;
  trial.objective = SearchFigure(0.125);
  trial.metrics = {{"tflops", 50.0}};
  return trial;
}

int measure(const std::filesystem::path& folder, int trials) {
  Store store = Store::open(folder);
  const Context context = store.context(key_of_product());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < trials; ++i) {
    const Trial trial = trial_of(i);
    store.mark_in_flight(context, trial.configuration);
    store.record(context, trial);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%d trials in %.2f s: %.0f a second\n", trials, spent.count(),
              trials / spent.count());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tuner

int main(int argc, char** argv) {
  const int trials = argc > 2 ? std::atoi(argv[2]) : 20000;
  if (argc < 2 || argc > 3 || trials < 1 || std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "usage: bench_commits FOLDER [TRIALS]; FOLDER must not exist yet\n");
    return 2;
  }
  return tuner::measure(argv[1], trials);
}
