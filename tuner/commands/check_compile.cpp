// `tuner check --compile`: compiles the variants of a study for architectures that need not be
// here.

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/check_options.h"
#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/limits.h"
#include "tuner/model/study.h"
#include "tuner/resolve/compiled_names.h"
#include "tuner/resolve/resolve.h"
#include "tuner/results/csv.h"
#include "tuner/run/compiler_choice.h"
#include "tuner/run/sources.h"
#include "tuner/space/sampling.h"
#include "tuner/study/geometry_check.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/compile_pool.h"

namespace tuner {
namespace {

struct CompileCheckSettings {
  std::string arch;
  unsigned jobs = 1;
  std::uint64_t limit = 0;  // compile at most this many configurations, drawn by seed; 0 = all
  std::uint64_t seed = 1;
};

// What came of one configuration.
struct CheckedVariant {
  Configuration configuration;
  std::string state;  // "ok", "constraints" or "compile"
  LaunchGeometry geometry;
  Resources resources;  // unknown where nothing was compiled
  double occupancy = -1;
  double milliseconds = 0;  // of the compilation
  std::string message;
};

struct CompileCheckEnd {
  std::uint64_t compiled = 0;
  std::uint64_t failed = 0;
  std::uint64_t programs = 0;  // different ones
  std::string first_failure;
};

constexpr double kCompileSeconds = 300;

// Hands out requests; tells of each variant when its answer comes.
class CompileCheck {
 public:
  CompileCheck(const Study& study, const SearchSpace& space, const DeviceFacts& facts,
               const SourceTexts& sources, CompilePool& pool, const ArtifactLibrary& library,
               const std::function<void(const CheckedVariant&)>& tell)
      : study_(study),
        space_(space),
        facts_(facts),
        sources_(sources),
        pool_(pool),
        library_(library),
        tell_(tell) {}

  void add(ConfigIndex index) {
    const Configuration configuration = space_.configuration(index);
    auto plan = variant_plan(study_, space_, configuration);
    if (!plan) return row(configuration, "constraints", {}, {}, plan.error(), 0);
    if (auto reason = over_limits(*plan, facts_)) {
      return row(configuration, "constraints", plan->geometry, {}, *reason, 0);
    }
    auto request =
        compile_request(study_, space_, configuration, plan->then, facts_, sources_.kernel);
    if (!request) return row(configuration, "compile", plan->geometry, {}, request.error(), 0);
    const std::string key = library_.key(*request);
    programs_.insert(key);
    if (!pool_.is_under_way(key)) {
      if (const auto cached = library_.find(key)) return compiled(configuration, *plan, *cached);
    }
    const std::uint64_t id = pool_.submit(key, std::move(*request));
    compiling_.emplace(id, Variant{configuration, std::move(*plan)});
  }

  // Waits until fewer than `most` compilations are under way.
  void drain(std::size_t most, const Interrupt& interrupt) {
    while (pool_.outstanding() >= most && !compiling_.empty() && interrupt.count() == 0) {
      for (const CompileResult& result : wait_for_results(pool_, interrupt)) finish(result);
    }
  }

  CompileCheckEnd end() && {
    end_.programs = programs_.size();
    return std::move(end_);
  }

 private:
  struct Variant {
    Configuration configuration;
    VariantPlan plan;
  };

  // Variants that are one program, each launched in its own way, are told of one by one.
  void finish(const CompileResult& result) {
    const auto asked = compiling_.extract(result.id);
    const auto& [configuration, plan] = asked.mapped();
    if (result.outcome) return compiled(configuration, plan, **result.outcome);
    row(configuration, "compile", plan.geometry, {}, result.outcome.error().log, 0);
  }

  void compiled(const Configuration& configuration, const VariantPlan& plan, const Artifact& a) {
    Trial trial;
    trial.resources = a.resources;
    trial.geometry = plan.geometry;
    trial.image_bytes = static_cast<std::int64_t>(a.image.size());
    auto reason = over_limits(plan, kernels_of(a), facts_);
    if (!reason) reason = broken_by_compiled(study_, space_.bindings(configuration), trial, facts_);
    row(configuration, reason ? "constraints" : "ok", plan.geometry, a.resources,
        reason.value_or(""), a.milliseconds);
  }

  void row(const Configuration& configuration, const char* state, LaunchGeometry geometry,
           const Resources& resources, const std::string& message, double milliseconds) {
    if (std::string_view(state) == "compile") {
      ++end_.failed;
      if (end_.first_failure.empty()) end_.first_failure = message;
    } else if (resources.registers >= 0 || std::string_view(state) == "ok") {
      ++end_.compiled;
    }
    tell_({configuration, state, geometry, resources, occupancy(facts_, resources, geometry),
           milliseconds, message});
  }

