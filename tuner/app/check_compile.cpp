// `tuner check --compile`: compiles variants for architectures that need not be here.

#include "tuner/app/check_compile.h"

#include <fmt/format.h>

#include <iostream>
#include <unordered_map>
#include <unordered_set>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/limits.h"
#include "tuner/engine/resolve.h"
#include "tuner/exporters/csv.h"
#include "tuner/run/sources.h"
#include "tuner/space/sampling.h"
#include "tuner/worker/compile_pool.h"

namespace tuner {
namespace {

constexpr double kCompileSeconds = 300;

std::string number(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

// One architecture: hands out requests, prints a row for each answer as it comes.
class ArchCheck {
 public:
  ArchCheck(const Study& study, const SearchSpace& space, const DeviceFacts& facts,
            const SourceTexts& sources, CompilePool& pool, const ArtifactLibrary& library)
      : study_(study),
        space_(space),
        facts_(facts),
        sources_(sources),
        pool_(pool),
        library_(library) {}

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
      std::vector<pollfd> fds{{interrupt.fd(), POLLIN, 0}};
      pool_.watch(fds);
      ::poll(fds.data(), fds.size(), 200);
      for (const CompileResult& result : pool_.handle()) finish(result);
    }
  }

  std::uint64_t compiled_count() const { return compiled_; }
  std::uint64_t failed_count() const { return failed_; }
  std::size_t program_count() const { return programs_.size(); }
  const std::string& first_failure() const { return first_failure_; }

 private:
  struct Variant {
    Configuration configuration;
    VariantPlan plan;
  };

  // Variants that are one program, each launched in its own way, get a row each.
  void finish(const CompileResult& result) {
    const auto asked = compiling_.extract(result.id);
    const auto& [configuration, plan] = asked.mapped();
    if (result.outcome) return compiled(configuration, plan, **result.outcome);
    row(configuration, "compile", plan.geometry, {}, result.outcome.error().log, 0);
  }

  void compiled(const Configuration& configuration, const VariantPlan& plan, const Artifact& a) {
    const auto reason = over_limits(plan, kernels_of(a), facts_);
    row(configuration, reason ? "constraints" : "ok", plan.geometry, a.resources,
        reason.value_or(""), a.milliseconds);
  }

  void row(const Configuration& configuration, const std::string& state, LaunchGeometry geometry,
           const Resources& r, const std::string& message, double milliseconds) {
    if (state == "compile") {
      ++failed_;
      if (first_failure_.empty()) first_failure_ = message;
    } else if (r.registers >= 0 || state == "ok") {
      ++compiled_;
    }
    const double share = occupancy(facts_, r, geometry);
    std::cout << facts_.arch << ',' << csv_row(configuration) << ',' << state << ','
              << number(r.registers) << ',' << number(r.static_shared_bytes) << ','
              << geometry.dynamic_shared_bytes << ',' << number(r.spill_bytes) << ','
              << (share < 0 ? "" : fmt::format("{:.3f}", share)) << ','
              << fmt::format("{:.1f}", milliseconds) << ',' << csv_field(message) << "\n";
  }

  const Study& study_;
  const SearchSpace& space_;
  const DeviceFacts& facts_;
  const SourceTexts& sources_;
  CompilePool& pool_;
  const ArtifactLibrary& library_;
  std::unordered_map<std::uint64_t, Variant> compiling_;  // by the pool's id
  std::unordered_set<std::string> programs_;
  std::uint64_t compiled_ = 0;
  std::uint64_t failed_ = 0;
  std::string first_failure_;
};

}  // namespace

int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options) {
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to compile: 'kernel' and 'launch' are needed",
                               ""});
  }
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const SourceTexts sources = read_sources(study);
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  Words archs = options.archs;
  if (archs.empty()) archs.push_back("sm_90");
  std::cout << "arch," << csv_header(study.parameters)
            << ",state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,"
               "compile_ms,message\n";
  bool all_good = true;
  for (const std::string& arch : archs) {
    const DeviceFacts facts = nominal_facts(arch);
    const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
    CompilePool pool(program, {facts.backend, options.jobs, kCompileSeconds, shelf.dir()});
    const ArtifactLibrary library = shelf.library(pool.identity(), sources);
    ArchCheck check(study, space, facts, sources, pool, library);
    const auto visit = [&](ConfigIndex index) {
      check.add(index);
      check.drain(4 * options.jobs, interrupt);
    };
    if (options.limit > 0 && options.limit < space.size()) {
      const IndexPermutation drawn(space.size(), options.seed);
      for (std::uint64_t i = 0; i < options.limit && interrupt.count() == 0; ++i) visit(drawn(i));
    } else {
      for (ConfigIndex i = 0; i < space.size() && interrupt.count() == 0; ++i) visit(i);
    }
    check.drain(0, interrupt);
    if (interrupt.count() > 0) return kExitInterrupted;
    std::cerr << fmt::format("{}: {} compiled, {} did not; {} different programs\n", arch,
                             check.compiled_count(), check.failed_count(), check.program_count());
    if (check.compiled_count() == 0) {
      all_good = false;
      std::cerr << "  " << lines_for_terminal(check.first_failure()) << "\n";
    }
  }
  return all_good ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
