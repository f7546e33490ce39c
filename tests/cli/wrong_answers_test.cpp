// Kernels whose first answer is right, and studies that would let wrong answers pass.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "program.h"

namespace tuner::cli {
namespace {

using Row = std::map<std::string, std::string>;

// Only what may win is looked at on all inputs. On a busy machine a wrong kernel may be slow by
// chance.
bool is_far_behind(const Row& row) { return row.at("state") == "ok" && row.at("final_ms").empty(); }

TEST(WrongAnswers, EveryKernelThatIsRightAtFirstOnlyOrWritesElsewhereIsFoundOut) {
  const Sandbox sandbox;
  run_to(0, sandbox, {"run", data("wrong/wrong.yaml").string(), "--backend", "cpu"});
  const auto rows = ranking_of(sandbox, "wrong");
  ASSERT_EQ(rows.size(), 28U);
  for (const Row& row : rows) {
    if (is_far_behind(row)) continue;
    EXPECT_EQ(row.at("state"), row.at("CHEAT") == "honest" ? "ok" : "correctness")
        << row.at("CHEAT") << ": " << row.at("message");
  }
}

// What WANT says of each kernel: `wrong` is found out, `right` is ok, `slow` is found out or gains
// nothing. What gains something takes less than a quarter of the shortest time of an honest one,
// which no other load makes longer for all of them.
void expect_as_wanted(const Sandbox& sandbox, const std::string& study, std::size_t kernels) {
  const auto rows = ranking_of(sandbox, study);
  ASSERT_EQ(rows.size(), kernels);
  double honest = HUGE_VAL;
  for (const Row& row : rows) {
    if (row.at("WANT") != "right") continue;
    EXPECT_EQ(row.at("state"), "ok") << row.at("NAME") << ": " << row.at("message");
    if (row.at("state") == "ok") honest = std::min(honest, std::stod(row.at("min_ms")));
  }
  for (const Row& row : rows) {
    if (is_far_behind(row)) continue;
    const std::string text = row.at("NAME") + ": " + row.at("message");
    if (row.at("WANT") == "wrong") {  // who looks through memory may meet its end there
      EXPECT_TRUE(row.at("state") == "correctness" || row.at("state") == "runtime") << text;
    } else if (row.at("WANT") == "slow" && row.at("state") == "ok") {
      // Those that skip launches do a quarter of the honest work in the others.
      EXPECT_GT(std::stod(row.at("time_ms")), honest / 6) << text;
    }
  }
}

TEST(WrongAnswers, NoKernelOfTheCorpusGetsARankThatItHasNotEarned) {
  for (const auto& [study, kernels] : {std::pair{"corpus", 85}, {"attempts", 23}}) {
    const Sandbox sandbox;
    const std::string path = data("wrong/" + std::string(study) + ".yaml").string();
    run_to(0, sandbox, {"run", path, "--backend", "cpu"});
    expect_as_wanted(sandbox, study, static_cast<std::size_t>(kernels));
  }
}

// It gives the answer of its first launch ever after, which is right for one set of inputs.
TEST(WrongAnswers, AKernelThatKeepsItsAnswerIsFoundOutWhateverTheStudyTimes) {
  const Sandbox sandbox;
  const std::string fresh = text_of(data("wrong/fresh.yaml"));
  sandbox.write("wrong.cu", text_of(data("wrong/wrong.cu")));
  for (const std::string inputs : {"same", "fresh"}) {
    std::string study = fresh;
    study.replace(study.find("inputs: fresh, drop"), 13, "inputs: " + inputs);
    sandbox.write("fresh.yaml", study);
    run_to(0, sandbox, {"run", "fresh.yaml", "--backend", "cpu"});
    const auto rows = ranking_of(sandbox, "wrong_fresh");
    ASSERT_EQ(rows.size(), 2U);
    for (const Row& row : rows) {
      const bool is_honest = row.at("CHEAT") == "honest";
      EXPECT_EQ(row.at("state"), is_honest ? "ok" : "correctness") << row.at("message");
      EXPECT_EQ(row.contains("inputs"), inputs == "fresh");
    }
  }
}

// A kernel that counts its launches in memory that it wants zeroed as `zero` says.
void write_counting(const Sandbox& sandbox, const std::string& zero) {
  sandbox.write("count.cu", R"cuda(
extern "C" __global__ void count(const float* x, float* y, unsigned* launches, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + launches[i];
#if TUNE_CLEAN == 0
  if (i < n) ++launches[i];
#endif
}
extern "C" __global__ void count_reference(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i];
}
)cuda");
  sandbox.write("count.yaml", R"yaml(schema: 1
kernel: {name: count, source: count.cu, entry: count}
problem_sizes: [{n: 100}]
parameters: {CLEAN: [0, 1], BLOCK: [32, 64]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: launches, type: uint32, shape: [n + BLOCK], role: workspace, zero: )yaml" +
                                  zero + R"yaml(}
  - {name: n, type: int32, value: n}
reference: {entry: count_reference, arguments: [x, y, n], block: [1], grid: [1]}
verify: {y: {rtol: 0}}
measure: {drop_above: 0}
)yaml");
}

TEST(WrongAnswers, WhatAWorkspaceHoldsAfterALaunchIsAsTheStudySays) {
  for (const std::string zero : {"once", "each", "never"}) {
    const Sandbox sandbox;
    write_counting(sandbox, zero);
    const auto done = run(sandbox, {"run", "count.yaml", "--backend", "cpu"});
    EXPECT_EQ(done.status, zero == "never" ? 1 : 0) << done.err;
    for (const Row& row : ranking_of(sandbox, "count")) {
      const bool right = zero == "each" || (zero == "once" && row.at("CLEAN") == "1");
      EXPECT_EQ(row.at("state"), right ? "ok" : "correctness") << zero << row.at("message");
      if (right || zero != "once") continue;
      EXPECT_EQ(
          row.at("message"),
          "leaves launches[0] = 1, a workspace that must be zero after each launch (zero: once)");
    }
  }
}

// One variant of nine also writes so many elements beside y.
void write_stray(const Sandbox& sandbox, const std::string& blocks, const std::string& distance) {
  sandbox.write("stray.cu", R"cuda(
extern "C" __global__ void stray(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 2 * x[i] + 1;
  if (TUNE_STRIDE) y[i + (long)TUNE_STRIDE] = 7;
}
extern "C" __global__ void stray_reference(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
}
)cuda");
  sandbox.write("stray.yaml", R"yaml(schema: 1
kernel: {name: stray, source: stray.cu, entry: stray}
problem_sizes: [{n: 20000}]
parameters: {BLOCK: )yaml" + blocks +
                                  ", STRIDE: [" + distance + R"yaml(, 0]}
constraints: [STRIDE == 0 or BLOCK == 32]
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: stray_reference, block: [1], grid: [1]}
verify: {y: {rtol: 1e-6, atol: 1e-6}}
search: {strategy: exhaustive}
)yaml");
}

