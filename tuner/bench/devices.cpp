// Finds the backend and the devices that are asked for, and which of them are alike.

#include "tuner/bench/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/source/known_sources.h"
#include "tuner/worker/artifact_cache.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/plugins.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {
namespace {

using Identity = std::pair<std::string, std::string>;

Identity identity_of(const SeenDevice& device) {
  const std::string& uuid = device.facts.uuid;
  return {device.node, uuid.empty() ? std::to_string(device.id.number) : uuid};
}

DeviceFacts without_identity(DeviceFacts facts) {
  facts.uuid.clear();
  facts.memory_bytes = 0;
  return facts;
}

auto rank_and_number(const SeenDevice& device) {
  return std::tuple(device.id.rank, device.id.number);
}

// Request for a backend's devices: from which backend, and by whom.
struct Request {
  const Settings& settings;
  const Caller& caller;
  const LentHosts& lent;
  std::string backend;
  PlainOptions options;
};

// Several devices must all be there before the first of them is tuned.
std::vector<SeenDevice> checked(std::vector<SeenDevice> seen, const std::vector<unsigned>& asked) {
  unsigned last = 0;
  for (const SeenDevice& device : seen) last = std::max(last, device.id.number);
  for (const unsigned number : asked) {
    if (number <= last) continue;
    throw UnavailableError(
        fmt::format("there is no device {}; the backend has {}", *std::ranges::max_element(asked),
                    last == 0 ? "only device 0" : fmt::format("devices 0 to {}", last)));
  }
  if (asked.empty()) return seen;
  std::vector<SeenDevice> out;
  for (const unsigned number : asked) {
    std::ranges::copy_if(seen, std::back_inserter(out),
                         [&](const SeenDevice& device) { return device.id.number == number; });
  }
  return out;
}

void add(const std::vector<DeviceFacts>& facts, unsigned rank, const std::string& node,
         std::vector<SeenDevice>& to) {
  unsigned number = 0;
  for (const DeviceFacts& one : facts) to.push_back({{number++, rank}, node, one});
}

// Those of all ranks, which are asked at the same time. A rank without any lends its cores.
std::vector<SeenDevice> devices_of_ranks(const Request& ask) {
  std::vector<std::pair<const LentHost*, DeviceProbe>> probes;
  for (const LentHost& host : ask.lent.hosts) {
    try {
      probes.emplace_back(&host, DeviceProbe(host.start("probe"), ask.backend, ask.options));
    } catch (const UnavailableError& error) {
      ask.caller.note(host.name() + " lends no device: " + error.what());
    }
  }
  std::vector<SeenDevice> seen;
  std::string reason;
  try {
    add(probe_devices(ask.caller.program, ask.backend, ask.options), 0, ask.lent.node, seen);
  } catch (const UnavailableError& error) {
    reason = error.what();
  }
  for (auto& [host, probe] : probes) {
    try {
      add(probe.answer(), host->rank, host->node, seen);
    } catch (const UnavailableError& error) {
      ask.caller.note(host->name() + " lends no device: " + error.what());
    }
  }
  if (seen.empty()) throw UnavailableError(reason);
  if (!reason.empty()) ask.caller.note("rank 0 has no device: " + reason);
  return seen;
}

// Ids by model. Of one device alone nothing is asked before it is opened, because a driver takes
// its time to start.
std::vector<std::vector<DeviceId>> models_of(const Request& ask) {
  const std::vector<unsigned>& numbers = ask.settings.devices;
  if (!ask.lent.hosts.empty()) {
    return alike_devices(each_once(checked(devices_of_ranks(ask), numbers)));
  }
  if (numbers.size() == 1) return {{DeviceId{numbers.front()}}};
  std::vector<SeenDevice> seen;
  add(probe_devices(ask.caller.program, ask.backend, ask.options), 0, {}, seen);
  return alike_devices(checked(std::move(seen), numbers));
}

std::unique_ptr<RunWorker> worker_of(const Request& ask, const DeviceId& device) {
  constexpr double kSecondsOfOpenCl = 10;
  RunLimits limits;
  limits.configuration_seconds = ask.settings.timeout;
  // A driver of OpenCL may compile a kernel when it is launched first, as PoCL does.
  if (ask.settings.study.kernel.is_opencl()) limits.launch_floor_seconds = kSecondsOfOpenCl;
  if (device.rank == 0) {
    return std::make_unique<RunWorker>(ask.caller.program, ask.backend, device.number, ask.options,
                                       limits);
  }
  const auto host = std::ranges::find(ask.lent.hosts, device.rank, &LentHost::rank);
  return std::make_unique<RunWorker>([start = host->start] { return start("run"); }, ask.backend,
                                     device, ask.options, limits);
}

Devices open_backend(const Settings& settings, const Caller& caller, const LentHosts& lent,
                     const std::string& backend) {
  const Catalogue& catalogue = caller.catalogue;
  const BackendSpec& spec = settings.study.backend;
  catalogue.check_options(PluginKind::kBackend, backend, spec.options, spec.where,
                          spec.text.empty() ? settings.study.text : spec.text);
  const Request ask{settings, caller, lent, backend, plain(spec.options)};
  Devices devices;
  devices.backend = backend;
  devices.options_text = options_text(catalogue, backend, spec.options);
  devices.compilers = open_compilers(settings, caller, lent, backend);
  for (const std::vector<DeviceId>& model : models_of(ask)) {
    AlikeDevices& alike = devices.models.emplace_back();
    for (const DeviceId& device : model) alike.push_back(worker_of(ask, device));
  }
  open_any(devices.models.front(), caller.note);
  return devices;
}

}  // namespace

