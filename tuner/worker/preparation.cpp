// Compiles the reference and has the device prepare a problem size.

#include "tuner/worker/preparation.h"

#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/source/undeclared.h"

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
                         std::optional<CompileRequest> reference, const Toolchain& tools,
                         RunWorker& runner)
    : study_(study),
      size_(std::move(size)),
      plan_(std::move(plan)),
      reference_(std::move(reference)),
      tools_(tools),
      runner_(runner) {}

void Preparation::start() {
  if (state_ != State::kNone) return;
  if (!reference_) {
    state_ = State::kDevice;
    return runner_.start_preparing(std::move(plan_));
  }
  state_ = State::kReference;
  const std::string key = tools_.library.key(*reference_);
  if (auto cached = tools_.library.find(key)) return prepare_with(std::move(*cached));
  awaited_ = tools_.compilers.submit(key, std::move(*reference_));
}

void Preparation::prepare_with(Artifact reference) {
  provenance_ = tools_.judge(reference.opened);
  plan_.reference->artifact = std::move(reference);
  state_ = State::kDevice;
  runner_.start_preparing(std::move(plan_));
}

bool Preparation::take(const CompileResult& result) {
  if (result.id != awaited_) return false;
  awaited_.reset();
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
  prepare_with(**result.outcome);
  return true;
}

std::vector<std::string> Preparation::poll() {
  if (state_ != State::kDevice) return {};
  const auto done = runner_.handle_preparing();
  if (!done) {
    for (const ArgumentSpec& constant : study_.constants) {
      if (constant.name != done.error().constant) continue;
      throw InputError({Complaint{constant.where, done.error().reason, ""}}, study_.text);
    }
    throw FatalError("problem size " + size_.label() +
                     " cannot be prepared: " + done.error().reason);
  }
  if (!*done) return {};
  state_ = State::kDone;
  return runner_.take_warnings();
}

}  // namespace tuner
