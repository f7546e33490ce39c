#include "tuner/resolve/facts_used.h"

#include <gtest/gtest.h>

#include "tuner/base/error.h"

namespace tuner {
namespace {

Study study_with(const std::string& constraint, const std::string& block) {
  Study study;
  study.constraints.push_back(Expression::parse_or_throw(constraint));
  study.launch.block[0] = Expression::parse_or_throw(block);
  return study;
}

TEST(FactsUsed, AreThoseOfAllExpressions) {
  EXPECT_EQ(facts_used(study_with("device.warp_size > 1 and B > 2", "device.multiprocessors * 2")),
            (std::vector<std::string>{"multiprocessors", "warp_size"}));
  EXPECT_TRUE(facts_used(study_with("B > 2", "B")).empty());
}

TEST(FactsUsed, OneThatTheDeviceDoesNotTellIsRefused) {
  DeviceFacts device;
  device.backend = "opencl";
  device.name = "Toy";
  const Study study = study_with("device.warp_size > 1", "device.multiprocessors");
  EXPECT_NO_THROW(require_told_facts(study, device));
  device.warp_size = -1;
  try {
    require_told_facts(study, device);
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.complaints().front().message,
              "the study uses device.warp_size, which opencl does not tell of 'Toy'");
    EXPECT_EQ(error.complaints().front().suggestion, "write the number itself");
  }
}

}  // namespace
}  // namespace tuner
