// Finds the backend and the devices that are asked for.

#include "tuner/run/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/run/sources.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {
namespace {

// Several devices must all be there before the first of them is tuned; `there` is only asked then,
// because a driver takes its time to start.
std::vector<unsigned> checked_numbers(std::vector<unsigned> numbers,
                                      const std::function<std::size_t()>& there) {
  if (numbers.size() == 1) return numbers;
  const std::size_t count = there();
  if (numbers.empty()) {
    numbers.resize(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  const unsigned last = *std::max_element(numbers.begin(), numbers.end());
  if (last >= count) {
    throw UnavailableError(fmt::format("there is no device {}; the backend has {}", last, count));
  }
  return numbers;
}

Devices open_backend(const DeviceSettings& settings, const WorkerProgram& program,
                     const std::string& backend,
                     const std::function<void(const std::string&)>& note) {
  Devices devices;
  devices.backend = backend;
  devices.compilers = std::make_unique<CompilePool>(
      program, CompilePoolOptions{backend, settings.jobs, settings.timeout,
                                  user_cache_directory().string(), note});
  devices.compilers->warm_up();
  RunLimits limits;
  limits.configuration_seconds = settings.timeout;
  OptionList backend_options;
  if (settings.in_random_order) {
    backend_options.emplace_back("order", "random");
    devices.options_text = "order=random";
  }
  const auto count = [&] { return RunWorker::probe(program, backend).size(); };
  for (const unsigned number : checked_numbers(settings.numbers, count)) {
    devices.workers.push_back(
        std::make_unique<RunWorker>(program, backend, number, backend_options, limits));
  }
  devices.workers.front()->open();
  return devices;
}

}  // namespace

Devices open_devices(const DeviceSettings& settings, const WorkerProgram& program,
                     const Catalogue& catalogue,
                     const std::function<void(const std::string&)>& note) {
  std::vector<std::string> names = catalogue.names(PluginKind::kBackend);
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return (a == "cpu") < (b == "cpu"); });
  if (settings.backend != "auto") {
    if (std::find(names.begin(), names.end(), settings.backend) == names.end()) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw UnavailableError("there is no backend '" + settings.backend +
                             "'; there are: " + (known.empty() ? "none" : known));
    }
    names = {settings.backend};
  }
  std::string reasons;
  for (const std::string& name : names) {
    try {
      if (name == "cpu" && !reasons.empty()) {
        note("kernels run on the CPU: answers are checked, times say nothing about a GPU");
      }
      return open_backend(settings, program, name, note);
    } catch (const UnavailableError& error) {
      if (names.size() == 1) throw;
      reasons += std::string("\n  ") + error.what();
      note(error.what());
    }
  }
  throw UnavailableError("no backend works:" + (reasons.empty() ? " none is installed" : reasons));
}

const DeviceFacts& PooledDevice::facts() {
  return runner_.is_open() ? runner_.facts() : runner_.open();
}

std::unique_ptr<SizeEvaluator> PooledDevice::evaluator(SizeTask task) {
  return std::make_unique<PoolEvaluator>(std::move(task), tools_, runner_, interrupt_);
}

Load PooledDevice::load() const {
  const CompilePool& compilers = tools_.compilers;
  return {compilers.jobs(), compilers.busy_seconds(), runner_.busy_seconds(),
          compilers.peak_memory() + runner_.peak_memory()};
}

}  // namespace tuner
