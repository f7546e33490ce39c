// Tuning in an application's process on the backend `cpu`: its buffers, its threads, its end.

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/says.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/library/state.h"
#include "tuner/library/tuner.h"
#include "tuner/study/yaml_reader.h"

namespace libtuner {
namespace {

// y = 2 x, and z counts on. TILE 8 writes into its input, TILE 4 gives wrong answers.
constexpr const char* kKernel = R"(
extern "C" __global__ void twice(float* x, float* y, int* z, int n) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i >= n) return;
  y[i] = TUNE_TILE == 4 ? x[i] : 2 * x[i];
  z[i] += 1;
#if TUNE_TILE == 8
  x[i] = 0;
#endif
}
extern "C" __global__ void reference(const float* x, float* y, int* z, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = 2 * x[i];
    z[i] += 1;
  }
}
)";
constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{n: 100}]
parameters: {TILE: [2, 4, 8, 16]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {constant: 1}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: z, type: int32, shape: [n], role: inout}
  - {name: n, type: int32, value: n}
reference: {entry: reference, block: [1], grid: [1]}
backend: {name: cpu, options: {threads: 1}}
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 2}
)yaml";

class TuningTest : public ::testing::Test {
 protected:
  TuningTest() {
    write("twice.cu", kKernel);
    study_ = write("twice.yaml", kStudy).string();
    settings_.installation.prefix = TUNER_BINARY_DIR;
    settings_.results = (folder_.path() / "results").string();
  }

  std::filesystem::path write(const char* name, const char* text) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << text;
    return file;
  }
  static void finish(Tuning& tuning) {
    while (!tuning.step(20).done) std::this_thread::yield();
  }
  Buffers buffers() {
    return {{"x", x_.data(), x_.size() * sizeof(float)},
            {"y", y_.data(), y_.size() * sizeof(float)},
            {"z", z_.data(), z_.size() * sizeof(int)}};
  }
  Tuning tuning() const { return Tuning(Study::load(study_), settings_); }

  tuner::ScratchFolder folder_;
  std::string study_;
  TuningSettings settings_;
  std::vector<float> x_ = std::vector<float>(100, 3);
  std::vector<float> y_ = std::vector<float>(100, -1);
  std::vector<int> z_ = std::vector<int>(100, 7);
};

TEST_F(TuningTest, TheApplicationsMemoryIsReadAndNotWrittenUntilItLaunches) {
  Tuning tuning = this->tuning();
  tuning.add("n=100", buffers());
  finish(tuning);
  EXPECT_EQ(x_, std::vector<float>(100, 3));
  EXPECT_EQ(y_, std::vector<float>(100, -1));
  EXPECT_EQ(z_, std::vector<int>(100, 7));
  ASSERT_TRUE(tuning.launch("n=100", buffers()));
  EXPECT_EQ(x_, std::vector<float>(100, 3));
  EXPECT_EQ(y_, std::vector<float>(100, 6));
  EXPECT_EQ(z_, std::vector<int>(100, 8));
}

TEST_F(TuningTest, WhatIsWrongOrWritesIntoItsInputIsNotServed) {
  Tuning tuning = this->tuning();
  tuning.add("n=100", buffers());
  finish(tuning);
  const auto best = tuning.best("n=100");
  ASSERT_TRUE(best);
  EXPECT_TRUE(best->tuned);
  const auto tile = std::get<std::int64_t>(best->configuration.at(0).second);
  EXPECT_TRUE(tile == 2 || tile == 16) << tile;
  EXPECT_GE(tuning.step(1).trials, 4U);
}

