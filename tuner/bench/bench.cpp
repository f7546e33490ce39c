// Opens what measures, and tries a study's source with NVRTC, then with nvcc.

#include "tuner/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
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

// A compiler, and what it gets of a source.
struct Way {
  bool is_second = false;  // nvcc
  SourceForm form = SourceForm::kDevicePart;
  const char* note = "";    // for the user, before the reason
  std::size_t because = 0;  // the way whose refusal is the reason
};

enum : std::size_t { kNvrtc, kNvcc, kBareByNvrtc, kBareByNvcc };

// Lists the ways in the order in which they are tried. Host code in a header stops NVRTC; what CUDA
// does not have any more stops nvcc, though only host code calls it.
constexpr std::array<Way, 4> kWays{
    Way{},
    Way{true, SourceForm::kWhole,
        "note: nvcc compiles this study, because NVRTC does not take its source: "},
    Way{false, SourceForm::kBare,
        "note: this study is compiled without the host code of its headers, which NVRTC does not "
        "take: "},
    Way{true, SourceForm::kBare,
        "note: nvcc compiles this study without its host code, which it does not take: ", kNvcc}};

struct Choice {
  std::unique_ptr<CompilePool> other{};  // null: the backend's own
  SourceForm form = SourceForm::kDevicePart;
  std::string note{};  // why, for the user; may be empty
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
    if (study.kernel.runs_on_host() || study.kernel.compiler == KernelCompiler::kNvcc) {
      return {open(second), SourceForm::kWhole, ""};
    }
    if (has_to_be_linked(study)) {
      return {open(second), SourceForm::kWhole,
              "note: nvcc compiles this study, because its device code has to be linked"};
    }
    const DeviceFacts facts = device();
    const std::string key =
        to_hex(Hasher()
                   .add("compiler and form of")
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
    if (!known) return try_all(facts, key);
    const Way& way = kWays.at(static_cast<std::size_t>(known->front() - '0'));
    Trials trials{*this, {}, {}, {}, {}};
    if (way.is_second && !trials.has_nvcc()) return trials.none();
    return {std::move(trials.nvcc), way.form, known->substr(1)};
  }

  // Chooses the first way in which a sample compiles. A variant that compiles in none may be wrong
  // by itself, so there are several samples; host code is the same in all.
  Choice try_all(const DeviceFacts& device, const std::string& key) const {
    const Samples samples(study, device);
    Trials trials{*this, {}, {}, {}, {}};
    std::set<std::string> tried;  // programs
    const ArtifactLibrary library = shelf.library(own.identity(), sources);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::vector<CompileRequest> parts = samples.requests(i, sources);
      if (parts.empty() || !tried.insert(library.key(parts.front())).second) continue;
      const std::size_t ways = tried.size() == 1 ? kWays.size() : kBareByNvrtc;
      for (std::size_t way = 0; way < ways; ++way) {
        if (!trials.compiles(samples, i, way)) continue;
        const std::string note =
            way == kNvrtc ? "" : kWays[way].note + trials.refusals[kWays[way].because];
        shelf.remember(key, way == kNvrtc ? "" : std::to_string(way) + note);
        if (!kWays[way].is_second) trials.nvcc.reset();
        return {std::move(trials.nvcc), kWays[way].form, note};
      }
      if (!trials.why_no_nvcc.empty()) break;
    }
    return trials.none();
  }

  // Compilations of the samples, in each way.
  struct Trials {
    const Chooser& by;
    std::unique_ptr<CompilePool> nvcc;
    std::string why_no_nvcc;
    std::map<SourceForm, SourceTexts> texts;
    std::array<std::string, kWays.size()> refusals;  // the first ones

    bool compiles(const Samples& samples, std::size_t i, std::size_t number) {
      const Way& way = kWays[number];
      if (way.is_second && !has_nvcc()) return false;
      CompilePool& pool = way.is_second ? *nvcc : by.own;
      const auto known = texts.find(way.form);
      const SourceTexts& with =
          known != texts.end()
              ? known->second
              : texts.emplace(way.form, in_form(by.study, by.sources, way.form)).first->second;
      const std::string refusal = by.refusal_of(pool, by.shelf.library(pool.identity(), by.sources),
                                                samples.requests(i, with));
      if (refusals[number].empty()) refusals[number] = refusal;
      return refusal.empty();
    }

    bool has_nvcc() {
      if (nvcc || !why_no_nvcc.empty()) return nvcc != nullptr;
      try {
        nvcc = by.open(by.second);
        nvcc->identity();  // it is there
      } catch (const UnavailableError& error) {
        nvcc.reset();
        why_no_nvcc = error.what();
      }
      return nvcc != nullptr;
    }

    // Says that nothing compiles, in the form whose error is about what the kernels need: NVRTC's
    // first one may be about host code. A missing header that was left out has other errors
    // instead.
    Choice none() {
      if (!why_no_nvcc.empty()) {
        return {nullptr, SourceForm::kDevicePart,
                fmt::format("note: NVRTC does not take this study's source, and nvcc, which might, "
                            "cannot be used: {}",
                            why_no_nvcc)};
      }
      const std::string &whole = refusals[kNvcc], &bare = refusals[kBareByNvcc];
      if (whole.empty()) return {};
      constexpr std::string_view kMissing = "No such file";
      const bool is_missing =
          whole.find(kMissing) != whole.npos && bare.find(kMissing) == bare.npos;
      const std::string note =
          "note: neither NVRTC nor nvcc compiles what was tried of this study; nvcc says: " +
          (is_missing ? whole : bare);
      if (refusals[kNvrtc] == refusals[kBareByNvrtc])
        return {nullptr, SourceForm::kDevicePart, note};
      return {std::move(nvcc), is_missing ? SourceForm::kWhole : SourceForm::kBare, note};
    }
  };

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
    }
    out.form = choice.form;
    out.sources = in_form(study, std::move(out.sources), out.form);
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
  return in_form(other, read_sources(other), with_.form);
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
