// Exports of studies whose launches ask for more than their shape.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "compiled.h"
#include "launchers.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/selection.h"
#include "tuner/files/results_json.h"

namespace tuner {
namespace {

// Clusters of BM / 16 blocks; `finish` may begin early for large sizes.
Study study_with_attributes() {
  Study study = sample_study();
  study.arguments = {buffer("A", Role::kIn), buffer("C", Role::kOut)};
  study.launch.grid[0] = Expression::parse_or_throw("M");
  LaunchAttributesSpec& main = study.launch.attributes;
  main.cluster[0] = Expression::parse_or_throw("BM // 16");
  main.carveout = Expression::parse_or_throw("BM");
  main.scheduling = Expression::parse_or_throw("'spread' if BM > 16 else 'load_balancing'");
  NextLaunchSpec next;
  next.entry = "finish";
  next.launch.block[0] = Expression::parse_or_throw("32");
  next.launch.grid[0] = Expression::parse_or_throw("1");
  next.launch.attributes.programmatic = Expression::parse_or_throw("M > 2000");
  next.launch.attributes.cooperative = Expression::parse_or_throw("True");
  study.then = {next};
  return study;
}

TEST(LaunchAttributes, AHeaderTellsThem) {
  const HeaderFolder folder(export_header(study_with_attributes(), sample_results()));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
#include <initializer_list>
using namespace matmul_tuned;
int main() {
  const device v = device_of(90);
  for (const config& c : {configs[0], configs[1]}) {
    for (const dims& d : {dims{1000, 1024}, dims{4096, 1024}}) {
      const launch_attributes a = attributes_of(c, d, v);
      const launch_attributes b = next_launch_of(0, c, d, v).attributes;
      std::printf("%d %lld: %u %d %d %d %d, then %u %d %d %d %d\n", c.BM, d.M, a.cluster.x,
                  a.cooperative, a.carveout, a.scheduling, a.programmatic, b.cluster.x,
                  b.cooperative, b.carveout, b.scheduling, b.programmatic);
    }
  }
})");
  EXPECT_EQ(out.text,
            "32 1000: 2 0 32 1 0, then 1 1 -1 0 0\n32 4096: 2 0 32 1 0, then 1 1 -1 0 1\n"
            "16 1000: 1 0 16 2 0, then 1 1 -1 0 0\n16 4096: 1 0 16 2 0, then 1 1 -1 0 1\n");
}

// What the program measures as `constraints` no header selects: grids that are no multiple of the
// cluster, clusters and programmatic launches on older devices, values that make no sense.
TEST(LaunchAttributes, HeaderAndProgramAgreeOnWhatIsValid) {
  Study study = study_with_attributes();
  study.launch.attributes.carveout = Expression::parse_or_throw("BM if N < 5000 else 101");
  const HeaderFolder folder(export_header(study, sample_results()));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
#include <initializer_list>
using namespace matmul_tuned;
int main() {
  for (const int cc : {86, 90}) {
    for (const config& c : {configs[0], configs[1]}) {
      for (const dims& d : {dims{1000, 64}, dims{1001, 64}, dims{4096, 64}, dims{1000, 6000}}) {
        std::printf("%d", valid(c, d, device_of(cc)));
      }
    }
  }
})");
  std::string expected;
  for (const char* arch : {"sm_86", "sm_90"}) {
    for (const std::int64_t bm : {32, 16}) {
      for (const auto& [m, n] : {std::pair{1000, 64}, {1001, 64}, {4096, 64}, {1000, 6000}}) {
        Configuration configuration = sample_results()[0].trials[0].configuration;
        configuration[0] = bm;
        const bool may =
            may_launch(study, configuration, nominal_facts(arch), {{{"M", m}, {"N", n}}});
        expected += may ? "1" : "0";
      }
    }
  }
  EXPECT_EQ(out.text, expected);
  EXPECT_NE(expected.find('1'), std::string::npos);
  EXPECT_NE(expected.find('0'), std::string::npos);
}

TEST(LaunchAttributes, ALauncherWithThemCompilesWithoutAWarning) {
  if (!has_command("nvcc")) GTEST_SKIP() << "no nvcc";
  const auto files =
      launcher_of(study_with_attributes(),
                  "__global__ void matmul(const float* A, float* C) { C[0] = A[0] + TUNE_BM; }\n"
                  "__global__ void finish(const float* A, float* C) { C[1] = A[0] + TUNE_BM; }\n");
  EXPECT_NE(files.source.find("plan.shared, plan.attributes, list, stream"), std::string::npos);
  EXPECT_NE(files.source.find("next.attributes, next_list, stream"), std::string::npos);
  const HeaderFolder folder("");
  write_launcher(folder, files);
  const auto out = folder.run(
      "nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler "
      "-Wall,-Wextra,-Wconversion,-Werror -c matmul_launcher.cu -o launcher.o");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 3000);
}

TEST(LaunchLimits, AreToldByWhatIsExported) {
  Study study = sample_study();
  study.limits = {64 << 20, 16384, 0};
  const auto files = launcher_of(study, "__global__ void matmul(const float* A, float* C) {}\n");
  EXPECT_NE(files.header.find("//   cudaDeviceSetLimit(cudaLimitMallocHeapSize, 67108864);\n"
                              "//   cudaDeviceSetLimit(cudaLimitStackSize, 16384);\n//\n"),
            std::string::npos);
  const auto launch = nlohmann::json::parse(results_json(study, {})).at("launch");
  EXPECT_EQ(launch.at("limits"), nlohmann::json({{"heap", 67108864}, {"stack", 16384}}));
}

TEST(LaunchAttributes, JsonHasThoseThatTheStudyHas) {
  const auto document = nlohmann::json::parse(results_json(study_with_attributes(), {}));
  const auto& launch = document.at("launch");
  EXPECT_EQ(launch.at("cluster"), nlohmann::json({"BM // 16", nullptr, nullptr}));
  EXPECT_EQ(launch.at("carveout"), "BM");
  EXPECT_FALSE(launch.contains("cooperative"));
  EXPECT_EQ(launch.at("then")[0].at("programmatic"), "M > 2000");
  EXPECT_FALSE(
      nlohmann::json::parse(results_json(sample_study(), {})).at("launch").contains("cluster"));
}

}  // namespace
}  // namespace tuner