TEST_F(TuningTest, BuffersThatAStructPointsToAreTheApplications) {
  write("steps.cu", R"(
struct Row { int n; float* from; float* to; };
extern "C" __global__ void step(Row row) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i < row.n) row.to[i] = 2 * row.from[i];
}
)");
  const std::filesystem::path study = write("steps.yaml", R"yaml(schema: 1
kernel: {name: steps, source: steps.cu, entry: step}
problem_sizes: [{n: 100}]
parameters: {TILE: [4, 16]}
types: {Row: [{n: int}, {from: pointer}, {to: pointer}]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"], repeat: 3, swap: [[x, y]]}
arguments: [{name: row, type: Row, value: {n: n, from: x, to: y}}]
buffers:
  - {name: x, type: float32, shape: [n], role: inout, fill: {constant: 1}}
  - {name: y, type: float32, shape: [n], role: inout, fill: zeros}
backend: {name: cpu, options: {threads: 1}}
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 2}
)yaml");
  Tuning tuning(Study::load(study.string()), settings_);
  const Buffers two{buffers()[0], buffers()[1]};
  tuning.add("n=100", two);
  finish(tuning);
  EXPECT_EQ(x_, std::vector<float>(100, 3));
  ASSERT_TRUE(tuning.launch("n=100", two));
  EXPECT_EQ(x_, std::vector<float>(100, 12)) << "after x to y, y to x, x to y";
  EXPECT_EQ(y_, std::vector<float>(100, 24));
}

