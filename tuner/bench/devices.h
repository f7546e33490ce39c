#pragma once
// Backends and devices: found, opened, and put to work with the compilers of this machine.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/base/note.h"
#include "tuner/bench/settings.h"
#include "tuner/history/stored_results.h"
#include "tuner/model/device_facts.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/device_slots.h"
#include "tuner/worker/run_worker.h"

namespace tuner {

// Who has something measured: the program whose children work, its plugins, what ends the work
// early, and who is told what a user should know, such as why a device is passed over.
struct Caller {
  WorkerProgram program;
  const Catalogue& catalogue;
  const StopRequest& interrupt;
  Note note;
};

// Names and values of a backend's options, as its worker takes them.
using PlainOptions = std::vector<std::pair<std::string, std::string>>;
PlainOptions plain(const OptionList& options);

struct SeenDevice {
  DeviceId id{};
  std::string node{};  // where its rank is
  DeviceFacts facts{};
};

// Ranks of one node see the same devices, by their uuids, or by their numbers where they have none.
// Each is left to one rank: these take turns, in their order, each with the first that it sees and
// that nobody has. In the order of ranks and numbers.
std::vector<SeenDevice> each_once(std::vector<SeenDevice> seen);

// Which devices are alike, by what a backend says of each: all but their names for themselves and
// the amount of memory that is left to programs. Those of one model stay in their order, and models
// come in the order of their first device.
std::vector<std::vector<DeviceId>> alike_devices(const std::vector<SeenDevice>& devices);

// The run workers of devices that are alike: they can share a search.
using AlikeDevices = std::vector<std::unique_ptr<RunWorker>>;

// The run workers of one backend, one device of the first model at least open.
struct Devices {
  std::string backend;
  std::string options_text;  // of the backend, for the identity of trials
  std::unique_ptr<CompilePool> compilers;
  std::vector<AlikeDevices> models;
};

// Starts the workers, and waits until one device is open; those before it that do not open are
// taken out, and `note` receives why. Throws UnavailableError where none opens.
void open_any(AlikeDevices& devices, const Note& note);

// Names of the backends that may be tried for a study, in their order. Throws UnavailableError
// where none takes its kernel.
std::vector<std::string> backends_for(const Study& study, const Catalogue& catalogue);

// Those of this machine, and of those that are lent, whose backend takes the kernel. Throws
// UnavailableError with every backend's reason.
Devices open_devices(const Settings& settings, const Caller& caller, const LentHosts& lent);

// The compile workers of a run, by the name of their compiler, which is that of its backend or of
// another compiler for it. They get ready while the caller goes on.
std::unique_ptr<CompilePool> open_compilers(const Settings& settings, const Caller& caller,
                                            const LentHosts& lent, const std::string& compiler);

// Describes this machine for a backend, without its driver in this process. What is missing is left
// empty, and `note` receives why.
Machine machine_here(const WorkerProgram& program, const Catalogue& catalogue,
                     const std::string& backend, const Note& note);

// A backend's options that are not at their defaults, for the identity of trials.
std::string options_text(const Catalogue& catalogue, const std::string& backend,
                         const OptionList& options);

// Devices of this machine that are alike: compile workers, and one run worker for each.
class PooledDevice final : public MeasuringDevice {
 public:
  // `devices` and `interrupt` outlive this. Which of them are lost is kept there. `ceilings` become
  // one of the facts.
  PooledDevice(Toolchain tools, std::span<WorkingDevice> devices, const StopRequest& interrupt,
               Ceilings ceilings = {});

  const DeviceFacts& facts() override;
  const std::string& compiler() override { return tools_.compilers.identity(); }
  std::unique_ptr<SizeEvaluator> evaluator(SizeTask task) override;
  Load load() const override;

 private:
  Toolchain tools_;
  std::span<WorkingDevice> devices_;
  const StopRequest& interrupt_;
  Ceilings ceilings_;
  DeviceFacts facts_{};
};

}  // namespace tuner
