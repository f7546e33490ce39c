// Which devices a program finds under all forms of CUDA_VISIBLE_DEVICES.

#include "tuner/plugins/program/visible_devices.h"

#include <gtest/gtest.h>

namespace tuner::program {
namespace {

using Places = std::vector<std::size_t>;

Places visible(const char* variable) {
  const std::vector<std::string> uuids{"GPU-aaaa1111", "GPU-aaaa2222", "GPU-bbbb3333"};
  return visible_devices(variable, uuids);
}

TEST(VisibleDevices, AreAllWhereTheVariableIsNotSet) {
  EXPECT_EQ(visible(nullptr), (Places{0, 1, 2}));
}

TEST(VisibleDevices, AreThoseOfTheListUpToTheFirstEntryThatNamesNone) {
  EXPECT_EQ(visible("2,0"), (Places{2, 0}));
  EXPECT_EQ(visible(" 1 , 2 "), (Places{1, 2}));
  EXPECT_EQ(visible("0,-1,1"), Places{0});
  EXPECT_EQ(visible("0,7,1"), Places{0});
  EXPECT_EQ(visible("0,,1"), Places{0});
  EXPECT_EQ(visible("1gpu,2"), (Places{1, 2}));
  for (const char* none : {"", " ", "-1", "none", "NoDevFiles", "0,0", "GPU-bbbb,2"}) {
    EXPECT_EQ(visible(none), Places{}) << none;
  }
}

TEST(VisibleDevices, AreNamedByWhatOnlyTheirUuidBeginsWith) {
  EXPECT_EQ(visible("GPU-b"), Places{2});
  EXPECT_EQ(visible("GPU-aaaa2222,GPU-aaaa1"), (Places{1, 0}));
  EXPECT_EQ(visible("GPU-aaaa"), Places{}) << "two begin so";
  EXPECT_EQ(visible("GPU-cccc"), Places{}) << "of another machine";
}

TEST(VisibleDevices, AreAllWhereASliceIsVisible) {
  EXPECT_EQ(visible("MIG-1234-5678"), (Places{0, 1, 2}));
}

}  // namespace
}  // namespace tuner::program
