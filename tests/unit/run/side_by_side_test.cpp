// Sizes tuned at the same time by groups of devices, each a script on a thread of its own.

#include "tuner/run/side_by_side.h"

#include <atomic>
#include <latch>
#include <map>
#include <memory>
#include <semaphore>
#include <set>
#include <string>
#include <vector>

#include "run_fixture.h"

namespace tuner::test {
namespace {

// Counts what it hears by size, as its lanes say.
class HeardOfLanes : public Heard {
 public:
  void hear(const RunEvent& event) {
    using Kind = RunEvent::Kind;
    Heard::hear(event);
    if (event.kind == Kind::kBegin) {
      are_right = are_right && event.lane > 0 && !event.size.dims.empty() &&
                  event.part->title.find(event.size.label()) != std::string::npos;
      lanes.insert(event.lane);
    }
    if (event.kind == Kind::kTrial && !event.trial->from_store) ++measured[event.size.label()];
  }

  bool are_right = true;
  std::set<std::size_t> lanes;
  std::map<std::string, std::size_t> measured;
};

class SideBySideTest : public RunTest, public GroupSource {
 protected:
  // What a device does that is not as `device` says; a group is known by its first device.
  struct Special {
    std::size_t lost_after = SIZE_MAX;
    std::string throws{};
  };

  SideBySideTest() {
    study.sizes.clear();
    settings.warm_start = false;
    for (std::int64_t n = 1; n <= 6; ++n) study.sizes.push_back({{{"n", 1000 * n}}});
  }

  // ---- a source of groups -----------------------------------------------------------------------

  class Group final : public SizeGroup {
   public:
    Group(SideBySideTest& test, Special special, RunListener listener)
        : test_(test),
          special_(std::move(special)),
          listener_(std::move(listener)),
          script_(test.device) {
      script_.lost_after = special_.lost_after;
      script_.on_measured = [this] {
        if (test_.together && !std::exchange(has_met_, true)) test_.together->arrive_and_wait();
        if (test_.on_measured) test_.on_measured();
      };
    }
    SizeOutcome tune(const ProblemSize& size) override {
      if (!special_.throws.empty()) throw InputError(Complaint{{}, special_.throws, ""});
      Store store = Store::open(test_.folder.path());
      const History history(store, test_.study, test_.with);
      FakeDevice fake(script_);
      DeviceRun run(test_.settings, test_.make_strategy, "", history, fake, listener_,
                    [this] { return test_.is_interrupted.load(); });
      SizeOutcome outcome = run.tune(size);
      is_gone_ = !outcome.lost.empty();
      if (is_gone_) --test_.there;
      return outcome;
    }
    bool is_gone() const override { return is_gone_; }

   private:
    SideBySideTest& test_;
    Special special_;
    RunListener listener_;
    DeviceScript script_;
    bool has_met_ = false;
    bool is_gone_ = false;
  };

  std::size_t devices() const override { return there; }
  std::vector<std::unique_ptr<SizeGroup>> deal(const std::vector<std::size_t>& dealt,
                                               const std::vector<RunListener>& listeners) override {
    if (do_meet) together = std::make_unique<std::latch>(static_cast<std::ptrdiff_t>(dealt.size()));
    std::vector<std::unique_ptr<SizeGroup>> groups;
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      const Special what = rounds.empty() && i < special.size() ? special[i] : Special{};
      groups.push_back(std::make_unique<Group>(*this, what, listeners[i]));
    }
    rounds.push_back(dealt);
    return groups;
  }
  void serve() override { may_end.acquire(); }
  void stop_serving() override { may_end.release(); }
  void gather() override { ++gathered; }

  std::vector<SizeOutcome> tune_all() {
    WorkerThreads threads;
    const RunListener listener([this](const RunEvent& event) { lanes.hear(event); });
    return SideBySide{study.sizes,
                      *this,
                      threads,
                      listener,
                      [this] { return is_interrupted.load(); },
                      [](const SizeOutcome& outcome, const RunListener& to) { to.ranked(outcome); }}
        .tune();
  }