PlainOptions plain(const OptionList& options) {
  PlainOptions out;
  for (const OptionValue& one : options) out.emplace_back(one.name, one.value);
  return out;
}

std::vector<SeenDevice> each_once(std::vector<SeenDevice> seen) {
  std::ranges::sort(seen, {}, rank_and_number);
  std::set<unsigned> ranks;
  for (const SeenDevice& device : seen) ranks.insert(device.id.rank);
  std::set<Identity> taken;
  std::vector<SeenDevice> placed;
  for (bool again = true; std::exchange(again, false);) {
    for (const unsigned rank : ranks) {
      const auto free = std::ranges::find_if(seen, [&](const SeenDevice& device) {
        return device.id.rank == rank && !taken.contains(identity_of(device));
      });
      if (free == seen.end()) continue;
      taken.insert(identity_of(*free));
      placed.push_back(*free);
      again = true;
    }
  }
  std::ranges::sort(placed, {}, rank_and_number);
  return placed;
}

std::vector<std::vector<DeviceId>> alike_devices(const std::vector<SeenDevice>& devices) {
  std::vector<std::vector<DeviceId>> models;
  std::vector<DeviceFacts> known;
  for (const SeenDevice& device : devices) {
    const DeviceFacts facts = without_identity(device.facts);
    const auto found = std::ranges::find(known, facts);
    const auto model = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) {
      known.push_back(facts);
      models.emplace_back();
    }
    models[model].push_back(device.id);
  }
  return models;
}

void open_any(AlikeDevices& devices, const Note& note) {
  if (devices.front()->is_open()) return;
  std::string last;
  std::erase_if(devices, [&](const std::unique_ptr<RunWorker>& worker) {
    try {
      worker->start();
      return false;
    } catch (const UnavailableError& error) {  // its machine is gone
      last = error.what();
      note("left out: " + last);
      return true;
    }
  });
  while (!devices.empty()) {
    try {
      devices.front()->open();
      return;
    } catch (const UnavailableError& error) {
      if (devices.size() == 1) throw;
      note(std::string("left out: ") + error.what());
      devices.erase(devices.begin());
    }
  }
  throw UnavailableError(last);
}

// Lists the options that differ from the defaults, by name.
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

namespace {

bool runs_on_host(const Catalogue& catalogue, const std::string& backend) {
  return catalogue.find(PluginKind::kBackend, backend)->backend.runs_on_host != 0;
}

}  // namespace

