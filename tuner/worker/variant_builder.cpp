// Compiles the reference and has the device prepare a problem size; resolves configurations, and
// has them compiled where no artifact is at hand.

#include "tuner/worker/variant_builder.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/limits.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/source/known_sources.h"
#include "tuner/source/own_names.h"
#include "tuner/worker/job.h"

namespace tuner {

namespace {

// A line for a compiler's log that complains of a parameter's name without the prefix of its macro;
// otherwise empty.
std::string missing_prefix(const Study& study, const std::string& log) {
  const std::string& prefix = study.kernel.define_prefix;
  if (prefix.empty()) return {};
  const auto name = undeclared_name(log, parameter_names(study.parameters));
  return name ? "note: " + *name + " is a parameter; its macro is " + prefix + *name +
                    " (define_prefix: \"\" takes the prefix away)\n"
              : "";
}

}  // namespace

Preparation::Preparation(const Study& study, ProblemSize size, SizePlan plan,
                         std::vector<CompileRequest> references, const Toolchain& tools,
                         RunWorker& runner)
    : study_(study),
      size_(std::move(size)),
      plan_(std::move(plan)),
      references_(std::move(references)),
      tools_(tools),
      runner_(runner) {}

void Preparation::start() {
  if (state_ != State::kNone) return;
  state_ = State::kReference;
  for (std::size_t i = 0; i < references_.size(); ++i) {
    const std::string key = tools_.library.key(references_[i]);
    if (auto cached = tools_.library.find(key)) {
      add(i, std::move(*cached));
    } else {
      awaited_.emplace(tools_.compilers.submit(key, std::move(references_[i])), i);
    }
  }
  prepare_when_compiled();
}

void Preparation::add(std::size_t answer, Artifact reference) {
  const Provenance from = tools_.judge(reference.opened);
  provenance_.known = provenance_.known && from.known;
  for (const FileState& file : from.further) {
    const auto& known = provenance_.further;
    if (std::ranges::find(known, file) == known.end()) provenance_.further.push_back(file);
  }
  plan_.reference->answers.at(answer).artifact = std::move(reference);
}

void Preparation::prepare_when_compiled() {
  if (!awaited_.empty()) return;
  state_ = State::kDevice;
  runner_.start_preparing(std::move(plan_));
}

bool Preparation::take(const CompileResult& result) {
  const auto asked = awaited_.extract(result.id);
  if (asked.empty()) return false;
  if (!result.outcome) {
    const std::string& log = result.outcome.error().log;
    const std::string shared =
        study_.reference->source ? "" : " (it shares its source with the variants)";
    throw InputError({Complaint{study_.reference->where,
                                "the reference kernel: it does not compile" + shared + ":\n" +
                                    missing_prefix(study_, log) + log,
                                ""}},
                     study_.text);
  }
  add(asked.mapped(), **result.outcome);
  prepare_when_compiled();
  return true;
}

std::vector<std::string> Preparation::poll() {
  if (state_ != State::kDevice && state_ != State::kDone) return {};
  const auto done = runner_.advance();
  if (!done) {
    for (const ArgumentSpec& constant : study_.constants) {
      if (constant.name != done.error().constant) continue;
      throw InputError({Complaint{constant.where, done.error().reason, ""}}, study_.text);
    }
    std::string reason = done.error().reason;
    if (!done.error().given.empty() && !study_.reference->entry.empty()) {
      reason += ". The reference kernel '" + study_.reference->entry +
                "' may have left its buffers; it was given " + done.error().given;
    }
    throw FatalError("problem size " + size_.label() + " cannot be prepared: " + reason);
  }
  if (!*done) return {};
  state_ = State::kDone;
  return runner_.take_warnings();
}

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

Job failed(Job job, TrialState state, std::string message) {
  job.trial.state = state;
  job.trial.message = std::move(message);
  return job;
}

}  // namespace

std::shared_ptr<const Artifact> ArtifactsAtHand::find(const std::string& key) const {
  const auto known = known_.find(key);
  return known == known_.end() ? nullptr : known->second;
}

void ArtifactsAtHand::remember(const std::string& key, std::shared_ptr<const Artifact> artifact) {
  if (known_.contains(key)) return;
  bytes_ += artifact->image.size();
  if (bytes_ > kMostBytes) {
    known_.clear();
    bytes_ = artifact->image.size();
  }
  known_.emplace(key, std::move(artifact));
}

