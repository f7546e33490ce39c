// Sizes that an application asks for, from end to end on the cpu backend: exported, run, tuned,
// shown.

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// At n = 1000 the fast one is WORK = 1, elsewhere it is WORK = 1000, each by a factor of a
// thousand.
constexpr const char* kSource = R"cuda(
#define STEPS ((TUNE_WORK == 1) == (n == 1000) ? 20 : 20000)
extern "C" __global__ void waste(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float spun = 0;
  for (int k = 0; k < STEPS; ++k) spun = spun + 1;
  if (i < n) y[i] = x[i] + x[i];
}
)cuda";

constexpr const char* kStudy = R"yaml(schema: 1
kernel: {name: waste, source: waste.cu, entry: waste}
problem_sizes: [{n: 1000}]
parameters: {WORK: [1000, 1]}
launch: {block: [100], grid: ["ceil_div(n, 100)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: waste, configuration: {WORK: 1}, block: [100], grid: ["ceil_div(n, 100)"]}
search: {strategy: exhaustive}
measure: {drop_above: 0}
)yaml";

class AskedSizes : public testing::Test {
 protected:
  AskedSizes() {
    sandbox_.write("waste.cu", kSource);
    sandbox_.write("waste.yaml", kStudy);
    // Asks twice for n = 1000, thrice for 200, once for 400 and 999.
    sandbox_.write("main.cpp", R"(#include "waste.h"
int main() {
  for (const long long n : {1000, 1000, 200, 200, 200, 400, 999}) {
    waste_tuned::select(waste_tuned::devices[0], {n});
  }
})");
  }
  Finished call(const std::vector<std::string>& words, int status = 0) const {
    return run_to(status, sandbox_, words);
  }
  void export_header() const { call({"export", "waste.yaml", "-o", "waste.h"}); }
  // Builds and runs the application; returns its file.
  std::string asked_file(const std::string& begin) const {
    const std::string command =
        "cd " + sandbox_.path().string() +
        " && g++ -std=c++17 -DTUNER_COUNT_ASKED main.cpp -o main && TUNER_ASKED=" + begin +
        " ./main";
    EXPECT_EQ(std::system(command.c_str()), 0);
    for (const auto& file : fs::directory_iterator(sandbox_.path())) {
      const std::string name = file.path().filename().string();
      if (name.rfind(begin + "-waste_tuned-", 0) == 0) return name;
    }
    return "";
  }
  json shown(const std::string& file) const {
    return json::parse(call({"results", "waste.yaml", "--asked", file, "--json"}).out);
  }
  void tune(const std::vector<std::string>& files, const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "waste.yaml", "--backend", "cpu", "--asked"};
    words.insert(words.end(), files.begin(), files.end());
    words.insert(words.end(), more.begin(), more.end());
    told_ = call(words).err;
  }

  Sandbox sandbox_;
  std::string told_;
};

TEST_F(AskedSizes, AreTunedAndThenNothingIsLostAnyMore) {
  call({"run", "waste.yaml", "--backend", "cpu", "--progress", "none"});
  export_header();
  const std::string before = asked_file("before");
  ASSERT_NE(before, "");
  const json unknown = shown(before);
  ASSERT_EQ(unknown.at("devices").size(), 1U);
  EXPECT_EQ(unknown["devices"][0]["count"], 7);
  EXPECT_EQ(unknown["devices"][0]["unknown"], 5);
  tune({before}, {"--progress", "plain"});
  // 3 * 200 costs more than 1 * 999 unless a launch is nearly free; 400 is the cheapest.
  const auto last = told_.find("asked: n400, 1 times");
  EXPECT_LT(told_.find("asked: n200, 3 times"), last) << told_;
  EXPECT_LT(told_.find("asked: n999, 1 times"), last) << told_;
  EXPECT_EQ(told_.find("asked: n1000"), std::string::npos) << told_;

  const json lost = shown(before);
  EXPECT_EQ(lost["devices"][0]["unknown"], 0);
  EXPECT_GT(lost["devices"][0]["lost_ms"], lost["devices"][0]["total_ms"].get<double>() / 2);
  for (const json& one : lost["devices"][0]["sizes"]) {
    const bool exact = one["size"]["n"] == 1000;
    EXPECT_EQ(one["missed"], !exact);
    EXPECT_EQ(one["answers"][0]["how"], exact ? "exact" : "near_size");
    if (!exact) {
      EXPECT_GT(one["answers"][0]["loss"], 2);
    }
  }
  const auto table = call({"results", "waste.yaml", "--top", "3", "--asked", before}).out;
  EXPECT_TRUE(says(table, ": 4 sizes, 7 calls\n")) << table;
  EXPECT_TRUE(says(table, "  and 1 more (--top shows more)\n")) << table;

  export_header();
  const std::string after = asked_file("after");
  EXPECT_LT(shown(after)["devices"][0]["lost_ms"],
            lost["devices"][0]["lost_ms"].get<double>() / 10);
  tune({after}, {});
  EXPECT_TRUE(says(told_, "every size that was asked for is tuned: there is nothing to do"));
}

