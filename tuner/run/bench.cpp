// Opens what measures.

#include "tuner/run/bench.h"

#include <memory>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/file_digest.h"
#include "tuner/run/compiler_choice.h"

namespace tuner {
namespace {

// Of the first that opens: the others are like it. What does not open is left out by who uses it.
DeviceFacts facts_of(const AlikeDevices& devices) {
  for (const std::unique_ptr<RunWorker>& worker : devices) {
    try {
      return worker->open();
    } catch (const UnavailableError&) {
      if (worker == devices.back()) throw;
    }
  }
  throw UnavailableError("there is no device");
}

}  // namespace

Bench::Bench(const DeviceSettings& settings, const Study& study, const Caller& caller,
             const LentHosts& lent)
    : devices_(open_devices(settings, study.kernel.language, caller.program, caller.catalogue, lent,
                            caller.note)),
      interrupt_(caller.interrupt),
      plugins_(caller.catalogue.versions_for(study)) {
  StudyCompilers found = compilers_for(
      study, backend(), shelf_, caller.interrupt, [&] { return facts_of(devices_.models.front()); },
      std::move(devices_.compilers),
      [&](const std::string& compiler) {
        return open_compilers(settings, caller.program, lent, caller.note, compiler);
      });
  devices_.compilers = std::move(found.pool);
  sources_ = std::move(found.sources);
  notes_ = std::move(found.notes);
  if (!shelf_.trouble().empty()) notes_.push_back(shelf_.trouble());
}

MeasuredWith Bench::measured_with() const {
  return {sources_.digest, std::make_shared<FileDigests>(), compiler(), devices_.options_text,
          plugins_};
}

PooledDevice Bench::device(std::span<WorkingDevice> devices, Compilers& compilers) const {
  return {{sources_.kernel, shelf_.library(compiler(), sources_), compilers}, devices, interrupt_};
}

}  // namespace tuner
