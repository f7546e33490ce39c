#pragma once
// The bench: a backend with its devices and compilers, opened once, and the sources of the study
// that they work on.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/bench/devices.h"
#include "tuner/bench/settings.h"
#include "tuner/history/identity.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/compile_pool.h"

namespace tuner {

// The compile workers of a study, and what they are given.
struct StudyCompilers {
  std::unique_ptr<CompilePool> pool;
  SourceTexts sources;  // as this compiler takes them
  // For the user: why it is not NVRTC, options that it does not get.
  std::vector<std::string> notes;
  SourceForm form = SourceForm::kDevicePart;  // of the sources
};

// `own` has the backend's own compiler. Where the study leaves it open and there is a second one,
// `own` is asked to compile the reference and one configuration, and nvcc only where that fails, at
// last both without the host code of headers: so all compilations of a run are one compiler's. What
// was chosen is kept with the artifacts, and a repeated run does not ask again. `open` starts
// workers with the compiler that it is given the name of, and may throw an UnavailableError;
// `device` is asked only where a choice depends on it. Throws an InterruptedError when `stop` comes
// before the choice is made.
StudyCompilers compilers_for(
    const Study& study, const Catalogue& catalogue, const std::string& backend,
    const ArtifactShelf& shelf, const StopRequest& stop, const std::function<DeviceFacts()>& device,
    std::unique_ptr<CompilePool> own,
    const std::function<std::unique_ptr<CompilePool>(const std::string& compiler)>& open);

class Bench {
 public:
  // Opens a device of the first model at least, of this machine or of those that are lent, and
  // reads the sources. Throws UnavailableError where no device opens, FatalError where a source
  // cannot be read. The settings and what `caller` refers to outlive the bench.
  Bench(const Settings& settings, const Caller& caller, const LentHosts& lent = {});
  // With devices that were opened before, with these settings.
  Bench(Devices devices, const Settings& settings, const Caller& caller,
        const LentHosts& lent = {});

  // Notes for the user: compiler options without meaning here, artifacts that are not kept.
  const std::vector<std::string>& notes() const { return with_.notes; }
  const std::string& backend() const { return devices_.backend; }
  const SourceTexts& sources() const { return with_.sources; }
  CompilePool& compilers() const { return *with_.pool; }
  // The sources of another study, as the compiler takes them, and what compiles these. Sources of a
  // toolchain outlive it.
  SourceTexts sources_of(const Study& other) const;
  Toolchain toolchain(const SourceTexts& sources) const;
  // Waits until the compiler has reported its identity.
  const std::string& compiler() const { return with_.pool->identity(); }
  std::vector<AlikeDevices>& models() { return devices_.models; }
  // Returns what trials are measured with, for their identity.
  MeasuredWith measured_with() const;
  const Study& study() const { return study_; }
  const ArtifactShelf& shelf() const { return shelf_; }
  // The backend's options that are not at their defaults.
  const std::string& options_text() const { return devices_.options_text; }
  bool is_interrupted() const { return interrupt_.count() > 0; }
  // Sets the ceilings of all devices that the bench gives from now on (trust/ceilings.h).
  void set_ceilings(const Ceilings& ceilings) { ceilings_ = ceilings; }
  // These run workers, with the compilers of the bench or a share of them. Both outlive the device.
  PooledDevice device(std::span<WorkingDevice> devices, Compilers& compilers) const;
  PooledDevice device(std::span<WorkingDevice> devices) const {
    return device(devices, compilers());
  }
  // For another study with these sources.
  PooledDevice device(std::span<WorkingDevice> devices, const SourceTexts& sources) const {
    return {toolchain(sources), devices, interrupt_, ceilings_};
  }

 private:
  Devices devices_;  // but for their compilers
  ArtifactShelf shelf_;
  StudyCompilers with_;
  const StopRequest& interrupt_;
  const Study& study_;
  Ceilings ceilings_{};  // of the model that is tuned now
  std::string plugins_;  // versions of those that the study uses
};

}  // namespace tuner
