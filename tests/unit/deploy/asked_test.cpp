// Counts of the sizes that an application asks for: exported text compiled with the switch, run,
// and the files that it leaves.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fake_cuda.h"
#include "launchers.h"
#include "tuner/deploy/header.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kCounts = "#define TUNER_COUNT_ASKED\n";
constexpr const char* kH200 = R"(
const matmul_tuned::device h200 = matmul_tuned::devices[0];
)";

class Asked : public testing::Test {
 protected:
  // The program's main file, compiled without a warning and run in the folder.
  CommandOutput run(const std::string& program, const std::string& before = "") {
    folder_.write("main.cpp", program);
    const auto compiled = folder_.run(
        "g++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror main.cpp -o "
        "main -pthread");
    return compiled.status != 0 ? compiled : folder_.run(before + " ./main");
  }
  // The files in the folder, parsed.
  std::vector<json> files(const std::string& begin = "asked-") const {
    std::vector<json> all;
    const auto names = folder_.run("ls").text;
    for (std::size_t at = 0; at < names.size(); at = names.find('\n', at) + 1) {
      const std::string name = names.substr(at, names.find('\n', at) - at);
      EXPECT_EQ(name.find(".part"), std::string::npos);
      if (name.rfind(begin, 0) == 0 && name.find(".json") != std::string::npos) {
        all.push_back(json::parse(folder_.run("cat " + name).text));
      }
    }
    return all;
  }
  // "1024x1024 exact" -> how often, in all of the files.
  static std::map<std::string, int> sum(const std::vector<json>& files) {
    std::map<std::string, int> out;
    for (const json& file : files) {
      for (const json& one : file.at("sizes")) {
        std::string size;
        for (const json& extent : one.at("size")) {
          size += (size.empty() ? "" : "x") + extent.dump();
        }
        out[size + " " + one.at("how").get<std::string>()] += one.at("count").get<int>();
      }
    }
    return out;
  }

  HeaderFolder folder_{export_header(sample_study(), sample_results())};
};

TEST_F(Asked, AtTheEndOfTheProgramThereIsAFileWithEverySizeAndHowItWasAnswered) {
  const auto done = run(kCounts + std::string("#include \"tuned.h\"\n") + kH200 + R"(
int main() {
  for (int i = 0; i < 3; ++i) matmul_tuned::select(h200, {1024, 1024});
  for (int i = 0; i < 2; ++i) matmul_tuned::select(h200, {1000, 1024});
  matmul_tuned::select(matmul_tuned::device_of(75), {1024, 1024});
  matmul_tuned::select(h200, {0, 1024});
  constexpr auto constant = matmul_tuned::select(matmul_tuned::device_of(90), {1024, 1024});
  return constant.config_id - matmul_tuned::best<90, 1024, 1024>.config_id;
})");
  ASSERT_EQ(done.status, 0) << done.text;
  const auto all = files();
  ASSERT_EQ(all.size(), 1U);
  const json& file = all.front();
  EXPECT_EQ(file.at("asked"), 1);
  EXPECT_EQ(file.at("kernel"), "matmul");
  EXPECT_EQ(file.at("dimensions"), json({"M", "N"}));
  EXPECT_EQ(sum(all),
            (std::map<std::string, int>{
                {"1024x1024 exact", 3}, {"1000x1024 near_size", 2}, {"1024x1024 fallback", 1}}));
  for (const json& one : file.at("sizes")) {
    if (one.at("how") != "exact") continue;
    EXPECT_EQ(file.at("devices").at(one.at("device").get<std::size_t>()),
              json({{"name", "NVIDIA H200"}, {"compute_capability", 90}}));
    EXPECT_EQ(file.at("configurations").at(one.at("configuration").get<std::size_t>()),
              json({32, 4, "static", 0.5, false}));
  }
}

TEST_F(Asked, WithoutTheSwitchNothingIsWritten) {
  const auto done = run("#include \"tuned.h\"\n" + std::string(kH200) + R"(
int main() {
  matmul_tuned::select(h200, {1024, 1024});
  return matmul_tuned::write_asked() ? 1 : 0;
})");
  EXPECT_EQ(done.status, 0) << done.text;
  EXPECT_TRUE(files().empty());
}

