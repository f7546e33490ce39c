// Tunes a study's own kernels in the application's process. A thread of its own searches as
// `tuner run` does, with the same store; what it wants of the device waits for step().

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/bench/bench.h"
#include "tuner/bench/devices.h"
#include "tuner/check/size_check.h"
#include "tuner/library/deferred_device.h"
#include "tuner/library/served_launch.h"
#include "tuner/library/state.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/run/device_run.h"
#include "tuner/run/tuning_run.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/run_worker.h"

namespace libtuner {
namespace {

// Nothing is ended because it takes long: an application may have no idle time for days.
constexpr double kNoLimit = 1e7;
// A size is searched a little, then the other sizes, then it goes on with so many times as many
// evaluations: no size waits long for its first configuration.
constexpr std::uint64_t kFirstEvaluations = 8;
constexpr std::uint64_t kMoreEvaluations = 4;

// A size that the application has added.
struct WantedSize {
  tuner::ProblemSize size;
  tuner::Study study;                             // with the application's data
  std::vector<DataCopy> data{};                   // that it names
  std::uint64_t evaluations = kFirstEvaluations;  // of the next search, earlier ones included
};

// The state of a size, for the application's threads.
struct SizeState {
  bool done = false;
  std::optional<Tuning::Choice> choice{};
  std::optional<tuner::Configuration> configuration{};  // of the choice
  std::shared_ptr<const ReadyVariant> ready{};          // of it, or of an earlier one
};

class StudyTuning final : public TuningWork {
 public:
  StudyTuning(const tuner::Study& study, const TuningSettings& settings, ClockMs now_ms);
  ~StudyTuning() override;

  void add(const tuner::ProblemSize& size, const Buffers& data) override;
  Progress step(double milliseconds) override;
  std::optional<Tuning::Choice> best(const std::string& label) const override;
  bool launch(const std::string& label, const Buffers& buffers) override;

 private:
  class RunEvents;

  void search_all();
  void go_on(WantedSize wanted, const std::function<bool(const WantedSize&)>& search);
  // Whether that was the last search that the size needs.
  bool search(const WantedSize& wanted, const tuner::Toolchain& tools,
              const tuner::SourceTexts& sources, tuner::Store& store, tuner::RunWorker& runner);
  std::optional<WantedSize> next_size();
  void choose(const std::string& label, const tuner::Trial& trial);
  std::vector<tuner::Configuration> winners() const;

  tuner::Settings settings_;
  const tuner::Study& study_;  // theirs
  Installation installation_;
  std::uint64_t evaluations_;  // of each size at most
  ClockMs now_ms_;
  tuner::Catalogue catalogue_;
  SharedDevice device_;
  tuner::DeviceFacts facts_;
  CallQueue calls_;
  StopWhenClosed stop_;
  // The application's, by size: what was loaded for launch(), and of which variant.
  std::map<std::string, std::pair<std::shared_ptr<const ReadyVariant>, ServedLaunch>> served_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<WantedSize> wanted_;  // the one whose turn it is first
  std::map<std::string, SizeState> sizes_;
  std::vector<std::string> order_;  // of the sizes
  std::uint64_t trials_ = 0;
  std::deque<std::string> failures_;
  bool is_over_ = false;  // the thread has ended

  std::thread thread_;  // the last to be made: it uses all the others
};

// A listener to trials that keeps the best of them ready to be launched.
class StudyTuning::RunEvents {
 public:
  RunEvents(StudyTuning& tuning, std::string label, const ReadyVariants& variants)
      : tuning_(tuning), label_(std::move(label)), variants_(variants) {}

  void trial(const tuner::Trial& trial) {
    if (!trial.from_store) {
      const std::lock_guard lock(tuning_.mutex_);
      ++tuning_.trials_;
    }
    if (trial.state != tuner::TrialState::kOk || trial.outdated) return;
    if (has_best_ && !tuner::better(tuning_.study_.objective, trial.objective, best_)) return;
    has_best_ = true;
    best_ = trial.objective;
    tuning_.choose(label_, trial);
    make_ready(trial, false);
  }
  void ranked(const tuner::SizeOutcome& outcome) {
    if (!outcome.any_valid || outcome.results.trials.empty()) return;
    tuning_.choose(label_, outcome.results.trials.front());
    make_ready(outcome.results.trials.front(), true);
  }

 private:
  void make_ready(const tuner::Trial& trial, bool compile) {
    auto ready = variants_.variant(trial.configuration, compile, tuning_.stop_);
    if (!ready) return;
    const std::lock_guard lock(tuning_.mutex_);
    tuning_.sizes_.at(label_).ready = std::move(ready);
  }

