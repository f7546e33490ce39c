// Tolerances of studies that are drafted from captured launches.

#include <cstring>

#include "drafted.h"

namespace tuner {
namespace {

constexpr std::uint64_t kX = std::uint64_t{0x7f10} << 32, kSum = std::uint64_t{0x7f20} << 32,
                        kHidden = std::uint64_t{0x7f30} << 32;

template <typename T>
std::vector<std::byte> as_bytes(T value) {
  std::vector<std::byte> out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

// One launch on so many floats, which changes what `sum` points to.
DraftRequest captured_sum(const std::string& type = "float") {
  DraftRequest out{"__global__ void add_up(const float* x, " + type +
                       "* sum, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) atomicAdd(sum, x[i]);\n}\n",
                   "k.cu", "k.cu", "add_up"};
  CapturedLaunch launch;
  launch.folder = "captured/add_up-1";
  launch.mangled = "_Z6add_upPKfPfi";
  launch.name = "add_up(float const*, " + type + "*, int)";
  launch.geometry.grid = {4, 1, 1};
  launch.geometry.block = {256, 1, 1};
  launch.parameters = {{0, as_bytes(kX)}, {8, as_bytes(kSum)}, {16, as_bytes(1000)}};
  launch.memory = {{kX, 4000, "x.gz", "", {{0, 4000}}}, {kSum, 4, "s.gz", "t.gz", {{0, 4}}}};
  out.captured = {launch};
  out.captured_names = {"captured/add_up-1"};
  out.changed = {1};
  return out;
}

TEST(CapturedDraft, WithoutAGpuTheToleranceIsMarkedAndTheCommandIsNamed) {
  DraftRequest request = captured_sum();
  request.not_compared = "no device";
  const DraftedStudy draft = draft_study(request);
  says(draft.yaml, {"  sum: {tolerance: usual}  # that of float32; a guess: no launches of the "
                    "program's own kernel were compared\n"});
  ASSERT_FALSE(draft.guessed.empty());
  std::string all;
  for (const std::string& one : draft.guessed) all += one + "\n";
  says(all, {"ten launches of the program's own kernel could not be compared with what it wrote "
             "(no device); on a GPU 'tuner init' takes the tolerance from them, and 'tuner replay "
             "captured/add_up-1' says"});
}

TEST(CapturedDraft, LaunchesThatDifferMakeTheToleranceFourTimesAsLarge) {
  DraftRequest request = captured_sum();
  request.not_compared.clear();
  request.compared = 1;
  request.distances["sum"] = {0.005, false};
  const DraftedStudy draft = draft_study(request);
  says(draft.yaml, {"  sum: {rtol: 1e-4, atol: 2.0e-02}  # 4 times as far as ten launches of the "
                    "program's own kernel were (0.005)\n"});
  EXPECT_EQ(draft.found.back(),
            "ten launches of the program's own kernel differ by up to 0.005 in sum");
}

TEST(CapturedDraft, TheUsualToleranceIsNeverMadeSmaller) {
  DraftRequest request = captured_sum();
  request.not_compared.clear();
  request.compared = 1;
  request.distances["sum"] = {3e-7, true};
  says(draft_study(request).yaml, {"  sum: {tolerance: usual}  # that of float32; ten launches of "
                                   "the program's own kernel were up to 3e-07 away\n"});
  request.distances["sum"] = {0.005, false};
  request.atol["sum"] = "0.3";  // as a trial has shown
  says(draft_study(request).yaml, {"  sum: {rtol: 1e-4, atol: 0.3}  # sums in another order"});
  request.atol["sum"] = "0.001";
  says(draft_study(request).yaml, {"  sum: {rtol: 1e-4, atol: 2.0e-02}  # 4 times"});
}

TEST(CapturedDraft, EqualLaunchesKeepTheUsualOneAndAreSaid) {
  DraftRequest request = captured_sum();
  request.not_compared.clear();
  request.compared = 1;
  const DraftedStudy draft = draft_study(request);
  says(draft.yaml, {"  sum: {tolerance: usual}  # that of float32; ten launches of the program's "
                    "own kernel were equal to the bit\n"});
  EXPECT_EQ(draft.found.back(), "ten launches of the program's own kernel are equal to the bit");
}

TEST(CapturedDraft, MemoryThatIsWhereItWasIsComparedInItsOrder) {
  DraftRequest request = captured_sum();
  request.any_order = {"sum"};
  says(draft_study(request).yaml, {"  sum: {tolerance: usual, order: any}"});
  request.captured.front().memory.push_back({kHidden, 16, "h.gz", "", {{0, 16}}});
  const std::string yaml = draft_study(request).yaml;
  says(yaml, {"memory: captured", "  sum: {tolerance: usual}  # that of float32"});
  lacks(yaml, {"order: any"});  // `check` refuses that
}

TEST(CapturedDraft, WhatNoToleranceIsForIsSaidInTheStudyToo) {
  DraftRequest request = captured_sum("int");
  says(draft_study(request).yaml, {"  sum: {tolerance: usual}  # that of int32\n"});
  request.not_compared.clear();
  request.compared = 1;
  request.differs = "memory at 0x7f2000000000: other bits";
  const DraftedStudy draft = draft_study(request);
  says(draft.yaml, {"# ten launches of the program's own kernel differ where nothing may: memory "
                    "at 0x7f2000000000: other bits\n"});
  EXPECT_EQ(draft.guessed.back(),
            "ten launches of the program's own kernel differ where nothing may: memory at "
            "0x7f2000000000: other bits");
}

}  // namespace
}  // namespace tuner
