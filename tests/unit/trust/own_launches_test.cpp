// Launches of a captured kernel that adds floats in no fixed order, on a device in host memory.

#include "tuner/trust/own_launches.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/fakes/fake_backend.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/check/checked_study.h"
#include "tuner/files/capture_pack.h"
#include "tuner/measure/evaluation.h"

namespace tuner {
namespace {

using nlohmann::json;

constexpr std::uint64_t kX = std::uint64_t{0x7f10} << 32;       // of addresses
constexpr std::uint64_t kSum = std::uint64_t{0x7f20} << 32;     // two floats
constexpr std::uint64_t kCount = kSum + 4096;                   // an int, in the same piece
constexpr std::uint64_t kHidden = std::uint64_t{0x7f30} << 32;  // behind no argument

template <typename T>
std::string raw_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

json passed(std::uint64_t offset, std::uint64_t address) {
  std::string text;
  for (const char c : raw_of<std::uint64_t>({address})) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return {{"offset", offset}, {"size", 8}, {"bytes", text}};
}

class OwnLaunchesTest : public testing::Test {
 protected:
  // What a launch writes, by its number.
  struct Written {
    float first, second;
    int count;
    float hidden;
  };
  static constexpr Written kProgram{1000, 0.5F, 7, 3};

  OwnLaunchesTest() { pack(kProgram); }

  void pack(const Written& by_the_program) {
    std::filesystem::remove_all(scratch_.path() / "capture");
    put("x", raw_of<float>({1, 2, 3, 4}));
    put("sum", raw_of<float>({0, 0}));
    put("sum-after", raw_of<float>({by_the_program.first, by_the_program.second}));
    put("count", raw_of<int>({0}));
    put("count-after", raw_of<int>({by_the_program.count}));
    put("hidden", raw_of<float>({0}));
    put("hidden-after", raw_of<float>({by_the_program.hidden}));
    put("image", "add_up");
    const auto memory = [](std::uint64_t at, int size, const char* file, const char* after) {
      return json{{"address", at}, {"size", size}, {"file", file}, {"written", after}};
    };
    const json described{
        {"kernel", {{"mangled", "add_up"}, {"name", "add_up"}}},
        {"geometry", {1, 1, 1, 4, 1, 1, 0}},
        {"parameters", {passed(0, kX), passed(8, kSum), passed(16, kCount)}},
        {"allocations",
         {memory(kX, 16, "x", ""), memory(kSum, 8, "sum", "sum-after"),
          memory(kCount, 4, "count", "count-after"), memory(kHidden, 4, "hidden", "hidden-after")}},
        {"device", {{"name", "a device"}, {"arch", "sm_90"}}},
        {"image", "image"}};
    put("described.json", described.dump());
    pack_capture(scratch_.path(), "described.json", scratch_.path() / "capture");
  }

  Study study(const std::string& more = "") const {
    put("k.cu", "__global__ void add_up(const float* x, float* sum, int* count) {}\n");
    return study_of_text(scratch_.path() / "study.yaml",
                         "schema: 1\n"
                         "kernel: {name: add_up, source: k.cu, entry: add_up}\n"
                         "problem_sizes: [{n: 4}]\n"
                         "captured: [capture]\n"
                         "parameters: {A: [1]}\n"
                         "launch: {block: [4], grid: [1]}\n"
                         "arguments:\n"
                         "  - {name: x, type: float32, shape: [n], fill: {captured: x}}\n"
                         "  - {name: sum, type: float32, shape: [2], role: out}\n"
                         "  - {name: count, type: int32, shape: [1], role: inout, fill: "
                         "{captured: count}}\n"
                         "reference: captured\n" +
                             more)
        .study;
  }

  OwnLaunches compared(const Study& study, const std::function<Written(int)>& written) {
    const auto evaluate = [&](const CapturedPlans& plans) {
      FakeBackend device;
      device.kernels["add_up"].body = [&](const FakeBackend::Call&) {
        const Written now = written(launches_++);
        const float sums[]{now.first, now.second};
        std::memcpy(device.placed(kSum), sums, sizeof sums);
        std::memcpy(device.placed(kCount), &now.count, sizeof now.count);
        std::memcpy(device.placed(kHidden), &now.hidden, sizeof now.hidden);
      };
      device.kernels["add_up"].milliseconds = [this](int) { return milliseconds_; };
      Evaluation evaluation(device, plans.size, {});
      const auto ready = evaluation.prepare();
      EXPECT_TRUE(ready.has_value()) << (ready ? "" : ready.error().message);
      return evaluation.evaluate(plans.variant, {});
    };
    return compare_own_launches(study, study.captured.front(), 4, evaluate);
  }

