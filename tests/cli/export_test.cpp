#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

// A folder with the tiny study and its tuned results.
class Export : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    for (const char* name : {"tiny.yaml", "tiny.cu"}) {
      fs::copy_file(data(std::string("studies/") + name), sandbox_->path(name));
    }
    const auto done = run_to(
        0, *sandbox_,
        {"run", "tiny.yaml", "--backend", "cpu", "--strategy", "exhaustive", "--progress", "none"});
  }
  static void TearDownTestSuite() {
    delete sandbox_;
    sandbox_ = nullptr;
  }
  static Finished call(const std::vector<std::string>& words, int status = 0) {
    return run_to(status, *sandbox_, words);
  }
  static Sandbox* sandbox_;
};
Sandbox* Export::sandbox_ = nullptr;

TEST_F(Export, OfSeveralMachinesWhatLosesLeastAtWorst) {
  call({"run", "tiny.yaml", "--backend", "cpu", "--strategy", "exhaustive", "--results",
        "elsewhere", "--progress", "none"});
  const auto done = call({"export", "tiny.yaml", "--also", "elsewhere", "-o", "both.h"});
  EXPECT_TRUE(says(done.err, ", 2 machines: "));
  call({"verify-export", "both.h", "tiny.yaml", "--backend", "cpu"});
  const auto none = call({"export", "tiny.yaml", "--also", "nowhere", "-o", "none.h"}, 2);
  EXPECT_TRUE(says(none.err, "no results in 'nowhere'"));
}

// WORK of 1000 costs a thousand times as much as 1: on every machine something is lost with it, and
// nothing without.
struct Waste {
  std::string sizes = "[{n: 2000}]";
  std::string work = "TUNE_WORK";
};
void write_wasteful_study(const Sandbox& sandbox, const Waste& waste = {}) {
  sandbox.write("waste.cu", "#define WORK (" + waste.work + ")" + R"cuda(
extern "C" __global__ void waste(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float spun = 0;
  for (int k = 0; k < WORK * 20; ++k) spun = spun + 1;
  if (i < n) y[i] = x[i] + x[i];
}
)cuda");
  sandbox.write("waste.yaml", "problem_sizes: " + waste.sizes + R"yaml(
schema: 1
kernel: {name: waste, source: waste.cu, entry: waste}
parameters: {WORK: [1000, 1]}
launch: {block: [100], grid: [20]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [-1, 1]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: waste, configuration: {WORK: 1}, block: [100], grid: [20]}
search: {strategy: exhaustive}
measure: {drop_above: 0}
)yaml");
}

// Each size has one configuration that is a thousand times as fast as the other: no noise of a
// machine, and no rounding of a file, changes what is chosen.
TEST(ExportedFiles, RankedCsvFilesSayWhatTheStoreSays) {
  const Sandbox sandbox;
  write_wasteful_study(sandbox, {.sizes = "[{n: 1000}, {n: 2000}]",
                                 .work = "(TUNE_WORK == 1) == (n == 1000) ? 1 : 1000"});
  const auto call = [&](const std::vector<std::string>& words) { run_to(0, sandbox, words); };
  call({"run", "waste.yaml", "--backend", "cpu", "--progress", "none"});
  call({"export", "waste.yaml", "-o", "store.h"});
  call({"export", "waste.yaml", "--from", "results/waste", "-o", "csv.h"});
  const auto configs = [&](const std::string& header) {
    const std::string text = text_of(sandbox.path(header));
    const auto begin = text.find("config configs[] = {");
    return text.substr(begin, text.find("};", begin) - begin);
  };
  EXPECT_TRUE(says(configs("store.h"), "{1000}"));
  EXPECT_TRUE(says(configs("store.h"), "{1}"));
  EXPECT_EQ(configs("csv.h"), configs("store.h"));
  EXPECT_TRUE(says(text_of(sandbox.path("csv.h")), "from n1000.csv"));
}

class Retuning : public testing::Test {
 protected:
  Retuning() { write_wasteful_study(sandbox_); }
  // Tunes what `where` leaves, and exports it.
  void export_of(const std::string& where) {
    call({"run", "waste.yaml", "--backend", "cpu", "--where", where, "--progress", "none"});
    call({"export", "waste.yaml", "-o", "waste.h"});
    before_ = text_of(sandbox_.path("waste.h"));
  }
  Finished retuned() {
    return call({"verify-export", "waste.h", "waste.yaml", "--backend", "cpu", "--retune", "20s"});
  }
  Finished call(const std::vector<std::string>& words, int status = 0) const {
    return run_to(status, sandbox_, words);
  }

  Sandbox sandbox_;
  std::string before_;
};

TEST_F(Retuning, SaysWhatIsLostAndWritesTheFileAnew) {
  export_of("WORK == 1000");
  const auto done = retuned();
  ASSERT_EQ(done.status, 0) << done.err;
  const auto at = done.out.find("what the export loses here:\nn2000                        loses ");
  ASSERT_NE(at, std::string::npos) << done.out;
  EXPECT_GT(std::stod(done.out.substr(done.out.find("loses ", at + 20) + 6)), 400) << done.out;
  EXPECT_TRUE(says(done.err, "wrote waste.h"));
  EXPECT_NE(text_of(sandbox_.path("waste.h")), before_);
  const auto again = retuned();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_TRUE(says(again.out, "loses 0.00 %"));
}