// The first distance hits the right answer, the second one the copy of x.
TEST(WrongAnswers, AWriteFarBesideTheOutputCondemnsNobodyElse) {
  const std::string blocks[] = {"[32, 64, 96, 128, 160, 192, 224, 256]",
                                "[64, 96, 128, 32, 160, 192, 224, 256]",
                                "[64, 96, 128, 160, 192, 224, 256, 32]"};
  const std::string distances[] = {"-22528", "21760", "-22528"};
  for (std::size_t i = 0; i < 3; ++i) {
    const Sandbox sandbox;
    write_stray(sandbox, blocks[i], distances[i]);
    for (const bool again : {false, true}) {
      run_to(0, sandbox, {"run", "stray.yaml", "--backend", "cpu"});
      const auto rows = ranking_of(sandbox, "stray");
      ASSERT_EQ(rows.size(), 9U);
      for (const Row& row : rows) {
        const bool is_right = row.at("state") == "ok" || row.at("state") == "dropped";
        EXPECT_EQ(is_right, row.at("STRIDE") == "0") << blocks[i] << again << row.at("message");
      }
    }
  }
}

// y = x * (mask[0] + mask[3]) + shift, on `constants`; the kernel does `more` besides.
void write_study(const Sandbox& sandbox, const std::string& constants,
                 const std::string& more = {}) {
  sandbox.write("scale.cu", R"cuda(#include <cstdlib>
#include <sys/unistd.h>
__constant__ float mask[4];
__constant__ int shift;
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * (mask[0] + mask[3]) + shift;
)cuda" + more + R"cuda(
}
extern "C" __global__ void scale_reference(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * (mask[0] + mask[3]) + shift;
}
)cuda");
  sandbox.write("scale.yaml", R"yaml(schema: 1
kernel: {name: scale, source: scale.cu, entry: scale}
problem_sizes: [{n: 100}]
parameters: {FAULT: [0, 1]}
launch: {block: [64], grid: [2]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
)yaml" + constants + R"yaml(reference: {entry: scale_reference, block: [1], grid: [1]}
verify: {y: {rtol: 1e-6}}
measure: {drop_above: 0}
)yaml");
}

std::string constants(int mask, const std::string& shift) {
  return "constants:\n  - {name: mask, type: float32, shape: [" + std::to_string(mask) +
         "], fill: {uniform: [1, 2]}}\n  - {name: shift, type: " + shift + ", value: 1}\n";
}