std::vector<std::string> backends_for(const Study& study, const Catalogue& catalogue) {
  const std::string& asked = study.backend.name;
  const std::string& language = study.kernel.language;
  std::vector<std::string> names = catalogue.names(PluginKind::kBackend);
  std::ranges::stable_sort(names, {},
                           [&](const std::string& name) { return runs_on_host(catalogue, name); });
  std::vector<std::string> fitting;
  std::ranges::copy_if(names, std::back_inserter(fitting), [&](const std::string& name) {
    return catalogue.find(PluginKind::kBackend, name)->language() == language;
  });
  if (asked != "auto" && !std::ranges::count(names, asked)) {
    const bool asks_gpu = asked == "gpu" || asked == "GPU" || asked == "hip" || asked == "rocm";
    const std::string hint =
        asks_gpu ? "cuda and opencl are for GPUs" : catalogue.hint_for(asked, names);
    throw UnavailableError("there is no backend '" + asked + "'; there are: " +
                           (names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))) +
                           (hint.empty() ? "" : "; " + hint));
  }
  if (asked == "auto" && (names.empty() || !fitting.empty())) return fitting;
  if (asked != "auto" && std::ranges::count(fitting, asked) > 0) return {asked};
  const std::string written = "the kernel is written in " + language_name(language) + ", and ";
  if (asked == "auto") throw UnavailableError(written + "no backend here takes that");
  const std::string other = catalogue.find(PluginKind::kBackend, asked)->language();
  const bool is_command = study.kernel.subject == Subject::kCommand;
  if (is_command || other == kCommandLanguage) {
    throw UnavailableError(
        "the backend 'program' is for a study's 'command', and for nothing else; " +
        std::string(is_command ? "this study has a command" : "this study has a kernel"));
  }
  const std::string takers = fitting.empty() ? "" : ", or run this one on " + listed(fitting, "or");
  throw UnavailableError(
      fmt::format("{}'{}' takes {}: give it such a source, with 'language: {}'{}", written, asked,
                  language_name(other), other, takers));
}

Devices open_devices(const Settings& settings, const Caller& caller, const LentHosts& lent) {
  const std::vector<std::string> names = backends_for(settings.study, caller.catalogue);
  std::string reasons;
  std::string last;  // why the one before does not work
  for (const std::string& name : names) {
    try {
      if (!last.empty()) {
        caller.note(!runs_on_host(caller.catalogue, name)
                        ? last
                        : "kernels run on the CPU: answers are checked, times say nothing "
                          "about a GPU (" +
                              last + ")");
      }
      return open_backend(settings, caller, lent, name);
    } catch (const RefusedError& error) {
      if (name == names.back()) throw;
      throw RefusedError(std::string(error.what()) + "; --backend " + names.back() +
                         " runs kernels without it");
    } catch (const UnavailableError& error) {
      if (names.size() == 1) throw;
      last = error.what();
      reasons += "\n  " + last;
    }
  }
  throw UnavailableError("no backend works:" + (reasons.empty() ? " none is installed" : reasons));
}

PooledDevice::PooledDevice(Toolchain tools, std::span<WorkingDevice> devices,
                           const StopRequest& interrupt, Ceilings ceilings)
    : tools_(std::move(tools)),
      devices_(devices),
      interrupt_(interrupt),
      ceilings_(std::move(ceilings)) {}

// Those of the first that opens: the others are like it.
const DeviceFacts& PooledDevice::facts() {
  for (WorkingDevice& device : devices_) {
    if (!device.lost.empty()) continue;
    try {
      facts_ = device.worker->is_open() ? device.worker->facts() : device.worker->open();
      facts_.ceilings = ceilings_;
      return facts_;
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
  Load load = tools_.compilers.load();
  for (const WorkingDevice& device : devices_) {
    load.on_devices.push_back({device.worker->device(), device.worker->busy()});
    load.peak_bytes += device.worker->peak_memory();
  }
  return load;
}

std::unique_ptr<CompilePool> open_compilers(const Settings& settings, const Caller& caller,
                                            const LentHosts& lent, const std::string& compiler) {
  CompilePoolOptions options{compiler,
                             settings.jobs,
                             settings.timeout,
                             user_cache_directory().string(),
                             plain(settings.study.backend.options),
                             caller.note};
  if (!lent.hosts.empty()) {
    options.keep = [cache = std::make_shared<ArtifactCache>(user_cache_directory())](
                       const std::string& key, const Artifact& artifact) {
      const std::string name = cache_name(key, artifact.opened.has_value());
      if (!name.empty()) cache->put(name, artifact);
    };
  }
  auto compilers = std::make_unique<CompilePool>(caller.program, std::move(options), lent.hosts);
  compilers->warm_up();
  return compilers;
}

Machine machine_here(const WorkerProgram& program, const Catalogue& catalogue,
                     const std::string& backend, const Note& note) {
  Machine machine;
  try {
    machine.compilers.push_back(CompilePool(program, {backend, 1, 60, ""}).identity());
    machine.devices = probe_devices(program, backend);
  } catch (const UnavailableError& error) {
    note(error.what());
  }
  try {
    if (const PluginItem* second = catalogue.second_compiler(backend)) {
      machine.compilers.push_back(CompilePool(program, {second->name, 1, 60, ""}).identity());
    }
  } catch (const UnavailableError&) {  // few miss it
  }
  return machine;
}

}  // namespace tuner
