#pragma once
// Backends and devices as the command line names them.

#include <memory>
#include <string>
#include <vector>

#include "tuner/app/options.h"
#include "tuner/app/progress.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// The run workers of one backend, the first of them with its device open.
struct Devices {
  std::string backend;
  std::string options_text;  // of the backend, for the identity of trials
  std::unique_ptr<CompilePool> compilers;
  std::vector<std::unique_ptr<RunWorker>> workers;
};

// `auto` takes the first backend that works; the cpu is nobody's first choice. Throws
// UnavailableError with every backend's reason.
Devices choose_devices(const DeviceOptions& options, const WorkerProgram& program,
                       const Catalogue& catalogue, Progress& progress);

}  // namespace tuner
