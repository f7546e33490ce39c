// Tuning in the idle time of a program: sizes by their names, who works on them, and how launches
// of the application itself are tuned, one after the other, each within a step.

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "tuner/base/stopwatch.h"
#include "tuner/check/size_check.h"
#include "tuner/library/state.h"
#include "tuner/model/statistics.h"
#include "tuner/plugin/space_table.h"
#include "tuner/ports/strategy.h"
#include "tuner/resolve/resolve.h"
#include "tuner/space/search_space.h"

namespace libtuner {

namespace {

using tuner::ConfigIndex;

// One size: its space, who chooses, and the configuration that is being measured.
struct SizeTuning {
  SizeTuning(const tuner::Study& study, const tuner::ProblemSize& size)
      : label(size.label()),
        name(text_of(size)),
        space(tuner::SearchSpace::build(tuner::space_definition(study, size, {}))) {}

  std::string label;
  std::string name;  // as the application is told it
  tuner::SearchSpace space;
  std::unique_ptr<tuner::Strategy> strategy{};
  std::uint64_t trials = 0;
  bool is_done = false;
  std::optional<Tuning::Choice> choice{};  // under the lock
  // The configuration in hand: its first launch warms up and does not count.
  std::optional<ConfigIndex> in_hand{};
  Configuration configuration{};
  bool is_warm = false;
  std::vector<double> samples{};
  double spent_ms = 0;
  double usual_ms = 0;  // of its launches, by the clock; 0: not known
};

class OwnLaunches final : public TuningWork {
 public:
  OwnLaunches(const tuner::Study& study, const TuningSettings& settings, ClockMs now_ms)
      : study_(study),
        settings_(settings),
        now_ms_(std::move(now_ms)),
        catalogue_(load_catalogue(settings.installation)) {}

  void add(const tuner::ProblemSize& size, const Buffers&) override {
    if (find(size.label()) != sizes_.end()) return;
    auto made = std::make_unique<SizeTuning>(study_, size);
    made->strategy = make_strategy(made->space);
    made->is_done = made->space.size() == 0;
    const std::lock_guard lock(mutex_);
    sizes_.push_back(std::move(made));
  }

  Progress step(double milliseconds) override {
    const double end = now_ms_() + milliseconds;
    bool any = false;
    for (const auto& one : sizes_) {
      SizeTuning& size = *one;
      while (!size.is_done && now_ms_() < end && next_configuration(size)) {
        if (any && size.usual_ms > end - now_ms_()) return progress();
        launch_once(size);
        any = true;
      }
      if (!size.is_done) break;
    }
    return progress();
  }

  std::optional<Tuning::Choice> best(const std::string& label) const override {
    const std::lock_guard lock(mutex_);
    const auto found = find(label);
    return found == sizes_.end() ? std::nullopt : (*found)->choice;
  }

  bool launch(const std::string&, const Buffers&) override {
    throw Error("the application launches by itself: best() says which configuration");
  }

 private:
  using Sizes = std::vector<std::unique_ptr<SizeTuning>>;  // whose spaces stay where they are

  Sizes::const_iterator find(const std::string& label) const {
    return std::ranges::find(sizes_, label, [](const auto& size) { return size->label; });
  }

  std::unique_ptr<tuner::Strategy> make_strategy(const tuner::SearchSpace& space) const {
    const auto search = search_of(study_, settings_.strategy, settings_.strategy_options);
    return catalogue_.make_strategy(search.strategy, tuner::space_table(space), settings_.seed,
                                    {evaluations_of(study_, settings_), {}}, search.options);
  }

  // Whether there is one in hand.
  bool next_configuration(SizeTuning& size) {
    if (size.in_hand) return true;
    const bool over = size.trials >= evaluations_of(study_, settings_);
    const auto asked = over ? std::vector<ConfigIndex>() : size.strategy->ask(1);
    if (asked.empty()) {
      size.is_done = true;
      const std::lock_guard lock(mutex_);
      if (size.choice) size.choice->tuned = true;
      return false;
    }
    const ConfigIndex next = asked.front();
    size.in_hand = next;
    size.configuration = with_names(size.space.parameters(), size.space.configuration(next));
    size.is_warm = false;
    size.samples.clear();
    size.spent_ms = size.usual_ms = 0;
    return true;
  }

  void launch_once(SizeTuning& size) {
    const double begin = now_ms_();
    double ms = 0;
    try {
      const auto told = settings_.launch(size.name, size.configuration);
      size.usual_ms = now_ms_() - begin;
      ms = told.value_or(size.usual_ms);
      if (!std::isfinite(ms) || ms < 0) throw Error("the time of a launch was no time");
    } catch (...) {
      conclude(size, tuner::TrialState::kRuntime);
      return;
    }
    size.spent_ms += ms;
    if (!std::exchange(size.is_warm, true)) return;
    size.samples.push_back(ms);
    const double best_ms = size.choice ? size.choice->time_ms : 0;
    if (tuner::after_samples(size.samples, study_.measure, size.spent_ms, best_ms) !=
        tuner::Sampling::kMore) {
      conclude(size, tuner::TrialState::kOk);
    }
  }

  void conclude(SizeTuning& size, tuner::TrialState state) {
    tuner::Observation told{*size.in_hand, tuner::state_number(state), {}, size.spent_ms / 1000};
    if (state == tuner::TrialState::kOk) {
      const double ms = tuner::median(size.samples);
      told.objectives = {ms / 1000};
      const std::lock_guard lock(mutex_);
      if (!size.choice || ms < size.choice->time_ms) {
        size.choice = Tuning::Choice{size.configuration, ms, false};
      }
    }
    size.strategy->tell(told);
    size.in_hand.reset();
    ++size.trials;
  }

  Progress progress() const {
    Progress out;
    out.done = std::ranges::all_of(sizes_, [](const auto& size) { return size->is_done; });
    for (const auto& size : sizes_) out.trials += size->trials;
    return out;
  }

  tuner::Study study_;
  TuningSettings settings_;
  ClockMs now_ms_;
  tuner::Catalogue catalogue_;
  mutable std::mutex mutex_;  // of the list of sizes and of their choices
  Sizes sizes_;
};

}  // namespace

std::unique_ptr<TuningWork> tune_launches(const tuner::Study& study, const TuningSettings& settings,
                                          ClockMs now_ms) {
  return std::make_unique<OwnLaunches>(study, settings, std::move(now_ms));
}

namespace {

constexpr std::uint64_t kUsualEvaluations = 200;

}  // namespace

std::uint64_t evaluations_of(const tuner::Study& study, const TuningSettings& settings) {
  if (settings.evaluations > 0) return settings.evaluations;
  return study.search.budget.evaluations.value_or(kUsualEvaluations);
}

struct Tuning::State {
  // Reads a size of the study.
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
    state_->work = settings.launch ? tune_launches(plain, settings, tuner::steady_ms)
                                   : tune_study(plain, settings, tuner::steady_ms);
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