  const Study& study_;
  const SearchSpace& space_;
  const DeviceFacts& facts_;
  const SourceTexts& sources_;
  CompilePool& pool_;
  const ArtifactLibrary& library_;
  std::unordered_map<std::uint64_t, Variant> compiling_;  // by the pool's id
  std::unordered_set<std::string> programs_;
  const std::function<void(const CheckedVariant&)>& tell_;
  CompileCheckEnd end_;
};

// `tell` hears of each variant when its answer comes, `tell_note` of the compiler. Ends early when
// interrupted. `study` has a kernel.
CompileCheckEnd compile_for(const Study& study, const ProblemSize& size,
                            const CompileCheckSettings& settings, const WorkerProgram& program,
                            const ArtifactShelf& shelf, const Interrupt& interrupt,
                            const std::function<void(const CheckedVariant&)>& tell,
                            const std::function<void(const std::string&)>& tell_note) {
  const DeviceFacts facts = nominal_facts(settings.arch);
  const bool is_named = facts.backend == "opencl" || facts.backend == "program";
  if ((is_named ? facts.backend : "cuda") != study.kernel.language) {
    throw InputError(Complaint{study.kernel.where,
                               fmt::format("the kernel is written in {}, which is not compiled for "
                                           "{}",
                                           language_name(study.kernel.language), settings.arch),
                               fmt::format("--arch {}", usual_arch(study))});
  }
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  const auto open = [&](const std::string& compiler) {
    return std::make_unique<CompilePool>(
        program, CompilePoolOptions{compiler, settings.jobs, kCompileSeconds, shelf.dir()});
  };
  const StudyCompilers with = compilers_for(
      study, facts.backend, shelf, interrupt, [&] { return DeviceFacts(facts); },
      open(facts.backend), open);
  for (const std::string& note : with.notes) tell_note(note);
  const ArtifactLibrary library = shelf.library(with.pool->identity(), with.sources);
  CompileCheck check(study, space, facts, with.sources, *with.pool, library, tell);
  const auto visit = [&](ConfigIndex index) {
    check.add(index);
    check.drain(4 * settings.jobs, interrupt);
  };
  if (settings.limit > 0 && settings.limit < space.size()) {
    const IndexPermutation drawn(space.size(), settings.seed);
    for (std::uint64_t i = 0; i < settings.limit && interrupt.count() == 0; ++i) visit(drawn(i));
  } else {
    for (ConfigIndex i = 0; i < space.size() && interrupt.count() == 0; ++i) visit(i);
  }
  check.drain(0, interrupt);
  return std::move(check).end();
}

std::string number(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

std::string compiled_header(const std::vector<Parameter>& parameters) {
  return "arch," + csv_header(parameters) +
         ",state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,"
         "compile_ms,message\n";
}

std::string compiled_line(const std::string& arch, const CheckedVariant& one) {
  return fmt::format("{},{},{},{},{},{},{},{},{:.1f},{}\n", arch, csv_row(one.configuration),
                     one.state, number(one.resources.registers),
                     number(one.resources.static_shared_bytes), one.geometry.dynamic_shared_bytes,
                     number(one.resources.spill_bytes),
                     one.occupancy < 0 ? "" : fmt::format("{:.3f}", one.occupancy),
                     one.milliseconds, csv_field(one.message));
}

}  // namespace

int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options) {
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to compile: 'kernel' and 'launch' are needed",
                               ""});
  }
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  Words archs = options.archs;
  if (archs.empty()) archs.emplace_back(usual_arch(study));
  std::set<std::string> told;
  const auto tell_note = [&told](const std::string& note) {
    if (told.insert(note).second) std::cerr << lines_for_terminal(note) << "\n";
  };
  std::cout << compiled_header(study.parameters);
  bool all_good = true;
  for (const std::string& arch : archs) {
    const auto tell = [&](const CheckedVariant& one) { std::cout << compiled_line(arch, one); };
    const CompileCheckEnd end =
        compile_for(study, size, {arch, options.jobs, options.limit, options.seed}, program, shelf,
                    interrupt, tell, tell_note);
    if (interrupt.count() > 0) return kExitInterrupted;
    std::cerr << fmt::format("{}: {} compiled, {} did not; {} different programs\n", arch,
                             end.compiled, end.failed, end.programs);
    if (end.compiled == 0) {
      all_good = false;
      std::cerr << "  " << lines_for_terminal(end.first_failure) << "\n";
    }
  }
  return all_good ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
