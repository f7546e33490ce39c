#include <gtest/gtest.h>

#include "tuner/plugins/cuda/nvrtc_compiler.h"

namespace tuner::cuda {
namespace {

// As NVRTC 13.0 writes it.
const char* const kLog =
    "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
    "ptxas info    : 0 bytes gmem, 256 bytes cmem[3]\n"
    "ptxas info    : Compiling entry function '_Z1kIfLi64EEvPT_' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1kIfLi64EEvPT_\n"
    "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, "
    "256 bytes smem, 400 bytes cmem[0], 64 bytes cmem[3]\n"
    "ptxas info    : Compile time = 2.401 ms\n"
    "ptxas info    : Function properties for helper\n"
    "ptxas         .     99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
    "ptxas info    : Function properties for plain\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers\n"
    "ptxas warning : something to know\n";

TEST(PtxasLog, FindsTheResourcesOfTheKernelAskedFor) {
  const auto r = parse_ptxas_log(kLog, "_Z1kIfLi64EEvPT_").resources;
  EXPECT_EQ(r.registers, 40);
  EXPECT_EQ(r.static_shared_bytes, 256);
  EXPECT_EQ(r.constant_bytes, 64);
  EXPECT_EQ(r.local_bytes, 16);
  EXPECT_EQ(r.spill_bytes, 20);
  EXPECT_EQ(r.max_threads, -1);
  const auto plain = parse_ptxas_log(kLog, "plain").resources;
  EXPECT_EQ(plain.registers, 8);
  EXPECT_EQ(plain.static_shared_bytes, 0);
  EXPECT_EQ(plain.spill_bytes, 0);
}

// Where NVRTC begins its lines in another way.
TEST(PtxasLog, OfNvccIsUnderstood) {
  const PtxasLog log = parse_ptxas_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
      "ptxas info    : Function properties for k\n"
      "    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 10 registers, used 1 barriers, 128 bytes smem\n"
      "ptxas info    : Compile time = 14.589 ms\n",
      "k");
  EXPECT_EQ(log.resources.spill_bytes, 8);
  EXPECT_EQ(log.resources.registers, 10);
  EXPECT_EQ(log.rest, "");
}

TEST(PtxasLog, KeepsWarningsAndDropsInformation) {
  EXPECT_EQ(parse_ptxas_log(kLog, "plain").rest,
            "k.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n"
            "ptxas warning : something to know");
}

TEST(PtxasLog, KnowsNothingOfAKernelThatIsNotThere) {
  const auto parsed = parse_ptxas_log(kLog, "_Z1k");
  EXPECT_EQ(parsed.resources.registers, -1);
  EXPECT_EQ(parsed.resources.spill_bytes, -1);
  EXPECT_EQ(parse_ptxas_log("", "k").rest, "");
}

}  // namespace
}  // namespace tuner::cuda
