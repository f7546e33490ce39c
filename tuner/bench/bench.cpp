// Opens what measures, and tries a study's source with NVRTC, then with nvcc.

#include "tuner/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "tuner/base/error.h"
#include "tuner/files/failure_report.h"
#include "tuner/model/limits.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/worker/artifact_shelf.h"

namespace tuner {

namespace {

// Device code that has to be linked, which NVRTC does not do.
bool has_to_be_linked(const Study& study) {
  return !study.kernel.units.empty() ||
         std::ranges::any_of(study.kernel.options, [](const std::string& option) {
           return option == "-rdc=true" || option == "--relocatable-device-code=true" ||
                  option == "-dc" || option == "--device-c";
         });
}

ProblemSize some_size(const Study& study) {
  if (!study.sizes.empty()) return study.sizes.front();
  return study.domain ? size_pool(*study.domain, 1).front().size : ProblemSize{};
}

// Samples to be compiled, to see whether a compiler takes the study: the reference with a
// configuration, then others. Configurations without a launch here, or beyond the device's limits,
// are left out: the run reports them.
class Samples {
 public:
  Samples(const Study& study, const DeviceFacts& device)
      : study_(study),
        device_(device),
        space_(SearchSpace::build(space_definition(study, some_size(study), device))) {
    if (study.baseline) add(study.baseline->configuration);
    if (space_.size() > 0) {
      for (const ConfigIndex index : {ConfigIndex{0}, space_.size() / 2, space_.size() - 1}) {
        add(space_.configuration(index));
      }
    }
    if (study.reference && study.reference->is_launched()) {
      cases_ = reference_cases(study, space_);
    }
  }

  std::size_t size() const { return std::max<std::size_t>(chosen_.size(), cases_.empty() ? 0 : 1); }

  // Makes the requests of sample `i` from these texts.
  std::vector<CompileRequest> requests(std::size_t i, const SourceTexts& sources) const {
    std::vector<CompileRequest> out;
    if (i < chosen_.size()) {
      const auto& [configuration, then] = chosen_[i];
      auto made = compile_request(study_, space_, configuration, then, device_, sources.kernel);
      if (made) out.push_back(std::move(*made));
    }
    if (i > 0 || cases_.empty()) return out;
    auto made = reference_request(study_, space_, cases_.front(), device_, sources.reference);
    if (made) out.push_back(std::move(*made));
    return out;
  }

 private:
  void add(const Configuration& configuration) {
    const auto plan = variant_plan(study_, space_, configuration);
    if (plan && !over_limits(*plan, device_)) chosen_.emplace_back(configuration, plan->then);
  }

  const Study& study_;
  const DeviceFacts& device_;
  SearchSpace space_;
  std::vector<std::pair<Configuration, std::vector<NextLaunchPlan>>> chosen_;
  std::vector<ReferenceCase> cases_;
};

struct Choice {
  std::unique_ptr<CompilePool> other{};  // null: the backend's own
  std::string note{};                    // why, for the user; may be empty
};

using Open = std::function<std::unique_ptr<CompilePool>(const std::string& compiler)>;

struct Chooser {
  const Study& study;
  const SourceTexts& sources;
  const ArtifactShelf& shelf;
  const StopRequest& stop;
  CompilePool& own;
  const std::string& second;  // the name of the other compiler
  const Open& open;

  Choice choose(const std::function<DeviceFacts()>& device) const {
    if (study.kernel.runs_on_host()) return {open(second), ""};
    if (study.kernel.compiler == KernelCompiler::kNvcc) return {open(second), ""};
    if (has_to_be_linked(study)) {
      return {open(second),
              "note: nvcc compiles this study, because its device code has to be linked"};
    }
    const DeviceFacts facts = device();
    const std::string key =
        to_hex(Hasher()
                   .add("compiler of")
                   .add(own.identity())
                   .add(sources.digest)
                   .add(facts.arch)
                   .add(study.text)  // empty of one that extends another, whose name differs
                   .add(study.kernel.name)
                   .add(study.kernel.entry)
                   .add(fmt::format("{}", fmt::join(study.kernel.options, "\n")))
                   .digest());
    const auto known = shelf.recall(key);
    if (known && known->empty()) return {};
    if (known) return with_nvcc(*known);
    Choice choice = try_both(facts);
    if (choice.other || choice.note.empty()) shelf.remember(key, choice.note);
    return choice;
  }

  Choice with_nvcc(const std::string& note) const {
    try {
      auto nvcc = open(second);
      nvcc->identity();  // it is there
      return {std::move(nvcc), note};
    } catch (const UnavailableError& error) {
      return {nullptr, fmt::format("note: NVRTC does not take this study's source, and nvcc, which "
                                   "might, cannot be used: {}",
                                   error.what())};
    }
  }

