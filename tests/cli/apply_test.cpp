#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: saxpy, source: saxpy.cu, entry: saxpy}
problem_sizes: [{N: 1000}, {N: 100000}]
parameters: {BLOCK: [64, 128, 256]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: inout, fill: {uniform: [1, 2]}}
  - {name: a, type: float32, value: 2.5}
  - {name: n, type: int32, value: N}
reference: {entry: saxpy, block: [64], grid: ["ceil_div(N, 64)"]}
)yaml";

constexpr const char* kSource = R"cu(
__global__ void saxpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * TUNE_BLOCK + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)cu";

constexpr const char* kDevice = R"json({"backend": "cuda", "name": "NVIDIA H200", "uuid": "",
"arch": "sm_90", "driver": "580", "compute_capability": 90, "multiprocessors": 132})json";

std::string ranking(int n, int best, int other) {
  std::ostringstream out;
  out << "rank,state,BLOCK,N,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,search_ms,final_ms,"
         "final_ci_low_ms,final_ci_high_ms,tie,registers,static_shared_bytes,dynamic_shared_bytes,"
         "spill_bytes,occupancy,compile_ms,cache_hit,max_error,message,verified\n";
  const auto row = [&](int rank, int block, int ms) {
    out << rank << ",ok," << block << "," << n << "," << ms << "," << ms << "," << ms << "," << ms
        << ",50,search," << ms << ",,,,false,,0,0,,,9,false,0,,true\n";
  };
  row(1, best, 1);
  row(2, other, 2);
  return out.str();
}

constexpr const char* kKernel = "_Z5saxpyPKfPffi";

// An application beside a driver that writes down what it launches. BLOCK=256 is tuned for N=1000,
// BLOCK=128 for N=100000.
class Apply : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kApplication)) GTEST_SKIP() << "no cuda plugin in this build";
    sandbox_.write("saxpy.yaml", kStudy);
    sandbox_.write("saxpy.cu", kSource);
    const auto compiled =
        run(sandbox_, {"check", "saxpy.yaml", "--compile", "--arch", "sm_90", "--limit", "1"});
    if (compiled.status != 0) GTEST_SKIP() << "nothing here compiles CUDA: " << compiled.err;
    fs::create_directories(sandbox_.path("tuned/saxpy/nvidia-h200"));
    sandbox_.write("tuned/saxpy/nvidia-h200/device.json", kDevice);
    sandbox_.write("tuned/saxpy/nvidia-h200/N1000.csv", ranking(1000, 256, 64));
    sandbox_.write("tuned/saxpy/nvidia-h200/N100000.csv", ranking(100000, 128, 64));
    ::setenv("FAKE_DRIVER_LOG", sandbox_.path("log").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"FAKE_DRIVER_LOG", "FAKE_DRIVER_REFUSES_IMAGES",
                             "FAKE_DRIVER_REFUSES_TUNED", "LD_PRELOAD"}) {
      ::unsetenv(name);
    }
  }

  std::vector<std::string> words(const std::vector<std::string>& options,
                                 const std::vector<std::string>& application) const {
    std::vector<std::string> out{"apply", "saxpy.yaml", "--from", "tuned"};
    out.insert(out.end(), options.begin(), options.end());
    for (const std::string& one :
         {std::string("--"), std::string("env"),
          "LD_LIBRARY_PATH=" + std::string(TUNER_FAKE_DRIVER), std::string(kApplication)}) {
      out.push_back(one);
    }
    out.insert(out.end(), application.begin(), application.end());
    return out;
  }
  // Launches of one run with the tuned kernel, as the driver has seen them.
  std::vector<std::string> launched(const std::string& how, const std::string& n = "1000",
                                    int status = 0) const {
    fs::remove(sandbox_.path("log"));
    run_to(status, sandbox_, words({"--once"}, {how, kKernel, n, "2"}));
    return log();
  }
  std::vector<std::string> log() const {
    std::vector<std::string> out;
    std::istringstream lines(text_of(sandbox_.path("log")));
    for (std::string line; std::getline(lines, line);) out.push_back(line);
    std::ranges::sort(out);
    return out;
  }

  static constexpr const char* kApplication = TUNER_FAKE_DRIVER "/../launching_application";
  Sandbox sandbox_;
};

using Lines = std::vector<std::string>;

