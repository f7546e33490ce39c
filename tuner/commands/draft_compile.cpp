// Asks the compilers of a study's backend as `check --compile` does, for one configuration.

#include "tuner/commands/draft_compile.h"

#include <algorithm>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/bench/bench.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/time_limit.h"
#include "tuner/files/failure_report.h"
#include "tuner/resolve/resolve.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

constexpr const char* kUsualArch = "sm_90";

// Compiles one configuration; returns what it takes, or the error.
Expected<Resources, std::string> compiled(const Study& study, const DeviceFacts& facts,
                                          const Assignments& present, const StudyCompilers& with,
                                          const StopRequest& stop) {
  const ProblemSize size = study.sizes.empty() ? ProblemSize{} : study.sizes.front();
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  const Configuration configuration = chosen_configuration(study, present, size, facts);
  const auto plan = variant_plan(study, space, configuration);
  if (!plan) return Unexpected{plan.error()};
  auto request =
      compile_request(study, space, configuration, plan->then, facts, with.sources.kernel);
  if (!request) return Unexpected{request.error()};
  with.pool->submit("draft", std::move(*request));
  while (stop.count() == 0) {
    for (const CompileResult& result : wait_for_results(*with.pool, stop)) {
      if (result.outcome) return (*result.outcome)->resources;
      return Unexpected{error_in(result.outcome.error().log)};
    }
  }
  throw InterruptedError("interrupted before it was compiled");
}

}  // namespace

DraftCompile compile_draft(const DraftText& draft, const TrialSetup& setup) {
  const TimeLimit limit(2 * setup.timeout);
  DraftCompile out;
  try {
    const Study study = checked_study(study_of_text(draft.file, draft.yaml), {}, [](auto&) {});
    const WorkerProgram program{executable_path(), setup.plugin_dirs};
    DeviceFacts facts = nominal_facts(kUsualArch);
    const ArtifactShelf shelf;
    const auto open = [&](const std::string& compiler) {
      return std::make_unique<CompilePool>(
          program, CompilePoolOptions{compiler, 2, setup.timeout, shelf.dir()});
    };
    const StudyCompilers with = compilers_for(
        study, setup.catalogue, facts.backend, shelf, limit, [&] { return facts; },
        open(facts.backend), open);
    const auto taken = compiled(study, facts, present_configuration(study), with, limit);
    if (taken) out.registers = std::max<std::int64_t>(0, taken->registers);
    if (!taken) out.error = taken.error();
    out.arch = facts.arch;
    const auto is_choice = [](const std::string& note) { return note.starts_with("note: "); };
    const auto note = std::ranges::find_if(with.notes, is_choice);
    if (note != with.notes.end()) out.note = note->substr(std::string_view("note: ").size());
  } catch (const InterruptedError&) {
    if (limit.is_interrupted()) throw;
  } catch (const UnavailableError&) {  // no toolkit
  } catch (const FatalError& error) {
    out.error = error.what();
  }
  return out;
}

}  // namespace tuner
