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
std::vector<std::vector<unsigned>> checked_numbers(
    std::vector<unsigned> numbers, const std::function<std::vector<DeviceFacts>()>& there) {
  if (numbers.size() == 1) return {numbers};
  const std::vector<DeviceFacts> facts = there();
  if (numbers.empty()) {
    numbers.resize(facts.size());
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  const unsigned last = *std::max_element(numbers.begin(), numbers.end());
  if (last < facts.size()) return alike_devices(numbers, facts);
  throw UnavailableError(fmt::format(
      "there is no device {}; the backend has {}", last,
      facts.size() == 1 ? "only device 0" : fmt::format("devices 0 to {}", facts.size() - 1)));
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
  const auto there = [&] { return RunWorker::probe(program, backend, options); };
  for (const auto& numbers : checked_numbers(settings.numbers, there)) {
    AlikeDevices& alike = devices.models.emplace_back();
    for (const unsigned number : numbers) {
      alike.push_back(std::make_unique<RunWorker>(program, backend, number, options, limits));
    }
  }
  open_any(devices.models.front(), note);
  return devices;
}

DeviceFacts without_identity(DeviceFacts facts) {
  facts.uuid.clear();
  facts.memory_bytes = 0;
  return facts;
}

}  // namespace

std::vector<std::vector<unsigned>> alike_devices(const std::vector<unsigned>& numbers,
                                                 const std::vector<DeviceFacts>& facts) {
  std::vector<std::vector<unsigned>> models;
  for (const unsigned number : numbers) {
    const DeviceFacts one = without_identity(facts.at(number));
    const auto known = std::ranges::find_if(models, [&](const std::vector<unsigned>& model) {
      return without_identity(facts.at(model.front())) == one;
    });
    if (known == models.end()) {
      models.push_back({number});
    } else {
      known->push_back(number);
    }
  }
  return models;
}

void open_any(AlikeDevices& devices, const std::function<void(const std::string&)>& note) {
  if (devices.front()->is_open()) return;
  for (const auto& worker : devices) worker->start();
  for (;;) {
    try {
      devices.front()->open();
      return;
    } catch (const UnavailableError& error) {
      if (devices.size() == 1) throw;
      note(std::string("left out: ") + error.what());
      devices.erase(devices.begin());
    }
  }
}

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

PooledDevice::PooledDevice(Toolchain tools, const AlikeDevices& workers,
                           const StopRequest& interrupt)
    : tools_(std::move(tools)), interrupt_(interrupt) {
  for (const auto& worker : workers) devices_.push_back({worker.get()});
}

PooledDevice::PooledDevice(Toolchain tools, RunWorker& worker, const StopRequest& interrupt)
    : tools_(std::move(tools)), devices_{{&worker}}, interrupt_(interrupt) {}

// Those of the first that opens: the others are like it.
const DeviceFacts& PooledDevice::facts() {
  for (WorkingDevice& device : devices_) {
    if (!device.lost.empty()) continue;
    if (device.worker->is_open()) return device.worker->facts();
    try {
      return device.worker->open();
    } catch (const UnavailableError& error) {
      device.lost = error.what();
    }
  }
  throw UnavailableError(devices_.back().lost);
}

std::unique_ptr<SizeEvaluator> PooledDevice::evaluator(SizeTask task) {
  return std::make_unique<PoolEvaluator>(std::move(task), tools_, devices_, interrupt_);
}

Load PooledDevice::load() const {
  const CompilePool& compilers = tools_.compilers;
  Load load{compilers.jobs(), compilers.busy(), {}, compilers.peak_memory()};
  for (const WorkingDevice& device : devices_) {
    load.on_devices.push_back({device.worker->number(), device.worker->busy()});
    load.peak_bytes += device.worker->peak_memory();
  }
  return load;
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
