// Compiles two sides, and measures them in turns.

#include "tuner/worker/variant_pair.h"

#include <string_view>
#include <utility>

#include "tuner/resolve/objective.h"
#include "tuner/worker/device_slots.h"

namespace tuner {

VariantPair::VariantPair(std::array<PairSide, 2> sides, RunWorker& worker,
                         const StopRequest& interrupt)
    : sides_(std::move(sides)),
      worker_(worker),
      interrupt_(interrupt),
      preparation_(sides_[0].task.study, sides_[0].task.size, sides_[0].task.plan,
                   sides_[0].task.references, sides_[0].tools, worker),
      builders_{VariantBuilder(sides_[0].task, sides_[0].tools),
                VariantBuilder(sides_[1].task, sides_[1].tools)} {
  worker_.set_best(0);  // that of another size
}

VariantPair::~VariantPair() { worker_.abort(); }

void VariantPair::take(std::size_t side, Job job) { built_.at(side) = std::move(job); }

std::array<Trial, 2> VariantPair::make_ready() {
  preparation_.start();
  for (std::size_t i = 0; i < 2; ++i) {
    Job job;
    job.trial.index = i;
    job.trial.configuration = sides_.at(i).configuration;
    auto request = builders_.at(i).resolve(job);
    auto built =
        request ? builders_.at(i).build(std::move(job), std::move(*request)) : std::move(job);
    if (built) take(i, std::move(*built));
  }
  Compilers& compilers = sides_[0].tools.compilers;
  while (interrupt_.count() == 0 && !(is_compiled() && preparation_.is_done())) {
    for (const CompileResult& result : compilers.handle()) {
      if (preparation_.take(result)) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        if (auto job = builders_.at(i).take(result)) take(i, std::move(*job));
      }
    }
    for (const std::string& text : preparation_.poll()) {
      if (sides_[0].task.warn) sides_[0].task.warn(text);
    }
    if (is_compiled() && preparation_.is_done()) break;
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
  is_one_program_ = is_compiled() && is_valid(trials[0]) && is_valid(trials[1]) &&
                    built_[0]->program == built_[1]->program;
  return trials;
}

std::vector<std::vector<double>> VariantPair::measure(const FinalPlan& plan,
                                                      std::array<Trial, 2>& trials) {
  if (!is_compiled()) return {};
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

}  // namespace tuner
