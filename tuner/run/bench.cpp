// Opens what measures.

#include "tuner/run/bench.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/run/ceilings.h"
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
    : devices_(open_devices(settings, study.kernel.language, caller, lent)),
      interrupt_(caller.interrupt),
      study_(study),
      plugins_(caller.catalogue.versions_for(study)) {
  StudyCompilers found = compilers_for(
      study, backend(), shelf_, caller.interrupt, [&] { return facts_of(devices_.models.front()); },
      std::move(devices_.compilers),
      [&](const std::string& compiler) {
        return open_compilers(settings, caller, lent, compiler);
      });
  devices_.compilers = std::move(found.pool);
  sources_ = std::move(found.sources);
  takes_whole_ = found.takes_whole;
  notes_ = std::move(found.notes);
  if (!shelf_.trouble().empty()) notes_.push_back(shelf_.trouble());
}

MeasuredWith Bench::measured_with() const {
  return {sources_.digest, std::make_shared<FileDigests>(), compiler(), devices_.options_text,
          plugins_};
}

SourceTexts Bench::sources_of(const Study& other) const {
  SourceTexts sources = read_sources(other);
  return takes_whole_ ? whole_sources(other, std::move(sources)) : sources;
}

Toolchain Bench::toolchain(const SourceTexts& sources) const {
  return {sources.kernel, shelf_.library(devices_.compilers->identity(), sources), compilers()};
}

bool Bench::find_ceilings(std::span<WorkingDevice> devices, bool again) {
  if (!study_.least_work) return false;
  const auto open = [&](const SourceTexts& sources) {
    return std::make_unique<PooledDevice>(device(devices, sources));
  };
  const DeviceFacts facts = device(devices).facts();
  const std::string key = to_hex(
      hash_of(fmt::format("ceilings 1|{}|{}|{}|{}|{}|{}|{}", facts.backend, facts.name, facts.uuid,
                          facts.driver, facts.arch, devices_.options_text, compiler())));
  const auto text = shelf_.recall(key);
  ceilings_ = text ? ceilings_from(*text).value_or(Ceilings{}) : Ceilings{};
  if (ceilings_.known() && !again) return false;
  const Ceilings before = ceilings_;
  ceilings_ = highest(before, measure_ceilings(open));
  if (ceilings_.known() && interrupt_.count() == 0) shelf_.remember(key, kept_text(ceilings_));
  return !(ceilings_ == before);
}

PooledDevice Bench::device(std::span<WorkingDevice> devices, Compilers& compilers) const {
  return {{sources_.kernel, shelf_.library(compiler(), sources_), compilers},
          devices,
          interrupt_,
          ceilings_};
}

}  // namespace tuner
