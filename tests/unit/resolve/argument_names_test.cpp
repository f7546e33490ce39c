// Messages about arguments have their names.

#include "tuner/resolve/argument_names.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(ArgumentNames, TakeThePlaceOfNumbers) {
  const auto named = [](const std::string& message) {
    return with_names({DeviceError::kInvalid, message}, {"x", "n"}).message;
  };
  EXPECT_EQ(named("argument 2 has 8 bytes; the kernel takes 4"),
            "argument 'n' has 8 bytes; the kernel takes 4");
  EXPECT_EQ(named("the kernel takes 3 arguments, not 2"),
            "the kernel takes 3 arguments, not 2 (x, n)");
  for (const std::string other : {"argument 3 is none of them", "argument x", "no such kernel"}) {
    EXPECT_EQ(named(other), other);
  }
  EXPECT_EQ(with_names({DeviceError::kRuntime, "argument 1 burns"}, {"x"}).message,
            "argument 1 burns");
}

TEST(ArgumentNames, ComeWithWhatALaunchWasGiven) {
  SizePlan plan;
  plan.arguments.resize(3);
  plan.arguments[0].name = "x";
  plan.arguments[0].extents = {10, 20};
  plan.arguments[1].name = "unused";
  plan.arguments[2].name = "n";
  plan.arguments[2].type = DataType::kInt32;
  plan.arguments[2].is_scalar = true;
  EXPECT_EQ(given_text(plan, {0, 2}), "x float32[10, 20], n int32");
}

}  // namespace
}  // namespace tuner
