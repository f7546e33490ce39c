// What compute-sanitizer's reports say.

#include "tuner/trust/sanitizer.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

TEST(Sanitizer, TheFirstFindingIsToldInOneLine) {
  EXPECT_EQ(first_finding("========= COMPUTE-SANITIZER\n"
                          "========= Invalid __global__ read of size 4 bytes\n"
                          "=========     at rows+0x250\n"
                          "=========     by thread (0,0,0) in block (3,0,0)\n"
                          "========= \n"
                          "========= Invalid __global__ read of size 4 bytes\n"
                          "=========     at rows+0x260\n"
                          "========= ERROR SUMMARY: 2 errors\n"),
            "Invalid __global__ read of size 4 bytes, at rows+0x250, by thread (0,0,0) in block "
            "(3,0,0)");
}

TEST(Sanitizer, WarningsAndSumsAreNone) {
  const std::string report =
      "========= COMPUTE-SANITIZER\n"
      "========= Warning: Race reported between Write access at rows+0x20\n"
      "=========     and Read access at rows+0x30 [3 hazards]\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n";
  EXPECT_EQ(first_finding(report), "");
  EXPECT_EQ(first_warning(report),
            "Warning: Race reported between Write access at rows+0x20, and Read access at "
            "rows+0x30 [3 hazards]");
  EXPECT_EQ(first_finding(""), "");
}

}  // namespace
}  // namespace tuner