TEST_F(AskedSizes, TheCostliestComesFirstWhereTheBudgetIsShort) {
  call({"run", "waste.yaml", "--backend", "cpu", "--progress", "none"});
  export_header();
  tune({asked_file("some")}, {"--budget", "2", "--progress", "plain"});
  EXPECT_TRUE(says(told_, "asked: the budget is spent; not tuned: 2 sizes, the costliest is n"))
      << told_;
  EXPECT_EQ(told_.find("asked: n400, "), std::string::npos) << told_;
}

// A file as a program leaves it, of a device that is not here.
std::string file_of(const std::string& sizes, const std::string& kernel = "waste") {
  return R"({"asked": 1, "kernel": ")" + kernel +
         R"(", "source_hash": "0", "parameters": ["WORK"], "dimensions": ["n"],
"configurations": [[1]],
"devices": [{"name": "NVIDIA H200", "compute_capability": 90}],
"sizes": [)" +
         sizes + R"(], "left_out": 0})";
}

TEST_F(AskedSizes, OfSeveralFilesAreOneAndOfAnotherDeviceAreNotTunedHere) {
  const std::string row =
      R"({"device": 0, "size": [50], "how": "near_size", "configuration": 0, "count": 4})";
  sandbox_.write("a.json", file_of(row));
  sandbox_.write("b.json", file_of(row));
  const auto table = call({"results", "waste.yaml", "--asked", "a.json", "b.json"}).out;
  EXPECT_TRUE(says(table, "waste on NVIDIA H200: 1 size, 8 calls\n")) << table;
  EXPECT_TRUE(says(table, "not tuned\n")) << table;
  tune({"a.json", "b.json"}, {"--progress", "plain"});
  EXPECT_TRUE(says(told_, "asked: no size was missed on ")) << told_;
}

TEST_F(AskedSizes, FilesThatMakeNoSenseAreReportedWithTheirPlace) {
  const auto said = [&](const std::string& text) {
    sandbox_.write("bad.json", text);
    return call({"run", "waste.yaml", "--backend", "cpu", "--asked", "bad.json"}, 2).err;
  };
  EXPECT_TRUE(says(said("{\"asked\": 1,"), "bad.json:1:"));
  EXPECT_TRUE(says(said("[1]"), "bad.json:1:1: no file of sizes that an application asked for"));
  EXPECT_TRUE(says(said(file_of("", "other")), "these sizes are of 'other', not of the study's"));
  const auto rows = said(
      file_of(R"({"device": 1, "size": [0], "how": "nearly", "configuration": 0, "count": 4})"));
  EXPECT_TRUE(says(rows, "bad.json:4:22: 'device' must be at least 0 and at most 0, not 1"))
      << rows;
  EXPECT_TRUE(says(rows, "bad.json:4:34: an extent is 1 at least, not 0")) << rows;
  EXPECT_TRUE(says(rows, "nearly")) << rows;
  EXPECT_TRUE(says(call({"run", "waste.yaml", "--asked", "none.json"}, 1).err, "none.json"));
  EXPECT_TRUE(says(call({"run", "waste.yaml", "--size", "n=5", "--asked", "none.json"}, 2).err,
                   "--asked names the sizes; it does not go with --size"));
}

}  // namespace
}  // namespace tuner::cli