TEST_F(Retuning, LeavesAFileAloneThatLosesNothing) {
  export_of("WORK == 1");
  const auto done = retuned();
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(says(done.out, "loses 0.00 % [0.00, 0.00], not significant\n"));
  EXPECT_FALSE(says(done.err, "wrote waste.h"));
  EXPECT_EQ(text_of(sandbox_.path("waste.h")), before_);
}

// The export stood in for a baseline that the study does not have.
TEST_F(Retuning, LeavesARankingAsTheStudySays) {
  export_of("WORK == 1000");
  ASSERT_EQ(retuned().status, 0);
  const auto results = call({"results", "results"});
  EXPECT_FALSE(says(results.out, "baseline"));
  const auto rows = ranking_of(sandbox_, "waste");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("WORK"), "1");
  EXPECT_FALSE(rows[0].contains("speedup"));
}

TEST_F(Retuning, AFileThatIsNotThereIsAMistake) {
  const auto done = call({"verify-export", "none.h", "waste.yaml", "--backend", "cpu"}, 2);
  EXPECT_EQ(done.err, "none.h: there is no such file\n");
  call({"verify-export", ".", "waste.yaml", "--backend", "cpu"}, 2);
  export_of("WORK == 1");
  call({"verify-export", "waste.h", "waste.yaml", "--retune", "soon"}, 2);
}

TEST_F(Export, AnArchiveOfCsvFilesGivesWhatTheFolderGives) {
  const std::string folder = sandbox_->path("results").string();
  const std::string archive = sandbox_->path("axpy.tar.gz").string();
  ASSERT_EQ(std::system(("tar -C '" + folder + "' -czf '" + archive + "' axpy").c_str()), 0);
  for (const char* format : {"header", "launcher", "json"}) {
    const std::string out = std::string("packed_") + format + "/out.cu";
    const auto write = [&](const char* from, const std::string& to) {
      call({"export", "tiny.yaml", "--from", from, "--format", format, "-o", to + out});
      return text_of(sandbox_->path(to + out));
    };
    EXPECT_EQ(write("axpy.tar.gz", "a/"), write("results/axpy", "b/")) << format;
  }
  const auto listed = call({"results", "axpy.tar.gz", "--size", "n=3000"});
  EXPECT_TRUE(listed.out.starts_with("axpy on ")) << listed.out;
  call({"compare", "axpy.tar.gz", "results/axpy"});
  call({"import", "axpy.tar.gz", "--study", "tiny.yaml", "--results", "packed"});
  fs::resize_file(archive, fs::file_size(archive) / 2);
  const auto damaged = call({"results", "axpy.tar.gz"}, 2);
  EXPECT_TRUE(says(damaged.err, "axpy.tar.gz: is damaged: "));
}

TEST_F(Export, CsvFilesOfAnotherStudyAreRefused) {
  sandbox_->write("other/device.json", "{\"name\": \"X\", \"compute_capability\": 90}");
  sandbox_->write("other/n5.csv", "rank,state,BM,n\n1,ok,32,5\n");
  auto done = call({"export", "tiny.yaml", "--from", "other"}, 2);
  EXPECT_TRUE(says(done.err, "has no column 'BLOCK'"));
  sandbox_->write("bare/n5.csv", "rank,state,BLOCK,PER,n\n1,ok,32,1,5\n");
  done = call({"export", "tiny.yaml", "--from", "bare"}, 2);
  EXPECT_TRUE(says(done.err, "device.json"));
  call({"export", "tiny.yaml", "--from", "nowhere"}, 2);
}

TEST_F(Export, ALauncherIsThreeFilesNamedAfterTheStem) {
  auto done = call({"export", "tiny.yaml", "--format", "launcher", "-o", "lib/axpy.cu"});
  const std::string source = text_of(sandbox_->path("lib/axpy.cu"));
  EXPECT_TRUE(says(source, "#include \"axpy.hpp\""));
  const std::string kernel = text_of(sandbox_->path("lib/axpy.inl"));
  EXPECT_TRUE(says(kernel, "__global__ void axpy("));
  EXPECT_FALSE(says(kernel, "axpy_reference"));
  EXPECT_TRUE(says(text_of(sandbox_->path("lib/axpy.hpp")),
                   "launched axpy(const float* x, float* y, float a, std::int32_t n, "
                   "cudaStream_t stream = nullptr);"));
  done = call({"export", "tiny.yaml", "--format", "launcher", "-o", "lib"});
  EXPECT_TRUE(fs::exists(sandbox_->path("lib/axpy_launcher.cu")));
  call({"export", "tiny.yaml", "--format", "launcher"}, 2);
}