  // Chooses nvcc if it compiles a sample before NVRTC takes any. A variant that neither takes may
  // be wrong by itself.
  Choice try_both(const DeviceFacts& device) const {
    const Samples samples(study, device);
    const ArtifactLibrary library = shelf.library(own.identity(), sources);
    std::optional<SourceTexts> whole;
    Choice nvcc;
    std::string of_nvcc;
    std::set<std::string> tried;  // programs
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::vector<CompileRequest> parts = samples.requests(i, sources);
      if (parts.empty() || !tried.insert(library.key(parts.front())).second) continue;
      const std::string refusal = refusal_of(own, library, parts);
      if (refusal.empty()) return {};
      if (!nvcc.other) {
        nvcc = with_nvcc(
            "note: nvcc compiles this study, because NVRTC does not take its source: " + refusal);
      }
      if (!nvcc.other) return nvcc;
      if (!whole) whole = whole_sources(study, sources);
      const std::string again = refusal_of(
          *nvcc.other, shelf.library(nvcc.other->identity(), sources), samples.requests(i, *whole));
      if (again.empty()) return nvcc;
      if (of_nvcc.empty()) of_nvcc = again;
    }
    if (of_nvcc.empty()) return {};
    return {nullptr,  // the run shows what NVRTC says
            "note: neither NVRTC nor nvcc compiles what was tried of this study; nvcc says: " +
                of_nvcc};
  }

  // Why the first of these that does not compile does not; empty: all compile.
  std::string refusal_of(CompilePool& pool, const ArtifactLibrary& library,
                         const std::vector<CompileRequest>& requests) const {
    std::size_t awaited = 0;
    for (const CompileRequest& request : requests) {
      const std::string key = library.key(request);
      if (library.find(key)) continue;
      pool.submit(key, request);
      ++awaited;
    }
    std::string refusal;
    while (awaited > 0) {
      if (stop.count() > 0) throw InterruptedError("interrupted before anything was compiled");
      for (const CompileResult& result : wait_for_results(pool, stop)) {
        --awaited;
        if (!result.outcome && refusal.empty()) refusal = error_in(result.outcome.error().log);
      }
    }
    return refusal;
  }
};

}  // namespace

StudyCompilers compilers_for(const Study& study, const Catalogue& catalogue,
                             const std::string& backend, const ArtifactShelf& shelf,
                             const StopRequest& stop, const std::function<DeviceFacts()>& device,
                             std::unique_ptr<CompilePool> own, const Open& open) {
  StudyCompilers out{std::move(own), read_sources(study), {}};
  const PluginItem* compiler = catalogue.find(PluginKind::kCompiler, backend);
  const PluginItem* second = catalogue.second_compiler(backend);
  if (second != nullptr && study.is_runnable() && study.kernel.compiler != KernelCompiler::kNvrtc) {
    Choice choice =
        Chooser{study, out.sources, shelf, stop, *out.pool, second->name, open}.choose(device);
    if (!choice.note.empty()) out.notes.push_back(std::move(choice.note));
    if (choice.other) {
      compiler = second;
      out.pool = std::move(choice.other);
      out.sources = whole_sources(study, std::move(out.sources));
      out.takes_whole = true;
    }
  }
  if (compiler == nullptr) return out;  // its workers say so
  if (auto text = idle_options_note(study, compiler->name, compiler->compiler.options);
      !text.empty()) {
    out.notes.push_back(std::move(text));
  }
  return out;
}

namespace {

// Returns the facts of the first device that opens: the others are like it. Callers leave out those
// that do not open.
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

Bench::Bench(const Settings& settings, const Caller& caller, const LentHosts& lent)
    : Bench(open_devices(settings, caller, lent), settings, caller, lent) {}

Bench::Bench(Devices devices, const Settings& settings, const Caller& caller, const LentHosts& lent)
    : devices_(std::move(devices)),
      interrupt_(caller.interrupt),
      study_(settings.study),
      plugins_(caller.catalogue.versions_for(study_)) {
  with_ = compilers_for(
      study_, caller.catalogue, backend(), shelf_, caller.interrupt,
      [&] { return facts_of(devices_.models.front()); }, std::move(devices_.compilers),
      [&](const std::string& compiler) {
        return open_compilers(settings, caller, lent, compiler);
      });
  if (!shelf_.trouble().empty()) with_.notes.push_back(shelf_.trouble());
}

MeasuredWith Bench::measured_with() const {
  return {with_.sources.digest, std::make_shared<FileDigests>(), compiler(), devices_.options_text,
          plugins_};
}

SourceTexts Bench::sources_of(const Study& other) const {
  SourceTexts sources = read_sources(other);
  return with_.takes_whole ? whole_sources(other, std::move(sources)) : sources;
}

Toolchain Bench::toolchain(const SourceTexts& sources) const {
  return {sources.kernel, shelf_.library(compiler(), sources), compilers()};
}

PooledDevice Bench::device(std::span<WorkingDevice> devices, Compilers& compilers) const {
  return {{with_.sources.kernel, shelf_.library(compiler(), with_.sources), compilers},
          devices,
          interrupt_,
          ceilings_};
}

}  // namespace tuner
