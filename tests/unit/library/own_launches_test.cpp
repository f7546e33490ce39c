// Tuning of what an application launches itself, by a clock that only its launches move.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/library/state.h"
#include "tuner/study/yaml_reader.h"

namespace libtuner {
namespace {

constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: own, source: own.cu, entry: own}
launch: {block: [1], grid: [1]}
arguments: [{name: x, type: float32, shape: [n], role: inout}]
problem_sizes: [{n: 8}]
parameters: {TILE: [1, 2, 4, 8, 16, 32]}
constraints: [TILE <= 16]
search: {strategy: exhaustive}
measure: {min_samples: 7, max_samples: 7}
)yaml";

class OwnLaunchesTest : public ::testing::Test {
 protected:
  OwnLaunchesTest() {
    settings_.installation.prefix = TUNER_BINARY_DIR;
    settings_.launch = [this](const std::string& size, const Configuration& configuration) {
      return launch(size, std::get<std::int64_t>(configuration.at(0).second));
    };
  }

  // Tile 4 is the fastest; 16 gives wrong answers.
  std::optional<double> launch(const std::string& size, std::int64_t tile) {
    last_size_ = size;
    ++launches_;
    const double ms = tile == 4 ? 2 : 3 + static_cast<double>(tile) / 16;
    now_ms_ += ms;
    if (tile == 16) throw std::runtime_error("wrong answer");
    return tells_times_ ? std::optional(ms / 1000) : std::nullopt;
  }

  std::unique_ptr<TuningWork> tuning() {
    written("own.cu", "");  // a study names a kernel; nobody looks at this one
    return tune_launches(tuner::read_study_file(written("own.yaml", kStudy)).study, settings_,
                         [this] { return now_ms_; });
  }
  std::filesystem::path written(const char* name, const char* text) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << text;
    return file;
  }
  static tuner::ProblemSize size(std::int64_t n) { return {{{"n", n}}}; }

  tuner::ScratchFolder folder_;
  TuningSettings settings_;
  double now_ms_ = 0;
  int launches_ = 0;
  std::string last_size_;
  bool tells_times_ = false;
};

TEST_F(OwnLaunchesTest, AStepTakesItsTimeAndOneLaunchMoreAtMost) {
  const auto work = tuning();
  work->add(size(8), {});
  constexpr double kLongestLaunch = 4;
  for (int i = 0; i < 20; ++i) {
    const double begin = now_ms_;
    work->step(10);
    EXPECT_LE(now_ms_ - begin, 10 + kLongestLaunch);
  }
}

TEST_F(OwnLaunchesTest, TheFastestThatIsRightIsServedAndTheRestIsNot) {
  const auto work = tuning();
  work->add(size(8), {});
  EXPECT_FALSE(work->best("n8"));
  while (!work->step(10).done) continue;
  const auto best = work->best("n8");
  ASSERT_TRUE(best);
  EXPECT_EQ(best->configuration, (Configuration{{"TILE", std::int64_t{4}}}));
  EXPECT_DOUBLE_EQ(best->time_ms, 2);
  EXPECT_TRUE(best->tuned);
  EXPECT_EQ(last_size_, "n=8");
  EXPECT_EQ(work->step(10).trials, 5U);
}

TEST_F(OwnLaunchesTest, ATimeThatTheApplicationTellsCounts) {
  tells_times_ = true;
  const auto work = tuning();
  work->add(size(8), {});
  while (!work->step(10).done) continue;
  EXPECT_DOUBLE_EQ(work->best("n8")->time_ms, 0.002);
}

TEST_F(OwnLaunchesTest, NoMoreAreLaunchedThanTheSettingsAllow) {
  settings_.evaluations = 2;
  const auto work = tuning();
  work->add(size(8), {});
  work->add(size(9), {});
  while (!work->step(10).done) continue;
  EXPECT_EQ(work->step(10).trials, 4U);
  EXPECT_EQ(launches_, 4 * (1 + 7));  // one warms up
}

TEST_F(OwnLaunchesTest, TheLibraryDoesNotLaunchForSuchAnApplication) {
  const auto work = tuning();
  work->add(size(8), {});
  EXPECT_THROW(work->launch("n8", {}), Error);
}

}  // namespace
}  // namespace libtuner