  void put(const std::string& name, const std::string& bytes) const {
    write_file_atomically(scratch_.path() / name, bytes);
  }

  const Interrupt interrupt_;  // forgets the signal of another test, which would end the packing
  ScratchFolder scratch_;
  int launches_ = 0;
  double milliseconds_ = 1;  // of each
};

TEST_F(OwnLaunchesTest, EqualToTheBitDifferInNothing) {
  const OwnLaunches same = compared(study(), [](int) { return kProgram; });
  EXPECT_TRUE(same.outputs.empty());
  EXPECT_EQ(same.elsewhere, "");
}

TEST_F(OwnLaunchesTest, SlowOnesAreTenToo) {
  milliseconds_ = 1000;  // by the device's clock: as much as a trial's samples may take together
  compared(study(), [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return kProgram;
  });
  EXPECT_GE(launches_, 13) << "ten that are compared, a warm-up and two of the first three samples";
}

TEST_F(OwnLaunchesTest, TheFarthestOfTenCounts) {
  const OwnLaunches seen = compared(study(), [](int launch) {
    Written out = kProgram;
    out.second += launch % 10 == 9 ? 2.5F : 0.25F;  // one of ten is far away
    return out;
  });
  ASSERT_EQ(seen.outputs.size(), 1U);
  EXPECT_EQ(seen.outputs[0].output, "sum");
  EXPECT_EQ(seen.outputs[0].largest, 2.5);
  EXPECT_FALSE(seen.outputs[0].has_room);
  EXPECT_EQ(seen.elsewhere, "");
}

TEST_F(OwnLaunchesTest, AQuarterOfTheToleranceIsRoomEnough) {
  const auto away_by = [&](float by) {
    const OwnLaunches seen = compared(study(), [by](int) {
      Written out = kProgram;
      out.first += by;
      return out;
    });
    EXPECT_EQ(seen.outputs.size(), 1U);
    return seen.outputs.empty() ? OwnDistance{} : seen.outputs[0];
  };
  // The usual tolerance at 1000 is 1e-4 of it and of the root of the mean square, 707.
  EXPECT_TRUE(away_by(0.04F).has_room);
  EXPECT_NEAR(away_by(0.04F).largest, 0.04, 1e-4);
  EXPECT_FALSE(away_by(0.05F).has_room);
}

TEST_F(OwnLaunchesTest, WhereMemoryIsAtItsPlaceItIsTheSame) {
  const OwnLaunches seen = compared(study("memory: captured\n"), [](int launch) {
    Written out = kProgram;
    out.first += launch % 2 == 0 ? 3.0F : 0.0F;
    return out;
  });
  ASSERT_EQ(seen.outputs.size(), 1U);
  EXPECT_EQ(seen.outputs[0].largest, 3);
}

TEST_F(OwnLaunchesTest, WhatNoToleranceIsForIsNamed) {
  const OwnLaunches hidden = compared(study(), [](int launch) {
    Written out = kProgram;
    out.hidden += static_cast<float>(launch % 3);
    return out;
  });
  EXPECT_TRUE(hidden.outputs.empty());
  EXPECT_NE(hidden.elsewhere.find("memory at 0x7f3000000000"), std::string::npos)
      << hidden.elsewhere;
  const OwnLaunches count = compared(study(), [](int launch) {
    Written out = kProgram;
    out.count += launch % 3;
    return out;
  });
  EXPECT_NE(count.elsewhere.find(".count"), std::string::npos) << count.elsewhere;
}

TEST_F(OwnLaunchesTest, NanIsNoDistance) {
  const OwnLaunches seen = compared(study(), [](int) {
    Written out = kProgram;
    out.first = std::numeric_limits<float>::quiet_NaN();
    return out;
  });
  EXPECT_TRUE(seen.outputs.empty());
  EXPECT_NE(seen.elsewhere.find("nan"), std::string::npos) << seen.elsewhere;
}

TEST_F(OwnLaunchesTest, ALaunchThatWroteNothingShowsNothing) {
  for (const char* one : {"sum-after", "count-after", "hidden-after"}) {
    put(one, std::string(read_file(scratch_.path() / one).size(), '\0'));
  }
  json described = json::parse(read_file(scratch_.path() / "described.json"));
  for (json& one : described["allocations"]) one["written"] = "";
  put("described.json", described.dump());
  std::filesystem::remove_all(scratch_.path() / "capture");
  pack_capture(scratch_.path(), "described.json", scratch_.path() / "capture");
  EXPECT_THROW(compared(study(), [](int) { return kProgram; }), FatalError);
  EXPECT_EQ(launches_, 0);
}

}  // namespace
}  // namespace tuner