TEST_F(Export, LeavingOneSizeOutTellsWhatTheOthersWinnerLoses) {
  const auto done = call({"export", "tiny.yaml", "--evaluate"});
  EXPECT_TRUE(says(done.out, "n3000: near_size"));
  EXPECT_TRUE(says(done.out, "median loss"));
  call({"export", "tiny.yaml", "--evaluate", "--size", "n=3000"}, 2);
}

TEST_F(Export, ReducedTablesTellHowManyConfigurationsAreLeft) {
  const auto done = call({"export", "tiny.yaml", "--within", "90%", "-o", "few.h"});
  EXPECT_TRUE(says(done.err, " for 2 sizes"));
}

TEST_F(Export, DevicesAndSizesThatWereNotTunedAreSaid) {
  for (const auto& [option, value] :
       {std::pair<std::string, std::string>{"--device", "h200"}, {"--size", "n=7"}}) {
    const auto done = call({"export", "tiny.yaml", option, value, "-o", "never.h"}, 1);
    EXPECT_TRUE(says(done.err, "nothing to export: no valid result of 'axpy' fits"));
  }
  EXPECT_FALSE(fs::exists(sandbox_->path("never.h")));
}

TEST_F(Export, AnEmptyStoreAndAChangedStudyAreSaid) {
  const Sandbox fresh;
  for (const char* name : {"tiny.yaml", "tiny.cu"}) {
    fs::copy_file(data(std::string("studies/") + name), fresh.path(name));
  }
  auto done = run_to(2, fresh, {"export", "tiny.yaml"});
  EXPECT_TRUE(says(done.err, "there are no results"));
  fs::copy(sandbox_->path("results"), fresh.path("results"), fs::copy_options::recursive);
  fresh.write("tiny.cu", text_of(fresh.path("tiny.cu")) + "// changed\n");
  done = run_to(1, fresh, {"export", "tiny.yaml"});
  EXPECT_TRUE(says(done.err, "left out, measured before a change (source"));
}

TEST_F(Export, WeightsLeaveResultsCurrent) {
  const Sandbox weighted;
  fs::copy_file(sandbox_->path("tiny.cu"), weighted.path("tiny.cu"));
  fs::copy(sandbox_->path("results"), weighted.path("results"), fs::copy_options::recursive);
  weighted.write("tiny.yaml", text_of(sandbox_->path("tiny.yaml")) + "export: {weights: {n: 4}}\n");
  const auto done = run_to(0, weighted, {"export", "tiny.yaml", "--evaluate"});
  EXPECT_EQ(done.err, "");
  // 1.75 octaves from one size to the other, times the root of the weight.
  EXPECT_TRUE(says(done.out, "distance 3.5"));
}

TEST_F(Export, OnlyFailedTrialsAreNothingToExport) {
  sandbox_->write("failed/device.json", "{\"name\": \"X\", \"compute_capability\": 90}");
  sandbox_->write("failed/n5.csv",
                  "rank,state,BLOCK,PER,n,message\n,compile,32,1,5,\"no, \"\"not\"\"\"\n");
  const auto done = call({"export", "tiny.yaml", "--from", "failed"}, 1);
  EXPECT_TRUE(says(done.err, "failed trials: 1"));
}

TEST_F(Export, VerifyExportRunsWhatWouldBeSelected) {
  call({"export", "tiny.yaml", "-o", "verified.h"});
  const auto done = call({"verify-export", "verified.h", "tiny.yaml", "--backend", "cpu", "--size",
                          "n=3000", "--random", "2", "--seed", "3"});
  EXPECT_TRUE(says(done.out, "exact"));
  EXPECT_TRUE(says(done.out, "3 right, 0 wrong"));
}

// The kernel is broken after the export: it misses the last element.
TEST_F(Export, VerifyExportFindsWhatIsWrongNow) {
  const Sandbox broken;
  fs::copy_file(sandbox_->path("tiny.yaml"), broken.path("tiny.yaml"));
  fs::copy_file(sandbox_->path("tiny.cu"), broken.path("tiny.cu"));
  fs::copy(sandbox_->path("results"), broken.path("results"), fs::copy_options::recursive);
  run_to(0, broken, {"export", "tiny.yaml", "-o", "axpy.h"});
  std::string source = text_of(broken.path("tiny.cu"));
  const auto at = source.find("y[i] =");
  ASSERT_NE(at, std::string::npos) << source;
  broken.write("tiny.cu", source.insert(at, "if (i != n - 1) "));
  const auto done = run_to(1, broken, {"verify-export", "axpy.h", "tiny.yaml", "--backend", "cpu"});
  EXPECT_TRUE(says(done.err, "sources have changed"));
  EXPECT_TRUE(says(done.out, "correctness"));
  EXPECT_TRUE(says(done.out, "0 right, 2 wrong"));
}

TEST_F(Export, VerifyExportRefusesOtherFiles) {
  sandbox_->write("plain.h", "int x;\n");
  auto done = call({"verify-export", "plain.h", "tiny.yaml", "--backend", "cpu"}, 2);
  EXPECT_TRUE(says(done.err, "holds no table"));
  call({"verify-export", "plain.h"}, 2);
  call({"verify-export", "missing.h", "tiny.yaml"}, 2);
}

}  // namespace
}  // namespace tuner::cli
