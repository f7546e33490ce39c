// What bounded a run, from when its workers and its device were busy.

#include "tuner/run/usage.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/fake_device.h"

namespace tuner {
namespace {

Load load_of(unsigned workers, std::vector<BusySpan> compiling, std::vector<BusySpan> on_device) {
  return {workers, std::move(compiling), {{{0}, std::move(on_device)}}, 1};
}

TEST(Utilization, SharesAreOfTheTimeThatIsAskedFor) {
  const Load load = load_of(2, {{0, 30}, {100, 105}, {100, 102.5}, {109, 120}}, {{107.5, 200}});
  const Utilization utilization = utilization_of(load, 100, 110);
  EXPECT_EQ(utilization.seconds, 10);
  EXPECT_EQ(utilization.workers, 2U);
  EXPECT_EQ(utilization.compilers, (std::array<double, 4>{1, 0.5, 0, 0.2}));
  EXPECT_EQ(utilization.device, (std::array<double, 4>{0, 0, 0, 1}));
  EXPECT_DOUBLE_EQ(utilization.all_compile, 0.25);
  EXPECT_DOUBLE_EQ(utilization.few_compile, 0.25);
  EXPECT_DOUBLE_EQ(utilization.nothing, 0.25);
  EXPECT_DOUBLE_EQ(utilization.device_only, 0.25);
}

TEST(Utilization, OfNoTimeThereIsNone) {
  const Utilization utilization = utilization_of(load_of(0, {{0, 1}}, {}), 5, 5);
  EXPECT_EQ(utilization.workers, 1U);
  EXPECT_EQ(utilization.all_compile + utilization.device_only + utilization.few_compile +
                utilization.nothing,
            0);
}

TEST(Utilization, TimeInWhichAllWaitForLongCompilationsIsStragglers) {
  // Nine that take a second, side by side with one of thirty; then another long one beside it.
  std::vector<BusySpan> compiling{{0, 30}, {20, 35}};
  for (int i = 0; i < 9; ++i) compiling.push_back({double(i), double(i) + 1});
  const Utilization utilization = utilization_of(load_of(4, compiling, {}), 0, 40);
  EXPECT_DOUBLE_EQ(utilization.few_compile, 35.0 / 40);
  EXPECT_DOUBLE_EQ(utilization.stragglers, 26.0 / 40);
  EXPECT_DOUBLE_EQ(utilization.nothing, 5.0 / 40);
}

TEST(Utilization, SeveralDevicesBoundARunWhileAllOfThemAreBusy) {
  Load load = load_of(4, {{0, 6}}, {{0, 8}});
  load.on_devices.push_back({{3}, {{4, 8}}});
  load.on_devices.push_back({{5}, {}});  // lost before
  const Utilization utilization = utilization_of(load, 0, 10);
  EXPECT_DOUBLE_EQ(utilization.device_only, 0.4);
  EXPECT_DOUBLE_EQ(utilization.few_compile, 0.4) << "one device, or one compile worker, of several";
  EXPECT_DOUBLE_EQ(utilization.nothing, 0.2);
  ASSERT_EQ(utilization.devices.size(), 2U);
  EXPECT_EQ(utilization.devices[1].device.number, 3U);
  EXPECT_DOUBLE_EQ(utilization.devices[1].share, 0.4);
  EXPECT_DOUBLE_EQ(utilization.device[1], (1 + 0.4) / 2);
  EXPECT_EQ(bottleneck_of(utilization, 4, true).by, "the devices, busy 60 % of the time");
}

TEST(Devices, WhatEachMeasuredAndHowTheyCompareIsOneLine) {
  EXPECT_EQ(devices_text({{{0}, "a", 9}}), "") << "there is nothing to compare";
  EXPECT_EQ(devices_text({{{0}, "a", 0}, {{1}, "b", 0}}), "") << "all was answered by the store";
  std::vector<DeviceShare> two{{{0}, "a", 5, 1.0, 1, ""}, {{2, 1}, "c", 4, 1.04, 1 / 1.04, ""}};
  EXPECT_EQ(devices_text(two),
            "  measured by device 0: 5, device 2 of rank 1: 4; one variant took up to 4.0 % longer "
            "on one "
            "of them than on another, so times of the search are scaled: device 2 of rank 1 by "
            "0.9615");
  two[1].factor = 1;
  two[1].lost = "it fell off the bus";
  EXPECT_EQ(
      devices_text(two),
      "  measured by device 0: 5, device 2 of rank 1: 4 until it was lost; one variant took up to "
      "4.0 % longer on one of them than on another; times stay as measured");
  two[1].ratio.reset();
  EXPECT_EQ(devices_text(two),
            "  measured by device 0: 5, device 2 of rank 1: 4 until it was lost; they were not "
            "compared with each other");
}

TEST(Bottleneck, IsWhatMostOfTheTimeWentInto) {
  const auto by = [](const Load& load) {
    return bottleneck_of(utilization_of(load, 0, 10), 4, true).by;
  };
  EXPECT_EQ(by(load_of(1, {{0, 9}}, {{9, 10}})), "compiling, 1 worker 90 % busy");
  EXPECT_EQ(by(load_of(2, {{0, 1}}, {{0.5, 10}})), "the device, busy 95 % of the time");
  EXPECT_EQ(
      by(load_of(2, {{0, 8}}, {{8, 10}})),
      "the strategy: for 80 % of the time it waited for results while compile workers and the "
      "device were free");
  EXPECT_EQ(by(load_of(2, {{0, 2}}, {{0, 1}})),
            "neither compiling nor the device: for 80 % of the time both were free");
  std::vector<BusySpan> long_one{{0, 100}};
  for (int i = 0; i < 9; ++i) long_one.push_back({0, 0.1});
  EXPECT_EQ(bottleneck_of(utilization_of(load_of(20, long_one, {}), 0, 100), 4, true).by,
            "stragglers: for 100 % of the time all waited for compilations that take far longer "
            "than the others");
}

TEST(Bottleneck, IsTheBusierOfCompilersAndDeviceHoweverLongAllCompilersWereAtWork) {
  // All of two workers for 5 s, one for 1.8 s; the device for 8.4 s beside them.
  const Utilization utilization =
      utilization_of(load_of(2, {{0, 5}, {0, 6.8}}, {{0.8, 9.2}}), 0, 10);
  EXPECT_GT(utilization.all_compile, utilization.device_only);
  EXPECT_EQ(bottleneck_of(utilization, 4, true).by, "the device, busy 84 % of the time");
}

TEST(Bottleneck, SaysWhatWouldHelp) {
  const auto help = [](const Load& load, unsigned usable, bool is_default = false) {
    return bottleneck_of(utilization_of(load, 0, 10), usable, is_default).help;
  };
  const Load compiling = load_of(2, {{0, 10}, {0, 10}}, {});
  EXPECT_EQ(help(compiling, 8), "--jobs 8");
  EXPECT_EQ(help(compiling, 2), "more cores, not more --jobs");
  EXPECT_EQ(help(load_of(8, {{0, 10}}, {{0, 10}}), 8), "");
  EXPECT_EQ(help(load_of(1, {{0, 1}}, {{1, 10}}), 8), "");
  EXPECT_EQ(help(load_of(8, {{0, 10}}, {}), 8),
            "a strategy that proposes more at a time, as 'default' does");
  EXPECT_EQ(help(load_of(8, {{0, 10}}, {}), 8, true), "");
  EXPECT_EQ(help(load_of(8, {}, {}), 8), "");
}

TEST(Usage, SaysHowBusyAllWasInThisRunAloneByQuarter) {
  DeviceScript script;
  script.load = load_of(4, {{0, 100}}, {{0, 50}});  // from before
  const FakeDevice device(script);
  Usage usage(device, 100);
  EXPECT_FALSE(usage.utilization(10)) << "nothing was run";
  script.load.compiling.push_back({100, 104});
  script.load.on_devices = {{{0}, {{105, 110}}}};
  Trial trial;
  trial.cost_seconds = 1;
  usage.trial(trial, 0.5);
  const auto utilization = usage.utilization(10);
  ASSERT_TRUE(utilization);
  const std::string text = usage.text(utilization.value());
  EXPECT_NE(text.find("10.0 s, first result after 0.50 s"), std::string::npos) << text;
  EXPECT_NE(text.find("4 compile workers 10 % (25, 15, 0, 0), device 50 % (0, 0, 100, 100)"),
            std::string::npos)
      << text;
}

TEST(Usage, WhatTheStoreAnswersIsNoWork) {
  DeviceScript script;
  const FakeDevice device(script);
  Usage usage(device, 0);
  Trial trial;
  trial.from_store = true;
  usage.trial(trial, 0.5);
  EXPECT_FALSE(usage.utilization(10));
}

TEST(Usage, TimeForDroppedVariantsIsToldWithoutTheirCompilation) {
  DeviceScript script;
  script.load = load_of(1, {}, {{0, 10}});
  const FakeDevice device(script);
  Usage usage(device, 0);
  Trial dropped;
  dropped.state = TrialState::kDropped;
  dropped.cost_seconds = 7;
  dropped.compile_ms = 2000;
  usage.trial(dropped, 1);
  EXPECT_NE(usage.text(usage.utilization(10).value())
                .find("dropped variants took 50 % of the device time"),
            std::string::npos);
}

TEST(Usage, ADriftIsToldFromThreeHundredthsOn) {
  EXPECT_EQ(drift_text({0.98, 1.02}), "");
  EXPECT_NE(drift_text({0.99, 1.1}).find("-1.0 % to +10.0 %"), std::string::npos);
  EXPECT_NE(drift_text({0.9, 1}), "");
}

TEST(Usage, VariantsThatAreOneProgramAreCounted) {
  const std::vector<Parameter> parameters{{"BLOCK", {}, {}}, {"ITEMS", {}, {}}};
  EXPECT_EQ(duplicates_text({}, parameters), "");
  EXPECT_EQ(duplicates_text({12, {}}, parameters),
            "  12 not run: compiled to the same program as another variant");
  EXPECT_EQ(duplicates_text({12, {1}}, parameters),
            "  12 not run: compiled to the same program as another variant\n"
            "  ITEMS changes nothing: all values that were tried give the same program and launch");
}

}  // namespace
}  // namespace tuner
