// Compiles the reference and has the device prepare a problem size.

#include "tuner/worker/preparation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/source/own_names.h"

namespace tuner {

std::string missing_prefix(const Study& study, const std::string& log) {
  const std::string& prefix = study.kernel.define_prefix;
  if (prefix.empty()) return {};
  std::vector<std::string> names;
  for (const Parameter& parameter : study.parameters) names.push_back(parameter.name);
  const auto name = undeclared_name(log, names);
  return name ? "note: " + *name + " is a parameter; its macro is " + prefix + *name +
                    " (define_prefix: \"\" takes the prefix away)\n"
              : "";
}

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
      reason += ", perhaps by the reference kernel '" + study_.reference->entry +
                "' outside of its buffers: it was given " + done.error().given;
    }
    throw FatalError("problem size " + size_.label() + " cannot be prepared: " + reason);
  }
  if (!*done) return {};
  state_ = State::kDone;
  return runner_.take_warnings();
}

}  // namespace tuner
