#include "tuner/engine/evaluation.h"

#include <numeric>
#include <random>
#include <utility>

#include "tuner/engine/session.h"
#include "tuner/engine/workspace.h"

namespace tuner {
namespace {

// Fisher and Yates with a generator that is the same everywhere, unlike std::shuffle.
void shuffle(std::vector<std::size_t>& order, std::mt19937_64& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
}

}  // namespace

struct Evaluation::Impl {
  Backend& backend;
  Workspace workspace;
};

Evaluation::Evaluation(Backend& backend, SizePlan plan)
    : impl_(new Impl{backend, Workspace(backend, std::move(plan))}) {}
Evaluation::~Evaluation() = default;

DeviceResult<Ok> Evaluation::prepare() { return impl_->workspace.prepare(); }

Verdict Evaluation::evaluate(const VariantPlan& variant, const PhaseSink& phase) {
  if (auto room = impl_->workspace.reserve(variant); !room) return verdict_of(room.error());
  Session session(impl_->backend, impl_->workspace, phase);
  auto admitted = session.admit(variant);
  if (!admitted) return admitted.error();
  return session.measure(variant, *admitted);
}

Expected<std::vector<std::vector<double>>, DuelFailure> Evaluation::duel(
    const std::vector<VariantPlan>& variants, int rounds, std::uint64_t seed,
    const PhaseSink& phase) {
  // All before any is bound: growing a buffer moves it.
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto room = impl_->workspace.reserve(variants[i]);
    if (!room) return Unexpected{DuelFailure{i, verdict_of(room.error())}};
  }
  Session session(impl_->backend, impl_->workspace, phase);
  std::vector<Admitted> finalists;
  std::vector<std::uint32_t> launches;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    auto admitted = session.admit(variants[i]);
    if (!admitted) return Unexpected{DuelFailure{i, admitted.error()}};
    auto warm_up = session.time(*admitted, 1, 1);
    if (!warm_up) return Unexpected{DuelFailure{i, verdict_of(warm_up.error())}};
    launches.push_back(session.batch(*admitted, warm_up->front()));
    finalists.push_back(std::move(*admitted));
  }
  std::vector<std::vector<double>> result(variants.size());
  std::vector<std::size_t> order(variants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    session.announce(Phase::kFinal);
    shuffle(order, random);
    for (const std::size_t i : order) {
      auto sample = session.time(finalists[i], 1, launches[i]);
      if (!sample) return Unexpected{DuelFailure{i, verdict_of(sample.error())}};
      result[i].push_back(sample->front());
    }
  }
  return result;
}

}  // namespace tuner
