#pragma once
// Backends and devices: found, opened, and put to work with the compilers of this machine.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/size_evaluator.h"
#include "tuner/run/settings.h"
#include "tuner/run/stored_results.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/toolchain.h"

namespace tuner {

// The run workers of one backend, the first of them with its device open.
struct Devices {
  std::string backend;
  std::string options_text;  // of the backend, for the identity of trials
  std::unique_ptr<CompilePool> compilers;
  std::vector<std::unique_ptr<RunWorker>> workers;
};

// Throws UnavailableError with every backend's reason. `note` is told why one is passed over.
Devices open_devices(const DeviceSettings& settings, const WorkerProgram& program,
                     const Catalogue& catalogue,
                     const std::function<void(const std::string&)>& note);

// What is here for a backend, without its driver in this process. What is not there is left empty,
// and `note` is told why.
Machine machine_here(const WorkerProgram& program, const std::string& backend,
                     const std::function<void(const std::string&)>& note);

// A backend's options that are not at their defaults, for the identity of trials.
std::string options_text(const Catalogue& catalogue, const std::string& backend,
                         const OptionList& options);

// A device of this machine: compile workers and one run worker.
class PooledDevice final : public MeasuringDevice {
 public:
  // `runner` and `interrupt` outlive this.
  PooledDevice(Toolchain tools, RunWorker& runner, const StopRequest& interrupt)
      : tools_(std::move(tools)), runner_(runner), interrupt_(interrupt) {}

  const DeviceFacts& facts() override;
  const std::string& compiler() override { return tools_.compilers.identity(); }
  std::unique_ptr<SizeEvaluator> evaluator(SizeTask task) override;
  Load load() const override;

 private:
  Toolchain tools_;
  RunWorker& runner_;
  const StopRequest& interrupt_;
};

}  // namespace tuner
