// How PoolEvaluator gets the device ready for a problem size, while variants are being compiled.
#include <utility>

#include "tuner/base/error.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {

void PoolEvaluator::start_preparing() {
  if (preparation_ != Preparation::kNone) return;
  if (!setup_.reference) {
    preparation_ = Preparation::kDevice;
    return runner_.start_preparing(std::move(setup_.plan));
  }
  preparation_ = Preparation::kReference;
  const std::string key = setup_.library.key(*setup_.reference);
  if (auto cached = setup_.library.find(key)) return prepare_with(std::move(*cached));
  reference_ = compilers_.submit(key, std::move(*setup_.reference));
}

void PoolEvaluator::prepare_with(Artifact reference) {
  of_reference_ = judge(reference.opened);
  setup_.plan.reference->artifact = std::move(reference);
  preparation_ = Preparation::kDevice;
  runner_.start_preparing(std::move(setup_.plan));
}

bool PoolEvaluator::take_reference(const CompileResult& result) {
  if (result.id != reference_) return false;
  reference_.reset();
  if (!result.outcome) {
    throw InputError(
        {Complaint{setup_.study->reference->where,
                   "the reference kernel: it does not compile:\n" + result.outcome.error().log,
                   ""}},
        setup_.study->text);
  }
  prepare_with(**result.outcome);
  return true;
}

void PoolEvaluator::take_prepared() {
  if (preparation_ != Preparation::kDevice) return;
  const auto done = runner_.handle_preparing();
  if (!done) {
    for (const ArgumentSpec& constant : setup_.study->constants) {
      if (constant.name != done.error().constant) continue;
      throw InputError({Complaint{constant.where, done.error().reason, ""}}, setup_.study->text);
    }
    throw FatalError("problem size " + setup_.size.label() +
                     " cannot be prepared: " + done.error().reason);
  }
  if (!*done) return;
  preparation_ = Preparation::kDone;
  for (const std::string& text : runner_.take_warnings()) {
    if (setup_.warn) setup_.warn(text);
  }
}

}  // namespace tuner