TEST(WrongAnswers, AConstantOfAnotherSizeIsRefusedWithItsPlace) {
  const Sandbox sandbox;
  const auto refused = [&](const std::string& given) {
    write_study(sandbox, given);
    const auto done = run_to(2, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
    return done.err;
  };
  EXPECT_TRUE(says(refused(constants(5, "int32")),
                   "scale.yaml:11:12: the reference: mask: it has 16 bytes in the kernel, 20 "
                   "are to be written\n"));
  EXPECT_TRUE(
      says(refused(constants(4, "int16")), "scale.yaml:12:12: the reference: shift: it has 4"));
  write_study(sandbox, constants(4, "int32"));
  const auto done = run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  EXPECT_EQ(occurrences(done.err, "warning: __constant__"), 0U) << done.err;
}

TEST(WrongAnswers, AReferenceThatCrashesIsNamedWithWhatItWasGiven) {
  const Sandbox sandbox;
  write_study(sandbox, constants(4, "int32"),
              "}\nextern \"C\" __global__ void crash("
              "const float* x, float* y, int n) { *reinterpret_cast<volatile int*>(8) = n;");
  std::string study = text_of(sandbox.path("scale.yaml"));
  study.replace(study.find("scale_reference"), 15, "crash");
  sandbox.write("scale.yaml", study);
  const auto done = run_to(1, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  // How the worker ended is not said here: a sanitizer reports the fault itself, without a signal.
  EXPECT_TRUE(says(done.err,
                   ". The reference kernel 'crash' may have left its buffers; it was given "
                   "x float32[100], y float32[100], n int32"));
}

TEST(WrongAnswers, ArgumentsThatTheKernelDoesNotTakeAreRefusedBeforeARun) {
  const Sandbox sandbox;
  write_study(sandbox, constants(4, "int32"));
  std::string study = text_of(sandbox.path("scale.yaml"));
  study.replace(study.find("{name: n, type: int32"), 21, "{name: n, type: float");
  sandbox.write("scale.yaml", study);
  for (const std::string command : {"check", "run"}) {
    const auto done = run_to(2, sandbox, {command, "scale.yaml"});
    EXPECT_TRUE(says(done.err,
                     "scale.yaml:9:12: argument 'n' is float32, but parameter 3 of the "
                     "kernel 'scale' is 'int n' (scale.cu:5) (type: int32)"));
  }
}

TEST(WrongAnswers, AConstantThatIsLargerThanWhatItIsGivenIsWarnedOfOnce) {
  const Sandbox sandbox;
  write_study(sandbox, constants(3, "int32"));
  const auto done = run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  EXPECT_TRUE(says(done.err,
                   "warning: __constant__ 'mask' has room for more than the 12 bytes that it "
                   "is given: the rest keeps its initial value"));
  EXPECT_EQ(occurrences(done.err, "warning: __constant__"), 1U) << done.err;
}

TEST(WrongAnswers, AConstantThatNobodySetsAndAnAnswerThatIsAllZeroAreWarnedOf) {
  const Sandbox sandbox;
  write_study(sandbox, "");
  const std::string mask = "scale.cu:3: nothing sets __constant__ 'mask'";
  const std::string shift = "scale.cu:4: nothing sets __constant__ 'shift'";
  const auto checked = run_to(0, sandbox, {"check", "scale.yaml"});
  const auto done = run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  for (const std::string& text : {checked.err, done.err}) {
    EXPECT_EQ(occurrences(text, mask), 1U) << text;
    EXPECT_EQ(occurrences(text, shift), 1U) << text;
  }
  EXPECT_EQ(
      occurrences(done.err, "warning: the reference leaves y all zero: wrong answers may pass"), 1U)
      << done.err;
}

// ---- what only kernels on the host can do
// ---------------------------------------------------------

TEST(HostKernels, OneThatTakesAllMemoryIsARuntimeFailureAndTheOthersGoOn) {
  const Sandbox sandbox;
  // Of each piece nothing is written, so that the machine does not have to have it. There are as
  // many as a kernel may have at most, because sanitizers take no limit: there it ends, and is
  // found out.
  write_study(sandbox, constants(4, "int32"), R"cuda(
  void* volatile last = y;
  long pieces = TUNE_FAULT == 1 && i == 0 ? 64 + sysconf(_SC_NPROCESSORS_ONLN) : 0;
  while (pieces-- > 0 && last != nullptr) last = malloc(256u << 20);
)cuda");
  run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  for (const Row& row : ranking_of(sandbox, "scale")) {
    const bool greedy = row.at("FAULT") == "1";
    EXPECT_EQ(row.at("state"), greedy ? "runtime" : "ok") << row.at("message");
    if (!greedy) continue;
    EXPECT_TRUE(says(row.at("message"), "MiB of memory and did not give them back"));
  }
}

TEST(HostKernels, WhatOneLeavesRunningIsEnded) {
  const Sandbox sandbox;
  write_study(sandbox, constants(4, "int32"), R"cuda(
  static bool has_forked;
  if (i == 0 && !has_forked && (has_forked = true) && fork() == 0) {
    setsid();
    if (fork() == 0) sleep(1000);
    _exit(0);
  }
)cuda");
  run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu"});
  EXPECT_TRUE(program_processes(sandbox).empty());
}

}  // namespace
}  // namespace tuner::cli
