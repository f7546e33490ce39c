// Finds the backend and the devices that the command line asks for.

#include "tuner/app/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "tuner/app/artifacts.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

// Several devices must all be there before the first of them is tuned; `there` is only asked then,
// because a driver takes its time to start.
std::vector<unsigned> device_numbers(const std::string& text,
                                     const std::function<std::size_t()>& there) {
  std::vector<unsigned> numbers;
  if (text == "all") {
    for (unsigned i = 0; i < there(); ++i) numbers.push_back(i);
    return numbers;
  }
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    if (word.empty() || word.size() > 4 ||
        !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
      throw InputError(
          Complaint{{}, "--device takes numbers such as 0,1 or 'all', not '" + text + "'", ""});
    }
    const auto number = static_cast<unsigned>(std::stoul(word));
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
      numbers.push_back(number);
    }
    at = comma + 1;
  }
  if (numbers.size() > 1) {
    const std::size_t count = there();
    const unsigned last = *std::max_element(numbers.begin(), numbers.end());
    if (last >= count) {
      throw UnavailableError(fmt::format("there is no device {}; the backend has {}", last, count));
    }
  }
  return numbers;
}

Devices open_devices(const DeviceOptions& options, const WorkerProgram& program,
                     const std::string& backend, Progress& progress) {
  Devices devices;
  devices.backend = backend;
  devices.compilers = std::make_unique<CompilePool>(
      program,
      CompilePoolOptions{backend, options.jobs, options.timeout, user_cache_directory().string(),
                         [&progress](const std::string& text) { progress.note(text); }});
  devices.compilers->warm_up();
  RunLimits limits;
  limits.configuration_seconds = options.timeout;
  OptionList backend_options;
  if (options.in_random_order) {
    backend_options.emplace_back("order", "random");
    devices.options_text = "order=random";
  }
  const auto count = [&] { return RunWorker::probe(program, backend).size(); };
  for (const unsigned number : device_numbers(options.device, count)) {
    devices.workers.push_back(
        std::make_unique<RunWorker>(program, backend, number, backend_options, limits));
  }
  devices.workers.front()->open();
  return devices;
}

}  // namespace

Devices choose_devices(const DeviceOptions& options, const WorkerProgram& program,
                       const Catalogue& catalogue, Progress& progress) {
  Words names = catalogue.names(PluginKind::kBackend);
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return (a == "cpu") < (b == "cpu"); });
  if (options.backend != "auto") {
    if (std::find(names.begin(), names.end(), options.backend) == names.end()) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw UnavailableError("there is no backend '" + options.backend +
                             "'; there are: " + (known.empty() ? "none" : known));
    }
    names = {options.backend};
  }
  std::string reasons;
  for (const std::string& name : names) {
    try {
      return open_devices(options, program, name, progress);
    } catch (const UnavailableError& error) {
      if (names.size() == 1) throw;
      reasons += std::string("\n  ") + error.what();
      progress.note(error.what());
    }
  }
  throw UnavailableError("no backend works:" + (reasons.empty() ? " none is installed" : reasons));
}

}  // namespace tuner
