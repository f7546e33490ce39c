// Opens one device, measures both sides on it, and looks at their pairs after each doubling.

#include "tuner/trust/gate.h"

#include <algorithm>
#include <array>

#include "tuner/base/interrupt.h"
#include "tuner/base/stopwatch.h"
#include "tuner/model/plan.h"
#include "tuner/ports/evaluator.h"
#include "tuner/resolve/device_limit.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/trust/ceilings.h"
#include "tuner/worker/compilers.h"
#include "tuner/worker/device_slots.h"
#include "tuner/worker/run_worker.h"
#include "tuner/worker/variant_builder.h"

namespace tuner {

namespace {

constexpr int kFirstRounds = 31;
constexpr int kMostGateRounds = 2000;  // in one go
// Fewer pairs show nothing with this confidence.
constexpr std::size_t kFewestPairs = 16;

GateState state_of(const GateRule& rule, const std::vector<double>& base,
                   const std::vector<double>& head) {
  GateState state;
  state.pairs = std::min(base.size(), head.size());
  if (state.pairs == 0) return state;
  state.ratio = paired_ratio(head, base, rule.confidence);
  state.base_ms = median(base);
  state.head_ms = median(head);
  if (state.pairs < kFewestPairs) return state;
  const double most = 1 + rule.allow;
  if (state.ratio.interval.low > most) state.verdict = GateVerdict::kSlower;
  if (state.ratio.interval.high <= most) state.verdict = GateVerdict::kPassed;
  return state;
}

}  // namespace

std::string_view name_of(GateVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"passed", "undecided", "slower", "failed"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

GateState decide(const GateRule& rule, const MeasurePairs& measure,
                 const std::function<double()>& now) {
  std::vector<double> base;
  std::vector<double> head;
  GateState state;
  for (std::uint64_t look = 1; now() < rule.seconds; ++look) {
    const int rounds = std::clamp(static_cast<int>(base.size()), kFirstRounds, kMostGateRounds);
    const auto more = measure(rounds, look, rule.seconds - now());
    if (more.size() != 2 || more[0].empty() || more[0].size() != more[1].size()) break;
    base.insert(base.end(), more[0].begin(), more[0].end());
    head.insert(head.end(), more[1].begin(), more[1].end());
    state = state_of(rule, base, head);
    if (state.verdict != GateVerdict::kUndecided) break;
  }
  return state;
}

namespace {

// A space of one configuration, which the study's values and constraints need not hold any more.
SearchSpace space_of(const Study& study, const Configuration& configuration,
                     const ProblemSize& size, const DeviceFacts& facts) {
  SpaceDefinition alone = definition_of_one(study, configuration, size, facts);
  alone.constraints.clear();
  return SearchSpace::build(std::move(alone));
}

// One of two variants whose sources may differ: its task, whose study names its source, and what
// compiles that.
struct PairSide {
  const SizeTask& task;
  const Toolchain& tools;
  Configuration configuration;
};

// Both on one device in turns, as a final measures them.
class VariantPair {
 public:
  // All outlive this. Inputs and right answers are those of the first side's task.
  VariantPair(std::array<PairSide, 2> sides, RunWorker& worker, const StopRequest& interrupt)
      : sides_(std::move(sides)),
        worker_(worker),
        interrupt_(interrupt),
        preparation_(sides_[0].task.study, sides_[0].task.size, sides_[0].task.plan,
                     sides_[0].task.references, sides_[0].tools, worker),
        builders_{VariantBuilder(sides_[0].task, sides_[0].tools),
                  VariantBuilder(sides_[1].task, sides_[1].tools)} {
    worker_.set_best(0);  // that of another size
  }
  // Ends what is still on the device.
  ~VariantPair() { worker_.abort(); }
  VariantPair(const VariantPair&) = delete;
  VariantPair& operator=(const VariantPair&) = delete;

  // Compiles both and gets the device ready. A side that does not come so far has a trial that says
  // why. Throws what Preparation does.
  std::array<Trial, 2> make_ready() {
    preparation_.start();
    for (std::size_t i = 0; i < 2; ++i) {
      Job job;
      job.trial.index = i;
      job.trial.configuration = sides_.at(i).configuration;
      auto request = builders_.at(i).resolve(job);
      auto built =
          request ? builders_.at(i).build(std::move(job), std::move(*request)) : std::move(job);
      if (built) built_.at(i) = std::move(built);
    }
    Compilers& compilers = sides_[0].tools.compilers;
    while (interrupt_.count() == 0 && !is_done()) {
      for (const CompileResult& result : compilers.handle()) {
        if (preparation_.take(result)) continue;
        for (std::size_t i = 0; i < 2; ++i) {
          if (auto job = builders_.at(i).take(result)) built_.at(i) = std::move(job);
        }
      }
      for (const std::string& text : preparation_.poll()) {
        if (sides_[0].task.warn) sides_[0].task.warn(text);
      }
      if (is_done()) break;
      PollSet awaited;
      awaited.sockets.push_back({interrupt_.fd(), POLLIN, 0});
      compilers.watch(awaited);
      worker_.watch(awaited);
      awaited.until(after(Clock::now(), 1.0));
      awaited.wait();
    }
    std::array<Trial, 2> trials;
    for (std::size_t i = 0; i < 2; ++i) {
      if (built_.at(i)) trials.at(i) = built_.at(i)->trial;
    }
    is_one_program_ = built_[0] && built_[1] && is_valid(trials[0]) && is_valid(trials[1]) &&
                      built_[0]->program == built_[1]->program;
    return trials;
  }

  // Both are ready, and are the same program in the same launch.
  bool is_one_program() const { return is_one_program_; }
  // samples[side][round]; empty when one failed, which its trial says, or when it was over.
  std::vector<std::vector<double>> measure(int rounds, std::uint64_t seed, double seconds,
                                           std::array<Trial, 2>& trials) {
    if (!built_[0] || !built_[1]) return {};
    FinalPlan plan;
    plan.rounds = rounds;
    plan.seed = seed;
    plan.seconds = seconds;
    std::vector<Trial> both(trials.begin(), trials.end());
    const TimePoint end = after(Clock::now(), plan.seconds + 1);
    const auto is_over = [&] { return interrupt_.count() > 0 || Clock::now() >= end; };
    auto samples =
        remeasure_finalists(worker_, {built_[0]->plan, built_[1]->plan}, both, plan, is_over, {});
    constexpr std::string_view kInFinal = "in the final: ";  // which this is none of
    for (std::size_t i = 0; i < 2; ++i) {
      trials.at(i) = both[i];
      if (both[i].message.starts_with(kInFinal)) trials.at(i).message.erase(0, kInFinal.size());
    }
    return samples;
  }

 private:
  bool is_done() const { return built_[0] && built_[1] && preparation_.is_done(); }

  std::array<PairSide, 2> sides_;
  RunWorker& worker_;
  const StopRequest& interrupt_;
  Preparation preparation_;
  std::array<VariantBuilder, 2> builders_;
  std::array<std::optional<Job>, 2> built_;
  bool is_one_program_ = false;
};

class GateOnDevice {
 public:
  GateOnDevice(const std::array<GateSide, 2>& sides, const GateRule& rule, const Bench& bench,
               const Ceilings& ceilings, RunWorker& worker, const Caller& caller)
      : sides_(sides),
        rule_(rule),
        ceilings_(ceilings),
        worker_(worker),
        caller_(caller),
        sources_{bench.sources_of(sides[0].study), bench.sources_of(sides[1].study)},
        tools_{bench.toolchain(sources_[0]), bench.toolchain(sources_[1])} {}

  GateOutcome at(const ProblemSize& size) {
    const Stopwatch since;
    GateOutcome out;
    out.device = worker_.is_open() ? worker_.facts() : worker_.open();
    out.size = size;
    std::vector<SearchSpace> spaces;
    for (std::size_t i = 0; i < 2; ++i) {
      out.configurations.at(i) = sides_.at(i).configuration(size, out.device);
      spaces.push_back(space_of(sides_.at(i).study, out.configurations.at(i), size, out.device));
    }
    std::array<SizeTask, 2> tasks{
        planned_task(sides_[0].study, spaces[0], size, out.device, sources_[0].reference),
        SizeTask{sides_[1].study, spaces[1], size, out.device}};
    tasks[0].warn = [this](const std::string& text) { caller_.note("warning: " + text); };
    VariantPair pair({PairSide{tasks[0], tools_[0], out.configurations[0]},
                      PairSide{tasks[1], tools_[1], out.configurations[1]}},
                     worker_, caller_.interrupt);
    out.trials = pair.make_ready();
    out.is_one_program = pair.is_one_program();
    if (out.is_one_program) out.state.verdict = GateVerdict::kPassed;
    const bool can = is_valid(out.trials[0]) && is_valid(out.trials[1]);
    if (can && !out.is_one_program && caller_.interrupt.count() == 0) {
      measure(pair, out);
      suspect_what_is_too_fast(spaces, out);
    }
    out.seconds = since.seconds();
    return out;
  }

 private:
  void measure(VariantPair& pair, GateOutcome& out) {
    const Stopwatch since;
    out.state = decide(
        rule_,
        [&](int rounds, std::uint64_t seed, double seconds) {
          return pair.measure(rounds, seed, seconds, out.trials);
        },
        [&] { return since.seconds(); });
  }

  void suspect_what_is_too_fast(const std::vector<SearchSpace>& spaces, GateOutcome& out) const {
    for (std::size_t i = 0; i < 2; ++i) {
      Timing timing;
      timing.median = timing.ci_high = i == 0 ? out.state.base_ms : out.state.head_ms;
      if (!is_valid(out.trials.at(i)) || out.state.pairs == 0) continue;
      auto why = too_fast(sides_.at(i).study, spaces.at(i).bindings(out.configurations.at(i)),
                          ceilings_, timing);
      if (!why) continue;
      out.trials.at(i).state = TrialState::kSuspect;
      out.trials.at(i).message = std::move(*why);
    }
  }

  const std::array<GateSide, 2>& sides_;
  const GateRule& rule_;
  Ceilings ceilings_;
  RunWorker& worker_;
  const Caller& caller_;
  std::array<SourceTexts, 2> sources_;
  std::array<Toolchain, 2> tools_;
};

}  // namespace

void run_gate(const Settings& settings, const std::array<GateSide, 2>& sides, const GateRule& rule,
              const Caller& caller, const std::function<void(const GateOutcome&)>& tell) {
  for (const GateSide& side : sides) caller.catalogue.check_study(side.study);
  Bench bench(settings, caller);
  for (const std::string& text : bench.notes()) caller.note(text);
  RunWorker& worker = *bench.models().front().front();
  WorkingDevice device{&worker};
  find_ceilings(bench, {&device, 1});
  const Ceilings ceilings = bench.device({&device, 1}).facts().ceilings;
  GateOnDevice gate(sides, rule, bench, ceilings, worker, caller);
  for (const ProblemSize& size : sides[0].study.sizes) {
    if (caller.interrupt.count() > 0) return;
    tell(gate.at(size));
  }
}

}  // namespace tuner