std::optional<CompileRequest> VariantBuilder::resolve(Job& job) const {
  auto plan = variant_plan(task_.study, task_.space, job.trial.configuration);
  if (!plan) {
    job = failed(std::move(job), TrialState::kLaunch, plan.error());  // it has no launch
    return std::nullopt;
  }
  job.plan = std::move(*plan);
  job.trial.geometry = job.plan.geometry;
  if (auto reason = over_limits(job.plan, task_.facts)) {
    job = failed(std::move(job), TrialState::kConstraints, *reason);
    return std::nullopt;
  }
  auto made = compile_request(task_.study, task_.space, job.trial.configuration, job.plan.then,
                              task_.facts, tools_.source_text);
  if (!made) {
    job = failed(std::move(job), TrialState::kCompile, made.error());
    return std::nullopt;
  }
  job.key = tools_.library.key(*made);
  return std::move(*made);
}

std::optional<Job> VariantBuilder::build(Job job, CompileRequest request) {
  if (const auto artifact = at_hand(job.key)) return compiled(std::move(job), *artifact, true);
  const std::uint64_t id = tools_.compilers.submit(job.key, std::move(request));
  compiling_.emplace(id, std::move(job));
  return std::nullopt;
}

// Compiled in this run, or by an earlier one; null: neither. What is being compiled now is not
// looked for on the disk.
std::shared_ptr<const Artifact> VariantBuilder::at_hand(const std::string& key) {
  if (auto known = at_hand_.find(key)) return known;
  if (tools_.compilers.is_under_way(key)) return nullptr;
  auto cached = tools_.library.find(key);
  if (!cached) return nullptr;
  auto artifact = std::make_shared<const Artifact>(std::move(*cached));
  at_hand_.remember(key, artifact);
  return artifact;
}

Job VariantBuilder::compiled(Job job, const Artifact& artifact, bool was_there) const {
  job.trial.resources = artifact.resources;
  job.trial.image_bytes = static_cast<std::int64_t>(artifact.image.size());
  job.trial.compile_ms = was_there ? 0 : artifact.milliseconds;
  job.trial.cache_hit = was_there;
  add_provenance(tools_.judge(artifact.opened), job.trial);
  if (auto reason = over_limits(job.plan, kernels_of(artifact), task_.facts)) {
    return failed(std::move(job), TrialState::kConstraints, *reason);
  }
  if (auto reason = broken_by_compiled(task_.study, task_.space.bindings(job.trial.configuration),
                                       job.trial, task_.facts)) {
    return failed(std::move(job), TrialState::kConstraints, *reason);
  }
  job.plan.artifact = artifact;
  job.plan.artifact.opened.reset();  // nothing to the device
  job.program = program_of(job.plan);
  return job;
}

std::optional<Job> VariantBuilder::take(const CompileResult& result) {
  auto asked = compiling_.extract(result.id);
  if (asked.empty()) return std::nullopt;  // of another size, or from before an interruption
  Job& job = asked.mapped();
  if (result.outcome) {
    if (!std::exchange(has_compiled_, true) && task_.reached) {
      task_.reached("first variant compiled");
    }
    at_hand_.remember(job.key, *result.outcome);
    return compiled(std::move(job), **result.outcome, result.shared);
  }
  add_provenance(tools_.judge(result.outcome.error().opened), job.trial);
  const std::string& log = result.outcome.error().log;
  return failed(std::move(job), TrialState::kCompile, missing_prefix(task_.study, log) + log);
}

void VariantBuilder::cancel() {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, job] : compiling_) ids.push_back(id);
  compiling_.clear();
  if (!ids.empty()) tools_.compilers.cancel(ids);
}

void VariantBuilder::describe(MachineState& machine) const {
  std::map<std::uint64_t, const Job*> in_order;  // who asked first is compiled first
  for (const auto& [id, job] : compiling_) in_order.emplace(id, &job);
  for (const auto& [id, job] : in_order) {
    const auto at_work = tools_.compilers.seconds_at_work(job->key);
    machine.under_way.push_back({job->trial.index,
                                 at_work ? TUNER_STAGE_COMPILING : TUNER_STAGE_QUEUED,
                                 seconds_since(job->asked), at_work.value_or(0)});
  }
}

}  // namespace tuner
