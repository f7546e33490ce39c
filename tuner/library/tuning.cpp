// Tuning in the idle time of a program: sizes by their names, and who works on them.

#include <chrono>
#include <cmath>

#include "tuner/library/guarded.h"
#include "tuner/library/state.h"
#include "tuner/library/tuning_work.h"
#include "tuner/study/size_check.h"

namespace libtuner {
namespace {

constexpr std::uint64_t kUsualEvaluations = 200;

double steady_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

std::uint64_t evaluations_of(const tuner::Study& study, const TuningSettings& settings) {
  if (settings.evaluations > 0) return settings.evaluations;
  return study.search.budget.evaluations.value_or(kUsualEvaluations);
}

struct Tuning::State {
  // Of the study.
  tuner::ProblemSize size(const std::string& text) const {
    return tuner::parse_size_option(text, study);
  }

  tuner::Study study;
  std::unique_ptr<TuningWork> work;
};

Tuning::Tuning(const Study& study, const TuningSettings& settings) {
  guarded([&] {
    const tuner::Study& plain = study.state_->study;
    count_of(settings.evaluations);
    workers_of(settings.jobs);
    state_ = std::make_unique<State>();
    state_->study = plain;
    state_->work = settings.launch ? tune_launches(plain, settings, steady_ms)
                                   : tune_study(plain, settings, steady_ms);
  });
}
Tuning::~Tuning() = default;
Tuning::Tuning(Tuning&&) noexcept = default;
Tuning& Tuning::operator=(Tuning&&) noexcept = default;

void Tuning::add(const std::string& size, const Buffers& data) {
  guarded([&] { state_->work->add(state_->size(size), data); });
}

Progress Tuning::step(double milliseconds) {
  return guarded([&] {
    if (std::isnan(milliseconds)) throw Error("the milliseconds of a step are no number");
    return state_->work->step(milliseconds);
  });
}

std::optional<Tuning::Choice> Tuning::best(const std::string& size) const {
  return guarded([&] { return state_->work->best(state_->size(size).label()); });
}

bool Tuning::launch(const std::string& size, const Buffers& buffers) {
  return guarded([&] { return state_->work->launch(state_->size(size).label(), buffers); });
}

}  // namespace libtuner
