#include "tuner/base/process_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace tuner {
namespace {

TEST(PeakResidentBytes, CountMemoryThatWasWrittenAndGivenBack) {
  const std::uint64_t before = peak_resident_bytes(::getpid());
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  { const std::vector<char> written(kBytes, 1); }
  EXPECT_GE(peak_resident_bytes(::getpid()), before + kBytes / 2);
}

TEST(PeakResidentBytes, OfAProcessThatDoesNotExistAreNone) {
  EXPECT_EQ(peak_resident_bytes(0x7ffffff0), 0U);
}

}  // namespace
}  // namespace tuner
