// Captures are packed, read, and launched as they were in their program.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/fakes/fake_backend.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/files/capture_pack.h"
#include "tuner/measure/data_file.h"
#include "tuner/measure/evaluation.h"
#include "tuner/resolve/captured_plans.h"
#include "tuner/trust/replayed_launch.h"

namespace tuner {
namespace {

using nlohmann::json;

constexpr std::uint64_t kList = std::uint64_t{0x7f10} << 32;  // of addresses
constexpr std::uint64_t kRow = kList + 4096;                  // near to it
constexpr std::uint64_t kOut = std::uint64_t{0x7f20} << 32;   // far away
constexpr std::uint64_t kSpan = kRow + 4 * sizeof(float) - kList;

template <typename T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string hexadecimal(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// A launch that follows the first address of a list to four floats and writes their doubles, as the
// object in the application leaves it.
class CapturedLaunchTest : public testing::Test {
 protected:
  CapturedLaunchTest() {
    put("list.raw", bytes_of<std::uint64_t>({kRow}));
    put("row.raw", bytes_of<float>({1, 2, 3, 4}));
    put("out.raw", bytes_of<float>({0, 0, 0, 0}));
    put("out-written.raw", bytes_of<float>({2, 4, 6, 8}));
    put("image.raw", "doubled");
    described_ = {
        {"kernel", {{"mangled", "_Z7doubledPPfS_"}, {"name", "doubled(float**, float*)"}}},
        {"geometry", {1, 1, 1, 4, 1, 1, 0}},
        {"attributes", {{"cooperative", true}}},
        {"parameters",
         {{{"offset", 0}, {"size", 8}, {"bytes", hexadecimal(bytes_of<std::uint64_t>({kList}))}},
          {{"offset", 8}, {"size", 8}, {"bytes", hexadecimal(bytes_of<std::uint64_t>({kOut}))}}}},
        {"allocations",
         {allocation(kOut, 16, "out.raw", "out-written.raw"), allocation(kRow, 16, "row.raw", ""),
          allocation(kList, 8, "list.raw", "")}},
        {"variables", json::array()},
        {"device", {{"name", "a device"}, {"arch", "sm_90"}}},
        {"image", "image.raw"}};
  }

  static json allocation(std::uint64_t address, std::uint64_t size, const std::string& file,
                         const std::string& written) {
    return {{"address", address}, {"size", size}, {"file", file}, {"written", written}};
  }
  void put(const std::string& name, const std::string& bytes) const {
    write_file_atomically(scratch_.path() / name, bytes);
  }
  std::filesystem::path folder() const { return scratch_.path() / "doubled-1"; }
  CapturedLaunch packed() {
    put("described.json", described_.dump());
    return pack_capture(scratch_.path(), "described.json", folder());
  }
  // Evaluates the launch on a device whose kernel multiplies by `factor`.
  Verdict evaluated(float factor) { return evaluated(factor, plans_of(packed(), {})); }
  static Verdict evaluated(float factor, const CapturedPlans& plans) {
    FakeBackend device;
    device.device.abilities.emplace_back(kSetsLaunchAttributes);
    device.kernels["doubled"].body = [&device, factor](const FakeBackend::Call& call) {
      const auto at = [&](std::uint64_t address) { return device.placed(address); };
      std::uint64_t row = 0;
      std::memcpy(&row, at(call.scalar<std::uint64_t>(0)), sizeof row);
      float numbers[4];
      std::memcpy(numbers, at(row), sizeof numbers);
      for (float& one : numbers) one *= factor;
      std::memcpy(at(call.scalar<std::uint64_t>(1)), numbers, sizeof numbers);
    };
    Evaluation evaluation(device, plans.size, {});
    const auto ready = evaluation.prepare();
    EXPECT_TRUE(ready.has_value()) << (ready ? "" : ready.error().message);
    return evaluation.evaluate(plans.variant, {});
  }

  ScratchFolder scratch_;
  json described_;
};

TEST_F(CapturedLaunchTest, MemoryThatIsNearIsOnePieceAndTheRestAnother) {
  const CapturedLaunch launch = packed();
  ASSERT_EQ(launch.memory.size(), 2U);
  EXPECT_EQ(launch.memory[0].address, kList);
  EXPECT_EQ(launch.memory[0].size, kSpan);
  EXPECT_EQ(launch.memory[0].parts,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 8}, {4096, 16}}));
  EXPECT_EQ(launch.memory[0].written, "");
  EXPECT_EQ(launch.memory[1].address, kOut);
  EXPECT_NE(launch.memory[1].written, "");
  EXPECT_TRUE(launch.geometry.attributes.cooperative);
  EXPECT_EQ(launch.geometry.block[0], 4U);
}

