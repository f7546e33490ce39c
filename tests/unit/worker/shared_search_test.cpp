// A search that several devices of one model share: who measures what, how figures compare, and
// what becomes of the work of a device that is gone. Devices are threads; times come from a
// function.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/fakes/device_thread.h"
#include "tests/fakes/fake_stop.h"
#include "tests/unit/resolve/studies.h"
#include "tuner/base/error.h"
#include "tuner/resolve/objective.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner::test {
namespace {

// Lets each of so many wait until all have come, so that none does the work of another.
class Meeting {
 public:
  explicit Meeting(std::size_t expected) : expected_(expected) {}
  void come(unsigned who) {
    std::unique_lock lock(mutex_);
    there_.insert(who);
    all_.notify_all();
    all_.wait_for(lock, std::chrono::seconds(60), [&] { return there_.size() >= expected_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  std::set<unsigned> there_;
  std::size_t expected_;
};

std::string text_of(const Configuration& c) { return to_text(c[0]) + " " + to_text(c[1]); }

class SharedSearch : public testing::Test {
 protected:
  SharedSearch() {
    study.reference.reset();
    study.parameters = {{"BLOCK", {}, {}}, {"VEC", {}, {}}};
    for (std::int64_t i = 1; i <= 4; ++i) study.parameters[0].values.emplace_back(32 * i);
    for (std::int64_t i = 1; i <= 8; ++i) study.parameters[1].values.emplace_back(i);
    library.key = [](const CompileRequest& request) {
      std::string key;
      for (const auto& [name, value] : request.defines) key += name + "=" + value + " ";
      return key;
    };
  }

  // On so many devices, of which the second takes `slower` times as long.
  void start(unsigned count) { start(count, count); }
  // So many of them take part.
  void start(unsigned count, unsigned taking_part) {
    meeting = std::make_unique<Meeting>(taking_part);
    space.emplace(SearchSpace::build(space_definition(study, study.sizes.front(), facts)));
    for (ConfigIndex i = 0; i < space->size(); ++i) name_image(i);
    library.find = [this](const std::string& key) {
      Artifact artifact;
      artifact.image = images.at(key);
      artifact.entry = "k";
      return std::optional(artifact);
    };
    for (unsigned device = 0; device < count; ++device) {
      workers.push_back(std::make_unique<RunWorker>(
          [this, device] {
            return std::make_unique<Channel>(std::make_unique<FakeDeviceThread>(backend(device)));
          },
          "fake", DeviceId{device}, std::vector<std::pair<std::string, std::string>>{},
          RunLimits{}));
      devices.push_back({workers.back().get()});
    }
    SizeTask task{study, *space, study.sizes.front(), facts};
    task.plan = *size_plan(study, task.size, facts, {});
    task.announce = [this](const Configuration& c) { announced.push_back(text_of(c)); };
    task.withdraw = [this](const Configuration& c) { withdrawn.push_back(text_of(c)); };
    task.warn = [this](const std::string& text) { warnings.push_back(text); };
    evaluator = std::make_unique<PoolEvaluator>(std::move(task), Toolchain{"", library, pool},
                                                devices, nobody);
  }

  void name_image(ConfigIndex index) {
    const Configuration c = space->configuration(index);
    auto plan = variant_plan(study, *space, c);
    auto request = compile_request(study, *space, c, plan->then, facts, "");
    images[library.key(*request)] = text_of(c);
  }

  std::unique_ptr<FakeBackend> backend(unsigned device) {
    ++opened.at(device);
    auto made = std::make_unique<FakeBackend>();
    made->device = facts;
    made->device.uuid = "GPU-" + std::to_string(device);
    made->passes = passes;
    if (device == 1) made->memory_limit = room_on_second;
    for (ConfigIndex i = 0; i < space->size(); ++i) {
      FakeBackend::Kernel& kernel = made->kernels[text_of(space->configuration(i))];
      kernel.milliseconds = [ms = true_ms(i) * (device == 1 ? slower : 1)](int) { return ms; };
      kernel.body = [this, device,
                     name = text_of(space->configuration(i))](const FakeBackend::Call& call) {
        meeting->come(device);
        before_kernel(device);
        if (kills_device(device, name)) lose(call.device, DeviceError::kDeviceLost);
        if (poisons_device(device, name)) lose(call.device, DeviceError::kRuntime);
      };
    }
    return made;
  }
  static void lose(FakeBackend& device, DeviceError error) {
    const DeviceFailure gone{error, "it fell off the bus"};
    for (auto& [name, kernel] : device.kernels) kernel.launch_failure = kernel.time_failure = gone;
  }
  static double true_ms(ConfigIndex index) { return 1 + 0.001 * static_cast<double>(index); }

  // Asks for everything, as fast as the evaluator takes it.
  std::vector<Trial> search() {
    std::vector<Trial> trials;
    ConfigIndex next = 0;
    std::size_t outstanding = 0;
    for (;;) {
      for (; next < space->size() && outstanding < evaluator->capacity(); ++outstanding) {
        evaluator->submit(next++);
      }
      auto trial = evaluator->next(kNoEnd);
      if (!trial) return trials;
      --outstanding;
      trials.push_back(std::move(*trial));
    }
  }
  static std::set<std::string> names(const std::vector<Trial>& trials) {
    std::set<std::string> found;
    for (const Trial& trial : trials) found.insert(text_of(trial.configuration));
    return found;
  }

  Study study = scale_study();
  DeviceFacts facts = h200();
  double slower = 1;
  std::size_t passes = 0;  // in which devices count
  std::uint64_t room_on_second = std::numeric_limits<std::uint64_t>::max();
  std::function<bool(unsigned device, const std::string& name)> kills_device =
      [](unsigned, const std::string&) { return false; };
  std::function<bool(unsigned device, const std::string& name)> poisons_device = kills_device;
  std::function<void(unsigned device)> before_kernel = [](unsigned) {};
  std::array<std::atomic<std::size_t>, 3> opened{};  // how often each device was
  ArtifactLibrary library;
  std::map<std::string, std::string> images;  // by the artifact's key
  std::optional<SearchSpace> space;
  CompilePool pool{{"/does/not/exist", {}}, {"fake", 1, 100, ""}};
  FakeStop nobody;
  std::unique_ptr<Meeting> meeting;
  std::vector<std::unique_ptr<RunWorker>> workers;
  std::vector<WorkingDevice> devices;
  std::unique_ptr<PoolEvaluator> evaluator;
  std::vector<std::string> announced, withdrawn, warnings;
};

TEST_F(SharedSearch, EachVariantIsMeasuredOnceAndEveryDeviceMeasuresSome) {
  start(3);
  EXPECT_EQ(evaluator->machine()->devices, 3U);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(trials.size(), 32U);
  EXPECT_EQ(names(trials).size(), 32U);
  EXPECT_EQ(announced.size(), 32U);
  std::map<std::string, std::size_t> by_device;
  for (const Trial& trial : trials) ++by_device[trial.device_uuid];
  ASSERT_EQ(by_device.size(), 3U);
  for (const DeviceShare& share : evaluator->devices()) {
    EXPECT_EQ(share.trials, by_device.at(share.uuid)) << share.device.number;
    EXPECT_GT(share.trials, 0U) << share.device.number;
    EXPECT_EQ(share.factor, 1) << "they are equally fast";
  }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(SharedSearch, WhatIsCompiledIsMeasuredInTheOrderThatIsWanted) {
  start(1);
  for (ConfigIndex i = 0; i < 4; ++i) evaluator->submit(i);
  evaluator->reorder(std::vector<ConfigIndex>{3, 1});  // 0 and 2 are not named
  while (evaluator->next(kNoEnd)) continue;
  std::vector<std::string> wanted;
  for (const ConfigIndex i : {3, 1, 0, 2}) wanted.push_back(text_of(space->configuration(i)));
  EXPECT_EQ(announced, wanted);
}

TEST_F(SharedSearch, ADeviceAloneIsComparedWithNobody) {
  slower = 1.1;
  start(1);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(trials.size(), 32U);
  EXPECT_EQ(evaluator->devices().front().ratio, std::nullopt);
  EXPECT_FALSE(evaluator->remeasure_elsewhere(*std::make_unique<std::vector<Trial>>(trials), {}));
}

// Which of the two is the first to measure a good variant is nobody's choice.
TEST_F(SharedSearch, TimesOfASlowerDeviceAreScaledAndMarked) {
  slower = 1.1;
  start(2);
  std::set<double> factors;
  std::optional<double> unit;
  for (const Trial& trial : search()) {
    const double over = trial.timing.median / true_ms(trial.index);
    if (!unit) unit = over;
    EXPECT_NEAR(over, *unit, 1e-9) << trial.device_uuid << ": figures do not compare";
    EXPECT_NEAR(trial.timing.samples.front(), trial.timing.median, 1e-9);
    EXPECT_NEAR(trial.objective.value(), trial.timing.median / 1000, 1e-12);
    factors.insert(trial.device_scale);
  }
  ASSERT_EQ(factors.size(), 2U) << "those of one device are scaled";
  EXPECT_EQ(*factors.begin(), 0) << "and those of the other are not";
  EXPECT_NEAR(*factors.rbegin(), unit < 1.05 ? 1 / 1.1 : 1.1, 1e-9);
}

TEST_F(SharedSearch, WhatIsTwiceAsSlowIsNoOtherChipOfTheModel) {
  slower = 2;
  start(2);
  for (const Trial& trial : search()) EXPECT_EQ(trial.device_scale, 0);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("which no two devices of a model do"), std::string::npos)
      << warnings[0];
}

TEST_F(SharedSearch, WhatADeviceLeavesBehindTheOthersDo) {
  kills_device = [](unsigned device, const std::string&) { return device == 1; };
  start(2);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(names(trials).size(), 32U);
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.state, TrialState::kOk) << trial.message;
    EXPECT_EQ(trial.device_uuid, "GPU-0");
  }
  EXPECT_EQ(withdrawn.size(), 1U) << "nothing blames what was on it";
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "device 1 is gone, and the others do its work: the device is lost: it fell off the "
            "bus");
  EXPECT_EQ(evaluator->devices()[1].lost, "the device is lost: it fell off the bus");
  EXPECT_EQ(devices[1].lost, evaluator->devices()[1].lost) << "no later size asks it again";
  EXPECT_EQ(evaluator->machine()->devices, 1U);
}

TEST_F(SharedSearch, ADeviceWithoutRoomForTheSizeLeavesItToTheOthers) {
  room_on_second = 100;
  // The first takes its time until the second was asked three times.
  before_kernel = [this](unsigned) {
    for (int ms = 0; ms < 60000 && opened[1] < 3; ++ms) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  start(2, 1);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(names(trials).size(), 32U);
  const std::string lost = evaluator->devices()[1].lost;
  EXPECT_NE(lost.find("cannot be prepared: "), std::string::npos) << lost;
  EXPECT_NE(lost.find("out of memory"), std::string::npos) << lost;
}

// A poisoned context ends the worker of its device.
TEST_F(SharedSearch, AWorkerThatEndsIsBroughtBackWhileTheOthersGoOn) {
  poisons_device = [](unsigned, const std::string& name) {
    return name.starts_with("64 ") && name > "64 4";
  };
  start(2);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(names(trials).size(), 32U);
  for (const Trial& trial : trials) {
    const bool is_bad = poisons_device(0, text_of(trial.configuration));
    EXPECT_EQ(trial.state, is_bad ? TrialState::kRuntime : TrialState::kOk) << trial.message;
  }
  EXPECT_GT(opened[0] + opened[1], 2U);
  EXPECT_LE(opened[0] + opened[1], 6U) << "once more for each of the four that crash";
  for (const DeviceShare& share : evaluator->devices()) EXPECT_EQ(share.lost, "");
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

TEST_F(SharedSearch, TheLastDeviceTakesTheSearchAlong) {
  kills_device = [](unsigned, const std::string&) { return true; };
  start(2);
  try {
    search();
    ADD_FAILURE() << "there is no device";
  } catch (const UnavailableError& error) {
    EXPECT_STREQ(error.what(), "the device is lost: it fell off the bus");
  }
}

TEST_F(SharedSearch, WhatTakesTwoDevicesDownIsAFailureAndNotTriedOnAThird) {
  kills_device = [](unsigned, const std::string& name) { return name == "64 3"; };
  start(3);
  const std::vector<Trial> trials = search();
  EXPECT_EQ(names(trials).size(), 32U);
  for (const Trial& trial : trials) {
    const bool is_it = text_of(trial.configuration) == "64 3";
    EXPECT_EQ(trial.state, is_it ? TrialState::kRuntime : TrialState::kOk) << trial.message;
    if (!is_it) continue;
    EXPECT_EQ(trial.message,
              "two devices were lost while it was on them, the second one: the device is lost: it "
              "fell off the bus");
  }
  EXPECT_EQ(warnings.size(), 2U);
}

// The process that counted is ended, and another one goes on.
TEST_F(SharedSearch, WhatIsCountedIsKeptWithTheTrialAndTheDeviceIsOpenedAnew) {
  passes = 2;
  start(1);
  std::vector<Trial> trials = search();
  std::vector<Trial> best(trials.begin(), trials.begin() + 2);
  EXPECT_EQ(evaluator->count(best, {"cycles", "bytes"}, kNoEnd), "");
  EXPECT_EQ(best[0].counters, (Metrics{{"cycles", 1}, {"bytes", 2}}));
  EXPECT_EQ(best[1].counters, best[0].counters);
  FinalPlan plan;
  plan.rounds = 3;
  const int before = opened.at(0);
  EXPECT_EQ(evaluator->remeasure(best, plan).size(), 2U);
  EXPECT_EQ(opened.at(0), before + 1);
}

TEST_F(SharedSearch, ADeviceThatCountsNothingSaysSoAndNoTrialSuffers) {
  start(1);
  std::vector<Trial> trials = search();
  std::vector<Trial> best(trials.begin(), trials.begin() + 2);
  EXPECT_EQ(evaluator->count(best, {"cycles"}, kNoEnd), "nobody may look");
  EXPECT_EQ(best[0].state, TrialState::kOk);
  EXPECT_TRUE(best[0].counters.empty());
}

TEST_F(SharedSearch, WhatIsNotCountedInTimeSaysSo) {
  passes = 1;
  start(1);
  std::vector<Trial> trials = search();
  std::vector<Trial> best(trials.begin(), trials.begin() + 2);
  EXPECT_EQ(evaluator->count(best, {"cycles"}, 0), "the time was up");
  EXPECT_TRUE(best[0].counters.empty());
}

TEST_F(SharedSearch, AFinalIsHeldOnOneDeviceAndCheckedOnAnother) {
  slower = 1.1;
  start(2);
  const std::vector<Trial> trials = search();
  std::vector<Trial> best(trials.begin(), trials.begin() + 2);
  FinalPlan plan;
  plan.rounds = 9;
  const auto here = evaluator->remeasure(best, plan);
  ASSERT_EQ(here.size(), 2U);
  ASSERT_EQ(here[0].size(), 9U);
  const auto there = evaluator->remeasure_elsewhere(best, plan);
  ASSERT_TRUE(there);
  ASSERT_EQ(there->samples.size(), 2U);
  const double ratio = there->samples[0].at(0) / here[0][0];
  EXPECT_NEAR(ratio, there->device.number == 1 ? 1.1 : 1 / 1.1, 1e-9);
}

}  // namespace
}  // namespace tuner::test