TEST_F(Apply, ReplacesEachKindOfLaunchWithItsOwnArguments) {
  const Lines tuned{"tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 null 0.5 1000",
                    "tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 null 1.5 1000"};
  for (const char* how : {"gpa", "dlsym", "packed", "ex", "programmatic", "capture"}) {
    EXPECT_EQ(launched(how), tuned) << how;
  }
  EXPECT_EQ(launched("thread"), (Lines{"tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 thread 0.5 1000",
                                       "tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 thread 1.5 1000"}));
  EXPECT_EQ(launched("threads").size(), 16U);
}

TEST_F(Apply, ChoosesByTheSizeOfTheLaunch) {
  EXPECT_EQ(launched("gpa", "100000").front(),
            "tuned:_Z5saxpyPKfPffi 782 1 1 128 1 1 0 null 0.5 100000");
  EXPECT_EQ(launched("gpa", "1025").front(), "tuned:_Z5saxpyPKfPffi 5 1 1 256 1 1 0 null 0.5 1025");
}

TEST_F(Apply, GivesTheVariantItsOwnScalarsAndSharedMemory) {
  std::string study = kStudy;
  study.replace(study.find("value: 2.5"), 10, "value: BLOCK");
  study.replace(study.find("block: [BLOCK]"), 14,
                "block: [BLOCK], dynamic_shared_bytes: 4 * BLOCK");
  study.replace(study.find("reference:"), std::string::npos, "");  // it could not take 'a'
  sandbox_.write("saxpy.yaml", study);
  for (const char* how : {"gpa", "packed"}) {
    EXPECT_EQ(launched(how).back(), "tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 1024 null 256 1000")
        << how;
  }
}

TEST_F(Apply, LeavesWhatItDoesNotKnowHowToReplace) {
  const Lines own{"_Z5saxpyPKfPffi 32 1 1 32 1 1 0 null 0.5 1000",
                  "_Z5saxpyPKfPffi 32 1 1 32 1 1 0 null 1.5 1000"};
  EXPECT_EQ(launched("cooperative", "1000", 1), own);
  EXPECT_EQ(launched("attribute", "1000", 1), own);
  EXPECT_EQ(launched("node", "1000", 1), own);
  ::setenv("FAKE_DRIVER_REFUSES_TUNED", "1", 1);
  EXPECT_EQ(launched("gpa", "1000", 1), own);
  ::setenv("FAKE_DRIVER_REFUSES_IMAGES", "1", 1);
  EXPECT_EQ(launched("gpa", "1000", 1), own);
}

TEST_F(Apply, TakesAHandleForAnotherKernelOnceItsModuleIsUnloaded) {
  const Lines lines = launched("unload");
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "_Z5otherPKfPffi 32 1 1 32 1 1 0 null 0.5 1000");
  EXPECT_EQ(lines[2], "tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 null 0.5 1000");
}

TEST_F(Apply, RunsThePairsInTurnAndShowsTheFirstOutputAlone) {
  const Finished done =
      run_to(0, sandbox_, words({"--pairs", "2"}, {"gpa", kKernel, "1000", "50"}));
  EXPECT_EQ(occurrences(done.out, "launched 50 of 1000"), 1U);
  EXPECT_TRUE(says(done.out, "BLOCK=256"));
  EXPECT_TRUE(says(done.out, "program, s"));
  const Lines lines = log();
  EXPECT_EQ(lines.size(), 200U);
  EXPECT_EQ(std::ranges::count_if(lines, [](const auto& one) { return one.starts_with("tuned"); }),
            100);
}

TEST_F(Apply, TellsPrograms) {
  const Finished done =
      run_to(0, sandbox_, words({"--json", "--pairs", "1"}, {"gpa", kKernel, "1000", "200"}));
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_TRUE(says(done.err, "launched 200 of 1000"));
  EXPECT_EQ(json.at("pairs"), 1);
  EXPECT_EQ(json.at("status"), 0);
  const auto& launches = json.at("launches").at(0);
  EXPECT_EQ(launches.at("launches"), 200);
  EXPECT_EQ(launches.at("replaced"), 200);
  EXPECT_EQ(launches.at("configuration").at("BLOCK"), 256);
  EXPECT_EQ(launches.at("size").at("N"), 1000);
  EXPECT_EQ(launches.at("chosen"), "exact");
  // The driver's events tell 0.25 ms of each launch.
  EXPECT_DOUBLE_EQ(json.at("kernel_ms").at("with").at("median"), 50);
}