TEST_F(Asked, ManyThreadsAndForkedProcessesLoseNothingAndCountNothingTwice) {
  const auto done = run(kCounts + std::string(R"(#include "tuned.h"
#include <sys/wait.h>
#include <thread>
#include <vector>
)") + kH200 + R"(
void ask() {
  std::vector<std::thread> all;
  for (int t = 0; t < 9; ++t) {
    all.emplace_back([t] {
      for (int i = 0; i < 1000; ++i) matmul_tuned::select(h200, {1024 + i % 100, 1024 + 4 * (t % 2)});
    });
  }
  for (std::thread& one : all) one.join();
}
int main() {
  ask();
  if (!matmul_tuned::write_asked()) return 1;
  for (int p = 0; p < 3; ++p) {
    if (fork() == 0) { ask(); return 0; }
  }
  while (wait(nullptr) > 0) continue;
  matmul_tuned::select(h200, {4096, 2048});
})");
  ASSERT_EQ(done.status, 0) << done.text;
  const auto all = files();
  EXPECT_EQ(all.size(), 4U);
  const auto found = sum(all);
  EXPECT_EQ(found.at("1024x1024 exact"), 4 * 50);
  EXPECT_EQ(found.at("1123x1028 near_size"), 4 * 40);
  EXPECT_EQ(found.at("4096x2048 exact"), 1);
  int total = 0;
  for (const auto& [what, count] : found) total += count;
  EXPECT_EQ(total, 4 * 9000 + 1);
}

TEST_F(Asked, TheEnvironmentSaysWhereTheFileIsAndWhetherThereIsOne) {
  const std::string program = kCounts + std::string("#include \"tuned.h\"\n") + kH200 + R"(
int main() { matmul_tuned::select(h200, {1024, 1024}); })";
  ASSERT_EQ(run(program, "TUNER_ASKED=").status, 0);
  EXPECT_TRUE(files().empty());
  ASSERT_EQ(run(program, "TUNER_ASKED=night").status, 0);
  EXPECT_EQ(files("night-matmul_tuned-").size(), 1U);
  const auto nowhere = run(program, "TUNER_ASKED=nowhere/");
  EXPECT_EQ(nowhere.status, 0);
  EXPECT_EQ(nowhere.text.rfind("matmul_tuned: cannot write 'nowhere/asked-matmul_tuned-", 0), 0U);
}

TEST_F(Asked, MoreSizesThanAnybodyTunesForAreOnlyCounted) {
  const auto done = run(kCounts + std::string("#include \"tuned.h\"\n") + kH200 + R"(
int main() {
  for (int i = 1; i <= 10007; ++i) matmul_tuned::select(h200, {i, 64});
})");
  ASSERT_EQ(done.status, 0) << done.text;
  const auto all = files();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front().at("sizes").size(), 10000U);
  EXPECT_EQ(all.front().at("left_out"), 7);
}

TEST_F(Asked, FilesWithAndWithoutTheSwitchMayBecomeOneProgram) {
  folder_.write("other.cpp", "#include \"tuned.h\"\n" + std::string(kH200) +
                                 "int other() { return matmul_tuned::select(h200, {7, 8}).tier; }");
  ASSERT_EQ(folder_.run("g++ -std=c++17 -O0 -c other.cpp").status, 0);
  folder_.write("main.cpp", kCounts + std::string("#include \"tuned.h\"\n") + R"(
int other();
int main() { return other() + matmul_tuned::select(matmul_tuned::devices[0], {5, 8}).tier; })");
  const auto built = folder_.run("g++ -std=c++17 -O0 main.cpp other.o -o main && ./main");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(sum(files()), (std::map<std::string, int>{{"5x8 near_size", 1}}));
}

Study one_argument() {
  Study study = sample_study();
  study.arguments = {buffer("A", {"M"})};
  return study;
}
constexpr const char* kSource =
    "extern \"C++\" __global__ void matmul(float* A) { A[0] = TUNE_BM; }\n";

TEST_F(Asked, ALauncherCountsEachCallThoughItHasSelectedOnlyOnce) {
  folder_.write("cuda_runtime.h", kFakeCudaRuntime);
  const auto text = output_with(launcher_of(one_argument(), kSource), folder_, R"(
#include <thread>
int main() {
  const auto call = [] {
    for (int i = 0; i < 500; ++i) matmul_launcher::matmul(nullptr, 1024, 1024);
    for (int i = 0; i < 5; ++i) matmul_launcher::matmul(nullptr, 1000, 80);
  };
  std::thread other(call);
  call();
  other.join();
  matmul_launcher::select(matmul_launcher::devices[0], {4096, 2048});
})");
  EXPECT_EQ(text, "");
  EXPECT_TRUE(files().empty());  // off
  const auto built = folder_.run(
      "g++ -std=c++17 -DTUNER_COUNT_ASKED -fsanitize=address,undefined -Wall -Wextra -I. main.cpp "
      "-o main -pthread -Wno-unknown-pragmas -Wno-unused-parameter && ./main");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(sum(files()),
            (std::map<std::string, int>{
                {"1024x1024 exact", 1000}, {"1000x80 near_size", 10}, {"4096x2048 exact", 1}}));
}

TEST_F(Asked, NvccAndClangCompileItToo) {
  folder_.write("main.cu", kCounts + std::string("#include \"tuned.h\"\n") + kH200 + R"(
__global__ void kernel(float* out) { out[0] = matmul_tuned::best<90, 1024, 1024>.cfg.BM; }
int main() {
  kernel<<<1, 1>>>(nullptr);
  return matmul_tuned::select(h200, {64, 64}).tier;
})");
  if (has_command("nvcc")) {
    const auto out = folder_.run(
        "nvcc -std=c++17 --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra,-Werror -Werror "
        "all-warnings -gencode arch=compute_90,code=sm_90 -c main.cu -o main.o");
    EXPECT_EQ(out.status, 0) << out.text;
  }
  folder_.write("main.cpp", kCounts + std::string("#include \"tuned.h\"\n") +
                                "int main() { return matmul_tuned::write_asked(); }");
  if (has_command("clang++")) {
    const auto out = folder_.run(
        "clang++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only "
        "main.cpp");
    EXPECT_EQ(out.status, 0) << out.text;
  }
}

}  // namespace
}  // namespace tuner