TEST_F(CapturedLaunchTest, ItsFilesHoldTheMemoryWithZerosBetween) {
  const CapturedLaunch launch = packed();
  const auto held =
      read_data(launch.folder / launch.memory[0].file, {"piece", DataType::kUInt8, {kSpan}});
  ASSERT_TRUE(held) << held.error();
  std::string wanted(kSpan, '\0');
  wanted.replace(0, 8, bytes_of<std::uint64_t>({kRow}));
  wanted.replace(4096, 16, bytes_of<float>({1, 2, 3, 4}));
  EXPECT_EQ(std::memcmp(held->data(), wanted.data(), kSpan), 0);
  const auto more =
      read_data(launch.folder / launch.memory[0].file, {"piece", DataType::kUInt8, {kSpan + 1}});
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().find("holds 4112 bytes once it is unpacked; 'piece' needs 4113"),
            std::string::npos)
      << more.error();
}

TEST_F(CapturedLaunchTest, FollowsItsAddressesAndIsRight) {
  const Verdict verdict = evaluated(2);
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.max_error, 0);
}

TEST_F(CapturedLaunchTest, IsWrongByOneBit) {
  const Verdict verdict = evaluated(2.0000002F);
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_NE(verdict.message.find("memory at 0x7f2000000000"), std::string::npos) << verdict.message;
}

TEST_F(CapturedLaunchTest, ShowsHowFarItsFloatsAre) {
  const CapturedLaunch launch = packed();
  CapturedPlans plans = plans_of(launch, {});
  ASSERT_TRUE(ask_for_distance(launch, plans.size));
  const Verdict verdict = evaluated(2.5F, plans);
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.max_error, 2) << "10 where 8 was written";
}

TEST_F(CapturedLaunchTest, HasNoDistanceWhereItsNameShowsNoFloats) {
  for (const char* name : {"doubled", "doubled(float**, unsigned char*)", "doubled(float**)"}) {
    described_["kernel"]["name"] = name;
    const CapturedLaunch launch = packed();
    CapturedPlans plans = plans_of(launch, {});
    EXPECT_FALSE(ask_for_distance(launch, plans.size)) << name;
    std::filesystem::remove_all(folder());
  }
}

TEST_F(CapturedLaunchTest, WhatIsDamagedIsSaid) {
  packed();
  const json whole = json::parse(read_file(folder() / "capture.json"));
  const auto said = [&](const json& text) {
    write_file_atomically(folder() / "capture.json", text.dump());
    try {
      read_capture(folder());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  json missing = whole, outside = whole, twice = whole, odd = whole;
  missing["image"] = "gone.cubin";
  outside["allocations"][0]["file"] = "../row.raw";
  twice["allocations"][1]["address"] = kList + 8;
  odd["parameters"][0]["bytes"] = "0x1";
  EXPECT_NE(said(json::object()).find("is no capture"), std::string::npos);
  EXPECT_NE(said(missing).find("there is no file 'gone.cubin' in the folder"), std::string::npos);
  EXPECT_NE(said(outside).find("there is no file '../row.raw' in the folder"), std::string::npos);
  EXPECT_NE(said(twice).find("two allocations overlap"), std::string::npos);
  EXPECT_NE(said(odd).find("is not a list of hexadecimal bytes"), std::string::npos);
  EXPECT_EQ(said(whole), "nothing");
}

TEST_F(CapturedLaunchTest, NothingIsLeftOfOneThatCannotBePacked) {
  described_["allocations"][0]["file"] = "gone.raw";
  put("described.json", described_.dump());
  EXPECT_THROW(pack_capture(scratch_.path(), "described.json", folder()), FatalError);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_FALSE(std::filesystem::exists(folder().string() + ".part"));
}

TEST_F(CapturedLaunchTest, NothingIsLeftWhereASignalEndsThePacking) {
  const Interrupt interrupt;
  std::raise(SIGTERM);
  EXPECT_THROW(packed(), InterruptedError);
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_FALSE(std::filesystem::exists(folder().string() + ".part"));
}

}  // namespace
}  // namespace tuner
