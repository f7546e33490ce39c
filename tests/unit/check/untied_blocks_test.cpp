// Blocks that vary beside a grid that does not.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/check/checked_study.h"

namespace tuner::test {
namespace {

class UntiedBlocks : public ::testing::Test {
 protected:
  UntiedBlocks() {
    study_.kernel.entry = "k";
    study_.kernel.source = folder_.path() / "k.cu";
    study_.parameters = {{"BLOCK", {std::int64_t{64}, std::int64_t{128}}, {}}};
    study_.launch.block[0] = *Expression::parse("BLOCK", {});
  }
  std::size_t warnings(const std::string& body, const std::string& grid) {
    std::ofstream(study_.kernel.source)
        << "__global__ void k(float* y, int n) { " << body << " }\n";
    study_.launch.grid[0] = *Expression::parse(grid, {});
    return untied_blocks(study_).size();
  }

  ScratchFolder folder_{memory_folder()};
  Study study_;
};

const std::string kByThread = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;";

TEST_F(UntiedBlocks, AreNamedWhereEachThreadHasAnElement) {
  EXPECT_EQ(warnings(kByThread, "ceil_div(n, 128)"), 1U);
  EXPECT_EQ(untied_blocks(study_).front(),
            "the block follows BLOCK, and the grid does not: with a smaller block fewer threads "
            "run, with a larger one more (\"ceil_div(N, BLOCK)\", if each thread has an element)");
  EXPECT_EQ(warnings(kByThread, "ceil_div(n, BLOCK)"), 0U);
  EXPECT_EQ(warnings(kByThread, "1"), 0U);
}

TEST_F(UntiedBlocks, MayBeRightForARowABlockAndForAnyGrid) {
  EXPECT_EQ(warnings("for (int i = threadIdx.x; i < 9; i += blockDim.x) y[blockIdx.x] = 1;", "n"),
            0U);
  EXPECT_EQ(warnings(kByThread + " i += gridDim.x;", "132"), 0U);
  study_.parameters[0].values = {std::string("small"), std::string("large")};
  EXPECT_EQ(warnings(kByThread, "132"), 0U) << "the grid may not have to follow a text";
  study_.parameters[0].values = {std::int64_t{64}, std::int64_t{128}};
  study_.derived = {{"blocks", *Expression::parse("ceil_div(n, BLOCK)", {})}};
  EXPECT_EQ(warnings(kByThread, "blocks"), 0U);
}

}  // namespace
}  // namespace tuner::test