  StudyTuning& tuning_;
  std::string label_;
  const ReadyVariants& variants_;
  bool has_best_ = false;
  tuner::SearchFigure best_{};
};

StudyTuning::StudyTuning(const tuner::Study& study, const TuningSettings& settings, ClockMs now_ms)
    : settings_(settings_of(study, settings)),
      study_(settings_.study),
      installation_(settings.installation),
      evaluations_(evaluations_of(study, settings)),
      now_ms_(std::move(now_ms)),
      catalogue_(load_catalogue(settings.installation)) {
  if (!study_.is_runnable()) throw Error("the study says too little to be run: it has no kernel");
  if (tuner::needs_power(study_)) {
    throw Error(
        "a metric of the study asks for power, which is measured for a second: that is too long "
        "for "
        "the idle time of an application");
  }
  catalogue_.check_study(study_);
  constexpr double kCompileSeconds = 120;
  settings_.devices = {settings.device};
  settings_.timeout = kCompileSeconds;
  settings_.jobs = settings.jobs;
  device_.backend = open_device(catalogue_, settings_);
  facts_ = device_.backend->facts();
  thread_ = std::thread([this] { search_all(); });
}

StudyTuning::~StudyTuning() {
  stop_.close();
  calls_.close();
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

// ---- for the application ------------------------------------------------------------------------

void StudyTuning::add(const tuner::ProblemSize& size, const Buffers& data) {
  {
    const std::lock_guard lock(mutex_);
    if (sizes_.contains(size.label())) return;
    if (is_over_) throw Error("this tuning has ended: nothing can be added");
  }
  WantedSize wanted{size, study_};
  {
    const std::lock_guard lock(device_.mutex);
    wanted.data = take_data(wanted.study, size, facts_, *device_.backend, data);
  }
  const auto complaints = tuner::check_size(wanted.study, size);
  if (!complaints.empty()) throw tuner::InputError(complaints, study_.text);
  const std::lock_guard lock(mutex_);
  sizes_[size.label()];
  order_.push_back(size.label());
  wanted_.push_back(std::move(wanted));
  changed_.notify_all();
}

Progress StudyTuning::step(double milliseconds) {
  const bool any = calls_.work_until(now_ms_() + milliseconds, now_ms_);
  const std::lock_guard lock(mutex_);
  if (!failures_.empty()) {
    const std::string what = failures_.front();
    failures_.pop_front();
    throw Error(what);
  }
  Progress progress;
  progress.done = std::ranges::all_of(sizes_, [](const auto& one) { return one.second.done; });
  progress.waiting = !any && !progress.done;
  progress.trials = trials_;
  return progress;
}

std::optional<Tuning::Choice> StudyTuning::best(const std::string& label) const {
  const std::lock_guard lock(mutex_);
  const auto found = sizes_.find(label);
  return found == sizes_.end() ? std::nullopt : found->second.choice;
}

bool StudyTuning::launch(const std::string& label, const Buffers& buffers) {
  std::shared_ptr<const ReadyVariant> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(label);
    if (found != sizes_.end()) ready = found->second.ready;
  }
  if (!ready) return false;
  const std::lock_guard lock(device_.mutex);
  auto served = served_.find(label);
  if (served == served_.end() || served->second.first != ready) {
    if (served != served_.end()) served_.erase(served);  // its memory makes room first
    served = served_
                 .emplace(std::piecewise_construct, std::forward_as_tuple(label),
                          std::forward_as_tuple(ready, ServedLaunch(*device_.backend, *ready)))
                 .first;
  }
  served->second.second.launch(buffers);
  return true;
}

// ---- on the thread ------------------------------------------------------------------------------

void StudyTuning::choose(const std::string& label, const tuner::Trial& trial) {
  const std::lock_guard lock(mutex_);
  SizeState& size = sizes_.at(label);
  size.configuration = trial.configuration;
  size.choice = Tuning::Choice{with_names(study_.parameters, trial.configuration),
                               tuner::shown(trial).median_ms, false};
}

// Lists the best configurations of all sizes: each of them is measured first at the other sizes.
std::vector<tuner::Configuration> StudyTuning::winners() const {
  const std::lock_guard lock(mutex_);
  std::vector<tuner::Configuration> out;
  for (const std::string& label : order_) {
    const SizeState& size = sizes_.at(label);
    if (!size.configuration) continue;
    if (std::ranges::find(out, *size.configuration) == out.end())
      out.push_back(*size.configuration);
  }
  return out;
}

// Waits for one; nothing at the end.
std::optional<WantedSize> StudyTuning::next_size() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_over_ || !wanted_.empty(); });
  if (is_over_) return std::nullopt;
  WantedSize wanted = std::move(wanted_.front());
  wanted_.pop_front();
  return wanted;
}

