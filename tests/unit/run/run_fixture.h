#pragma once
// Runs of a small study on a device that is a script: y = a * x, where the time follows from BLOCK
// and VEC. A test changes `study`, `device` and `settings`, and tunes again.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/fake_device.h"
#include "tests/fakes/fake_strategy.h"
#include "tests/fakes/scratch_folder.h"
#include "tests/unit/resolve/studies.h"
#include "tuner/base/atomic_file.h"
#include "tuner/run/device_run.h"

namespace tuner::test {

// Remembers what it hears.
class Heard {
 public:
  void hear(const RunEvent& event) {
    using Kind = RunEvent::Kind;
    if (event.kind == Kind::kNote) notes.emplace_back(event.text);
    if (event.kind == Kind::kBegin) parts.push_back(*event.part);
    if (event.kind == Kind::kSearched) ++ends;
    if (event.kind == Kind::kRound) finals.emplace_back(event.done, event.rounds);
    if (event.kind == Kind::kRanked) ++rankings;
    if (event.kind != Kind::kTrial) return;
    trials.push_back(*event.trial);
    on_trial(*event.trial);
  }

  bool heard(const std::string& part) const {
    return std::ranges::any_of(
        notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
  }

  std::vector<std::string> notes;
  std::vector<RunPart> parts;
  std::vector<Trial> trials;
  std::vector<std::pair<int, int>> finals;
  int ends = 0;
  int rankings = 0;
  std::function<void(const Trial&)> on_trial = [](const Trial&) {};
};

// Asks for every configuration in order, and remembers what it learnt.
class InOrder : public Strategy {
 public:
  InOrder(std::uint64_t size, std::vector<Prior>& learnt) : size_(size), learnt_(learnt) {}
  std::vector<ConfigIndex> ask(std::size_t count) override {
    std::vector<ConfigIndex> out;
    while (out.size() < count && next_ < size_) out.push_back(next_++);
    return out;
  }
  void tell(const Observation&) override {}
  void learn(const Prior& prior) override { learnt_.push_back(prior); }

 private:
  std::uint64_t size_;
  ConfigIndex next_ = 0;
  std::vector<Prior>& learnt_;
};

inline std::int64_t number(const Value& value) { return std::get<std::int64_t>(value); }

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    study.kernel.subject = Subject::kKernel;
    study.measure.finalists = 3;
    device.facts.name = "Fake GPU";
    // BLOCK=128 VEC=4 is the best, and no two are equal.
    device.milliseconds = [](const Configuration& c, const ProblemSize&) {
      return 64.0 / static_cast<double>((number(c[0]) == 128 ? 3 : 1) * number(c[1])) + 1;
    };
    settings.results = folder.path();
    make_strategy = [this](const SearchSpace& space) {
      return std::make_unique<InOrder>(space.size(), learnt);
    };
  }

  // One run of the program, as far as one device goes.
  template <typename Action>
  auto with_run(Action action) {
    Store store = Store::open(folder.path());
    const History history(store, study, with);
    FakeDevice fake(device);
    DeviceRun run(settings, make_strategy, "", history, fake,
                  RunListener([this](const RunEvent& event) { heard.hear(event); }),
                  [this] { return interrupted; });
    return action(run);
  }
  SizeOutcome tune(const ProblemSize& size) {
    return with_run([&](DeviceRun& run) { return run.tune(size); });
  }
  SizeOutcome tune() { return tune(study.sizes.front()); }

  // What `action` does with the store and what it holds of the first size.
  template <typename Action>
  auto with_store(Action action) {
    Store store = Store::open(folder.path());
    const History history(store, study, with);
    return action(store, store.context(history.key(device.facts, study.sizes.front())));
  }
  std::vector<Trial> stored() {
    return with_store([](Store& store, const Context& context) { return store.trials(context); });
  }
  template <typename Rule>
  std::size_t count_stored(Rule rule) {
    return static_cast<std::size_t>(std::ranges::count_if(stored(), rule));
  }
  // A device that does one thing at a time, and a user who ends the run after `count` of them.
  void interrupt_after(std::size_t count) {
    device.capacity = 1;
    device.on_measured = [this, count] { interrupted = count_measured() == count; };
  }
  SizeOutcome tune_undisturbed() {
    interrupted = false;
    device.on_measured = [] {};
    return tune();
  }
  std::size_t count_measured() const { return device.measured.size(); }
  std::string csv_of(const SizeOutcome& outcome) const { return read_file(outcome.csv_path); }

  ScratchFolder folder{memory_folder()};
  Settings settings{scale_study()};
  Study& study = settings.study;
  MakeStrategy make_strategy;
  DeviceScript device;
  MeasuredWith with{"source 1", {}, "fake compiler 1", ""};
  Heard heard;
  std::vector<Prior> learnt;
  bool interrupted = false;
};

inline Configuration winner(const SizeOutcome& outcome) {
  return outcome.results.ranked == 0 ? Configuration{}
                                     : outcome.results.trials.front().configuration;
}

inline Configuration config(std::int64_t block, std::int64_t vec) { return {block, vec}; }

}  // namespace tuner::test