TEST_F(TuningTest, ConstantsAreWhatTheyWereWhenItWasMeasured) {
  write("scale.cu", R"(
__constant__ float factors[2];
__constant__ int shift;
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * TUNE_TILE + threadIdx.x;
  if (i < n) y[i] = factors[1] * x[i] + shift;
}
)");
  const std::filesystem::path study = write("scale.yaml", R"yaml(schema: 1
kernel: {name: scale, source: scale.cu, entry: scale}
problem_sizes: [{n: 100}]
parameters: {TILE: [4, 16]}
launch: {block: [TILE], grid: ["ceil_div(n, TILE)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {constant: 1}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
constants:
  - {name: factors, type: float32, shape: [2], fill: {constant: 5}}
  - {name: shift, type: int32, value: TILE - TILE + 2}
backend: {name: cpu, options: {threads: 1}}
search: {strategy: exhaustive}
measure: {min_samples: 3, max_samples: 3, finalists: 2}
)yaml");
  Tuning tuning(Study::load(study.string()), settings_);
  const Buffers two{buffers()[0], buffers()[1]};
  tuning.add("n=100", two);
  finish(tuning);
  ASSERT_TRUE(tuning.launch("n=100", two));
  EXPECT_EQ(y_, std::vector<float>(100, 17)) << "5 times 3, and 2";
}

TEST_F(TuningTest, TwoTuningsInOneProcessDoNotMeet) {
  TuningSettings other = settings_;
  other.results = (folder_.path() / "other").string();
  other.evaluations = 1;
  Tuning one = tuning();
  Tuning two(Study::load(study_), other);
  one.add("n=100");
  two.add("n=50");
  bool done = false;
  while (!done) {
    const bool one_done = one.step(5).done;
    done = two.step(5).done && one_done;
  }
  EXPECT_TRUE(one.best("n=100"));
  EXPECT_FALSE(one.best("n=50"));
  EXPECT_EQ(two.step(1).trials, 1U);
}

TEST_F(TuningTest, TheBestIsServedToOtherThreadsMeanwhile) {
  Tuning tuning = this->tuning();
  tuning.add("n=100");
  std::atomic<bool> over = false;
  std::atomic<bool> seen = false;
  std::thread other([&] {
    while (!over) seen = tuning.best("n=100").has_value() || seen;
    seen = tuning.best("n=100").has_value() || seen;
  });
  finish(tuning);
  over = true;
  other.join();
  EXPECT_TRUE(seen);
}

TEST_F(TuningTest, NothingIsPrintedAndNoSignalIsHandled) {
  const auto handlers = [] {
    std::vector<void*> out;
    for (int number = 1; number < SIGRTMIN; ++number) {
      struct sigaction now {};
      if (::sigaction(number, nullptr, &now) != 0) continue;
      out.push_back(reinterpret_cast<void*>(now.sa_handler));
    }
    return out;
  };
  const auto before = handlers();
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Tuning tuning = this->tuning();
  tuning.add("n=100");
  tuning.add("n=10");
  finish(tuning);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(handlers(), before);
}

// How often the text says so.
std::uint64_t count(const std::string& text, const std::string& what) {
  std::uint64_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_F(TuningTest, WhatWasMeasuredBeforeTheEndIsKeptAndGoneOnWith) {
  std::uint64_t before = 0;
  {
    Tuning cut_short = tuning();
    cut_short.add("n=100");
    while (before < 2) before = cut_short.step(5).trials;
  }
  const Study study = Study::load(study_);
  EXPECT_GE(count(exported(study, settings_.results, "json"), "\"state\""), before);
  Tuning again = tuning();
  again.add("n=100");
  finish(again);
  EXPECT_EQ(count(exported(study, settings_.results, "json"), "\"state\""), 4U);
  EXPECT_TRUE(again.launch("n=100", buffers()));
  EXPECT_EQ(y_, std::vector<float>(100, 6));
}

TEST_F(TuningTest, NothingHappensOnTheDeviceButInSteps) {
  Tuning tuning = this->tuning();
  tuning.add("n=100");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tuning.step(0).trials, 0U);
    EXPECT_FALSE(tuning.launch("n=100", buffers()));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Each reading of the clock says that the time of a step is up.
TEST_F(TuningTest, AStepWhoseTimeIsUpDoesOneOperationAndNoMore) {
  double now_ms = 0;
  const auto study = tuner::read_study_file(study_).study;
  const auto work = tune_study(study, settings_, [&now_ms] { return now_ms += 10; });
  work->add({{{"n", 100}}}, {});
  int operations = 0;
  for (Progress progress; !progress.done; progress = work->step(15)) {
    if (!progress.waiting) ++operations;
    std::this_thread::yield();
  }
  // Of each of four: loading, a launch, a warm-up, three probes; and all that surrounds them.
  EXPECT_GT(operations, 4 * 6);
  EXPECT_TRUE(work->best("n100"));
}

// The words of whatever is thrown.
template <typename Body>
std::string words_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(TuningTest, WrongBuffersAreNamed) {
  Tuning tuning = this->tuning();
  EXPECT_EQ(words_of([&] {
              tuning.add("n=100", {{"w", x_.data(), 400}});
            }),
            "the study has no argument 'w' that is a buffer");
  EXPECT_EQ(words_of([&] {
              tuning.add("n=100", {{"x", x_.data(), 396}});
            }),
            "argument 'x' has 396 bytes; n=100 needs 400");
  tuning.add("n=100", buffers());
  finish(tuning);
  EXPECT_EQ(words_of([&] {
              tuning.launch("n=100", {{"x", x_.data(), 400}});
            }),
            "there is no device memory for argument 'y'");
  Buffers small = buffers();
  small[1].bytes = 8;
  EXPECT_EQ(words_of([&] { tuning.launch("n=100", small); }),
            "argument 'y' has 8 bytes; it needs 400");
}

TEST_F(TuningTest, AKernelThatDoesNotCompileIsToldByStep) {
  write("twice.cu", "extern \"C\" __global__ void reference(float* x) { nonsense }");
  Tuning tuning = this->tuning();
  tuning.add("n=100");
  const std::string words = words_of([&] { finish(tuning); });
  EXPECT_EQ(words.substr(0, 5), "n100:") << words;
  EXPECT_TRUE(tuner::says(words, "nonsense"));
  EXPECT_TRUE(tuning.step(1).done);
}

TEST_F(TuningTest, AnUnknownBackendIsNamed) {
  settings_.backend = "abacus";
  const std::string words = words_of([&] { tuning(); });
  EXPECT_TRUE(words.starts_with("there is no backend 'abacus'; there are: ")) << words;
}

}  // namespace
}  // namespace libtuner