bool StudyTuning::search(const WantedSize& wanted, const tuner::Toolchain& tools,
                         const tuner::SourceTexts& sources, tuner::Store& store,
                         tuner::RunWorker& runner) {
  tuner::Settings settings = settings_;
  tuner::Study& study = settings.study;
  study = wanted.study;
  ReadyVariants variants(study, wanted.size, facts_, tools);
  const bool is_last = wanted.evaluations >= std::min(variants.count(), evaluations_);
  if (!is_last) study.measure.finalists = 0;
  study.search.budget = {wanted.evaluations, {}};
  const tuner::MakeStrategy make_strategy = tuner::strategies_of(settings, catalogue_);
  const tuner::History history(
      store, study,
      {sources.digest, std::make_shared<tuner::FileDigests>(), tools.compilers.identity(),
       tuner::options_text(catalogue_, study.backend.name, study.backend.options)});
  tuner::WorkingDevice own{&runner};
  tuner::PooledDevice device(tools, {&own, 1}, stop_);
  RunEvents events(*this, wanted.size.label(), variants);
  const tuner::RunListener listener([&events](const tuner::RunEvent& event) {
    if (event.kind == tuner::RunEvent::Kind::kTrial) events.trial(*event.trial);
  });
  const tuner::Caller caller{
      {program_of(installation_), installation_.plugin_dirs}, catalogue_, stop_, {}};
  tuner::DeviceRun run(
      settings, make_strategy, sources.reference, history, device, listener,
      [this] { return stop_.count() > 0; }, tuner::advice_asked(caller));
  tuner::SizeOptions options;
  options.first = winners();
  const tuner::SizeOutcome outcome = run.tune(wanted.size, options);
  events.ranked(outcome);
  if (!outcome.lost.empty()) throw tuner::UnavailableError(outcome.lost);
  return is_last;
}

void StudyTuning::search_all() {
  try {
    const tuner::Caller caller{
        {program_of(installation_), installation_.plugin_dirs}, catalogue_, stop_, {}};
    const auto open = [&](const std::string& compiler) {
      return tuner::open_compilers(settings_, caller, {}, compiler);
    };
    const std::string& backend = study_.backend.name;
    const tuner::ArtifactShelf shelf;
    const tuner::StudyCompilers with = tuner::compilers_for(
        study_, catalogue_, backend, shelf, stop_, [this] { return facts_; }, open(backend), open);
    const tuner::SourceTexts& sources = with.sources;
    tuner::Store store = tuner::Store::open(settings_.results);
    const tuner::Toolchain tools{sources.kernel, shelf.library(with.pool->identity(), sources),
                                 *with.pool};
    tuner::RunWorker runner(
        [this] {
          return std::make_unique<tuner::Channel>(
              std::make_unique<DeviceThread>(device_, calls_, catalogue_));
        },
        backend, tuner::DeviceId{settings_.devices.front()}, tuner::plain(study_.backend.options),
        {kNoLimit, 100, kNoLimit, kNoLimit, kNoLimit});
    while (auto wanted = next_size()) {
      go_on(std::move(*wanted),
            [&](const WantedSize& one) { return search(one, tools, sources, store, runner); });
    }
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failures_.emplace_back(error.what());
    is_over_ = true;
    for (auto& [label, size] : sizes_) size.done = true;
  }
}

// One search of a size, after which it queues up again or is done.
void StudyTuning::go_on(WantedSize wanted, const std::function<bool(const WantedSize&)>& search) {
  wanted.evaluations = std::min(wanted.evaluations, evaluations_);
  bool is_done = true;
  std::string failure;
  try {
    is_done = search(wanted);
  } catch (const std::exception& error) {
    failure = wanted.size.label() + ": " + error.what();
  }
  const std::lock_guard lock(mutex_);
  if (!failure.empty()) failures_.push_back(failure);
  if (!is_done) {
    wanted.evaluations *= kMoreEvaluations;
    wanted_.push_back(std::move(wanted));
    return;
  }
  SizeState& size = sizes_.at(wanted.size.label());
  size.done = true;
  if (size.choice) size.choice->tuned = true;
}

}  // namespace

std::unique_ptr<TuningWork> tune_study(const tuner::Study& study, const TuningSettings& settings,
                                       ClockMs now_ms) {
  return std::make_unique<StudyTuning>(study, settings, std::move(now_ms));
}

}  // namespace libtuner
