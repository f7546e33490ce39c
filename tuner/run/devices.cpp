// Finds the backend and the devices that are asked for.

#include "tuner/run/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
                     const Catalogue& catalogue, const std::string& backend,
                     const std::function<void(const std::string&)>& note) {
  catalogue.check_options(PluginKind::kBackend, backend, settings.backend_options, settings.where,
                          settings.text);
  Devices devices;
  devices.backend = backend;
  devices.options_text = options_text(catalogue, backend, settings.backend_options);
  std::vector<std::pair<std::string, std::string>> options;
  for (const OptionValue& one : settings.backend_options) options.emplace_back(one.name, one.value);
  devices.compilers = std::make_unique<CompilePool>(
      program, CompilePoolOptions{backend, settings.jobs, settings.timeout,
                                  user_cache_directory().string(), options, note});
  devices.compilers->warm_up();
  RunLimits limits;
  limits.configuration_seconds = settings.timeout;
  const auto count = [&] { return RunWorker::probe(program, backend).size(); };
  for (const unsigned number : checked_numbers(settings.numbers, count)) {
    devices.workers.push_back(
        std::make_unique<RunWorker>(program, backend, number, options, limits));
  }
  devices.workers.front()->open();
  return devices;
}

}  // namespace

// What differs from the defaults, by name.
std::string options_text(const Catalogue& catalogue, const std::string& backend,
                         const OptionList& options) {
  std::map<std::string, std::string> given;
  for (const OptionValue& one : options) given[one.name] = one.value;
  for (const PluginKind kind : {PluginKind::kBackend, PluginKind::kCompiler}) {
    const PluginItem* item = catalogue.find(kind, backend);
    if (item == nullptr) continue;
    for (const PluginOption& option : item->options) {
      const auto found = given.find(option.name);
      if (found != given.end() && found->second == option.default_value) given.erase(found);
    }
  }
  std::string out;
  for (const auto& [name, value] : given) out += (out.empty() ? "" : ",") + name + "=" + value;
  return out;
}

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
  std::string last;  // why the one before does not work
  for (const std::string& name : names) {
    try {
      if (!last.empty()) {
        note(name != "cpu" ? last
                           : "kernels run on the CPU: answers are checked, times say nothing about "
                             "a GPU (" +
                                 last + ")");
      }
      return open_backend(settings, program, catalogue, name, note);
    } catch (const UnavailableError& error) {
      if (names.size() == 1) throw;
      last = error.what();
      reasons += "\n  " + last;
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
  return {compilers.jobs(), compilers.busy(), runner_.busy(),
          compilers.peak_memory() + runner_.peak_memory()};
}

Machine machine_here(const WorkerProgram& program, const std::string& backend,
                     const std::function<void(const std::string&)>& note) {
  Machine machine;
  try {
    machine.compiler = CompilePool(program, {backend, 1, 60, ""}).identity();
    machine.devices = RunWorker::probe(program, backend);
  } catch (const UnavailableError& error) {
    note(error.what());
  }
  return machine;
}

}  // namespace tuner
