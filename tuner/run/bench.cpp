// Opens what measures.

#include "tuner/run/bench.h"

#include <memory>

#include "tuner/base/file_digest.h"

namespace tuner {

Bench::Bench(const DeviceSettings& settings, const Study& study, const Caller& caller,
             const LentHosts& lent)
    : devices_(open_devices(settings, caller.program, caller.catalogue, lent, caller.note)),
      sources_(read_sources(study)),
      interrupt_(caller.interrupt),
      plugins_(caller.catalogue.versions_for(study)) {
  if (auto text = idle_options_note(study, backend()); !text.empty()) notes_.push_back(text);
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