  HeardOfLanes lanes;
  std::vector<Special> special;  // in the first round
  std::atomic<std::size_t> there = 2;
  std::atomic<bool> is_interrupted = false;
  bool do_meet = false;  // each group of a round waits for the others with its first measurement
  std::unique_ptr<std::latch> together;
  std::function<void()> on_measured;  // on any thread
  std::vector<std::vector<std::size_t>> rounds;
  std::counting_semaphore<> may_end{0};
  std::size_t gathered = 0;
};

TEST_F(SideBySideTest, EverySizeIsTunedOnceAndOutcomesKeepTheirOrder) {
  there = 4;
  do_meet = true;
  const auto outcomes = tune_all();
  EXPECT_EQ(rounds, (std::vector<std::vector<std::size_t>>{{1, 1, 1, 1}, {2, 2}}));
  ASSERT_EQ(outcomes.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(outcomes[i].results.size, study.sizes[i]);
    EXPECT_EQ(outcomes[i].measured, 6U);
    EXPECT_EQ(lanes.measured[study.sizes[i].label()], 6U);
  }
  EXPECT_EQ(lanes.rankings, 6);
  EXPECT_EQ(gathered, 2U);
}

TEST_F(SideBySideTest, GroupsAreAtWorkAtTheSameTimeAndSayWhichSizeTheyTellOf) {
  do_meet = true;
  EXPECT_EQ(tune_all().size(), 6U);
  EXPECT_EQ(lanes.lanes, (std::set<std::size_t>{1, 2}));
  EXPECT_TRUE(lanes.are_right);
}

TEST_F(SideBySideTest, TheSizeOfALostGroupGoesToAnother) {
  special = {{.lost_after = 2}};
  do_meet = true;
  const auto outcomes = tune_all();
  ASSERT_EQ(outcomes.size(), 6U);
  for (const SizeOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.lost, "");
    EXPECT_EQ(outcome.results.ranked, 6U);
    EXPECT_EQ(lanes.measured[outcome.results.size.label()], 6U) << "none is measured twice";
  }
  EXPECT_EQ(lanes.rankings, 6);
  EXPECT_TRUE(lanes.heard("its devices are lost; others continue with the size if there are any"));
}

TEST_F(SideBySideTest, WithoutAnyDeviceTheRunEndsAndWhatWasMeasuredIsRanked) {
  special = {{.lost_after = 2}, {.lost_after = 8}};
  do_meet = true;
  EXPECT_THROW(tune_all(), UnavailableError);
  EXPECT_EQ(there, 0U);
  // Of the ten one may have been measured to compare the second device with the first.
  EXPECT_GE(lanes.measured["n1000"] + lanes.measured["n2000"] + lanes.measured["n3000"], 9U);
  EXPECT_GE(lanes.rankings, 2);
  EXPECT_EQ(gathered, 1U);
}

TEST_F(SideBySideTest, AnExceptionIsThrownWhenTheOthersAreDoneWithTheirSize) {
  std::atomic<int> measured = 0;
  special = {{}, {.throws = "it makes no sense at this size"}};
  on_measured = [&] { ++measured; };
  EXPECT_THROW(tune_all(), InputError);
  EXPECT_EQ(measured % 6, 0) << "no size is left half done";
  EXPECT_EQ(lanes.rankings, measured / 6);
  EXPECT_TRUE(lanes.heard("the run ends after the sizes that are in progress"));
}

TEST_F(SideBySideTest, AnInterruptionEndsAllGroups) {
  do_meet = true;
  on_measured = [&] { is_interrupted = true; };
  const auto outcomes = tune_all();
  ASSERT_EQ(outcomes.size(), 2U);
  for (const SizeOutcome& outcome : outcomes) EXPECT_TRUE(outcome.interrupted);
  EXPECT_EQ(rounds.size(), 1U);
}

// "8 on 1 1 1 1, 1 on 4" of all rounds that so many sizes take.
std::string rounds_of(std::size_t sizes, std::size_t devices) {
  std::string text;
  while (sizes > 0) {
    const SizeRound round = next_round(sizes, devices);
    text += (text.empty() ? "" : ", ") + std::to_string(round.sizes) + " on";
    for (const std::size_t count : round.devices) text += " " + std::to_string(count);
    sizes -= round.sizes;
  }
  return text;
}

TEST(SizeRounds, GiveEachDeviceASizeAsLongAsThereAreEnough) {
  EXPECT_EQ(rounds_of(4, 4), "4 on 1 1 1 1");
  EXPECT_EQ(rounds_of(6, 2), "6 on 1 1");
}

TEST(SizeRounds, ShareTheDevicesAmongTheSizesThatAreLeftOver) {
  EXPECT_EQ(rounds_of(9, 4), "8 on 1 1 1 1, 1 on 4");
  EXPECT_EQ(rounds_of(6, 4), "4 on 1 1 1 1, 2 on 2 2");
  EXPECT_EQ(rounds_of(7, 4), "4 on 1 1 1 1, 3 on 2 1 1");
}

TEST(SizeRounds, OfFewSizesHaveGroupsOfSeveralDevices) {
  EXPECT_EQ(rounds_of(2, 8), "2 on 4 4");
  EXPECT_EQ(rounds_of(3, 8), "3 on 3 3 2");
}

TEST(SizeRounds, OfOneSizeOrOneDeviceHaveOneGroup) {
  EXPECT_EQ(rounds_of(1, 8), "1 on 8");
  EXPECT_EQ(rounds_of(3, 1), "3 on 1");
}

}  // namespace
}  // namespace tuner::test