TEST_F(Apply, SaysWhyNothingIsReplaced) {
  const auto error = [&](const std::vector<std::string>& words, int status = 1) {
    const Finished done = run_to(status, sandbox_, words);
    return done.out + done.err;
  };
  EXPECT_TRUE(says(error(words({}, {"gpa", "_Z5saxpyPKdPdfi", "1000", "2"})),
                   "its parameter 1 points to float64, and 'x' of the study is float32"));
  EXPECT_TRUE(says(error(words({}, {"gpa", "_Z5otherPKfPffi", "1000", "2"})),
                   "launched were: other(float const*, float*, float, int) (2)"));
  EXPECT_TRUE(says(error(words({}, {"cooperative", kKernel, "1000", "2"})),
                   "2 left as they were (saxpy(float const*, float*, float, int)): it is a "
                   "cooperative launch"));
  EXPECT_TRUE(says(error({"apply", "saxpy.yaml", "--from", "tuned", "--", "true"}),
                   "'true' has not used CUDA"));
}

TEST_F(Apply, ReplacesAKernelOfAnotherNameThatIsNamed) {
  run_to(0, sandbox_,
         words({"--once", "--kernel", "other("}, {"gpa", "_Z5otherPKfPffi", "1000", "2"}));
  EXPECT_EQ(log().front(), "tuned:_Z5saxpyPKfPffi 4 1 1 256 1 1 0 null 0.5 1000");
}

TEST_F(Apply, EndsWithTheProgramsOwnStatus) {
  const Finished done = run_to(5, sandbox_, words({}, {"failing", kKernel, "1000", "2"}));
  EXPECT_TRUE(says(done.err, "ended with status 5"));
  EXPECT_EQ(log().size(), 2U);  // it does not run again
}

TEST_F(Apply, LaunchesAsItWasWhenTheTunerIsGone) {
  const std::string application = "LD_LIBRARY_PATH=" TUNER_FAKE_DRIVER " " +
                                  std::string(kApplication) + " gpa " + kKernel + " 1000 2";
  run_to(128 + SIGKILL, sandbox_,
         {"apply", "saxpy.yaml", "--from", "tuned", "--once", "--", "sh", "-c",
          "kill -9 $PPID; " + application});
  EXPECT_TRUE(eventually([&] { return log().size() == 2; }));
  EXPECT_EQ(log().front(), "_Z5saxpyPKfPffi 32 1 1 32 1 1 0 null 0.5 1000");
}

TEST_F(Apply, EndsWithWhatItHasWhenItIsInterrupted) {
  // The second run waits for the signal, which a terminal would send to both.
  const std::string application = "LD_LIBRARY_PATH=" TUNER_FAKE_DRIVER " " +
                                  std::string(kApplication) + " gpa " + kKernel + " 1000 2";
  const Finished done = run_to(130, sandbox_,
                               {"apply", "saxpy.yaml", "--from", "tuned", "--", "sh", "-c",
                                application + "; test -e second && kill -INT $PPID; touch second"});
  EXPECT_TRUE(says(done.err, "interrupted after 0 pairs"));
  EXPECT_EQ(log().size(), 4U);
}

TEST_F(Apply, KeepsWhatIsPreloadedInFront) {
  ::setenv("LD_PRELOAD", "libm.so.6", 1);
  const Finished done =
      run_to(1, sandbox_,
             {"apply", "saxpy.yaml", "--from", "tuned", "--", "sh", "-c", "echo \"=$LD_PRELOAD\""});
  EXPECT_TRUE(says(done.out, "=libm.so.6:/"));
  EXPECT_TRUE(says(done.out, "tuner-apply.so"));
}

TEST_F(Apply, SaysWhatIsWrongWithTheCall) {
  const auto error = [&](const std::vector<std::string>& words) {
    return run_to(2, sandbox_, words).err;
  };
  EXPECT_TRUE(says(error({"apply", "saxpy.yaml", "--from", "tuned"}), "which program?"));
  EXPECT_TRUE(
      says(error({"apply", "saxpy.yaml", "--", "true"}), "there are no results in 'results'"));
  EXPECT_TRUE(says(error({"apply", "saxpy.yaml", "--from", "tuned", "--", "./nowhere"}),
                   "./nowhere: cannot be started"));
  EXPECT_TRUE(says(error({"apply", "saxpy.yaml", "--pairs", "0", "--", "true"}), "--pairs"));
}

TEST_F(Apply, IsAboutResultsOfCuda) {
  std::string device = kDevice;
  device.replace(device.find("cuda"), 4, "cpu");
  sandbox_.write("tuned/saxpy/nvidia-h200/device.json", device);
  const Finished done =
      run_to(1, sandbox_, {"apply", "saxpy.yaml", "--from", "tuned", "--", "true"});
  EXPECT_TRUE(says(done.err, "the results of 'saxpy' are of the backend cpu"));
}

}  // namespace
}  // namespace tuner::cli
