#include "tuner/deploy/family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "fake_cuda.h"
#include "launchers.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

// y = sums of the rows of x, by a kernel for at most 64 rows. Both names of the dimensions and the
// order of the sizes are the caller's.
Study row_sums(const std::string& name, const std::string& rows, const std::string& columns) {
  Study study;
  study.file = name + ".yaml";
  study.kernel.name = name;
  study.kernel.source = "/somewhere/" + name + ".cu";
  study.kernel.entry = name;
  study.parameters = {{"BM", {std::int64_t{16}, std::int64_t{32}}, {}}};
  study.launch.grid = {Expression::parse_or_throw("ceil_div(" + rows + ", BM)"), {}, {}};
  study.launch.block = {Expression::parse_or_throw("BM"), {}, {}};
  study.arguments = {buffer("x_" + name, {rows, columns}), buffer("y", {rows}, Role::kOut),
                     scalar("alpha", "1.0", DataType::kFloat64),
                     scalar("count", rows, DataType::kInt64)};
  study.kernel.subject = Subject::kKernel;
  return study;
}

using Times = std::map<std::vector<std::int64_t>, double>;  // extents of the size: milliseconds

std::vector<RankedResults> results_on(const DeviceFacts& device,
                                      const std::vector<std::string>& dims, const Times& times) {
  std::vector<RankedResults> all;
  for (const auto& [extents, ms] : times) {
    all.push_back(sample_result(device, 1, 1, {sample_trial({std::int64_t{16}}, ms)}));
    auto& size = all.back().size.dims;
    size.clear();
    for (std::size_t d = 0; d < dims.size(); ++d) size.emplace_back(dims[d], extents[d]);
  }
  return all;
}

// Launchers of studies and the family's header, in a folder with a CUDA runtime that counts.
class Families {
 public:
  Families() : folder_(std::make_unique<HeaderFolder>("")) {
    folder_->write("cuda_runtime.h", kFakeCudaRuntime);
  }

  void add(const Study& study, const std::vector<RankedResults>& results) {
    LauncherOptions options = launcher_options(
        "__global__ void " + study.kernel.entry.substr(0, study.kernel.entry.find('<')) +
        "(const float* x, float* y, double alpha, long long count) { y[0] = TUNE_BM; }\n");
    if (study.kernel.entry.find('<') != std::string::npos) {
      options.source.text = "template <int N> " + options.source.text;
    }
    options.stem = study.kernel.name + "_launcher";
    TunedTable table = exported_table(study, results, {});
    const LauncherFiles files = export_launcher(study, table, options);
    folder_->write(options.stem + ".hpp", files.header);
    folder_->write(options.stem + ".cu", files.source);
    folder_->write(options.stem + ".inl", files.text);
    studies_.push_back(study);
    tables_.push_back({nullptr, options.stem, std::move(table), files.is_sized});
    sources_ += " -x c++ " + options.stem + ".cu";
  }

  Family family() {
    for (std::size_t i = 0; i < tables_.size(); ++i) tables_[i].study = &studies_[i];
    return export_family(tables_, {"sums", "tuner 1.2.3"});
  }

  std::string refusal() {
    try {
      family();
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  // The printed text of a program that includes the family's header and is linked with the
  // launchers.
  std::string output_of(const std::string& program) {
    folder_->write("sums.hpp", family().header);
    folder_->write("main.cpp", "#include \"sums.hpp\"\n" + program);
    const auto compiled = folder_->run(
        "g++ -std=c++17 -g -DNDEBUG -fsanitize=address,undefined -Wall -Wextra -Wconversion "
        "-Wshadow -Werror=return-type -I. main.cpp" +
        sources_ + " -o main -pthread -Wno-unknown-pragmas -Wno-unused-parameter");
    EXPECT_EQ(compiled.status, 0) << compiled.text.substr(0, 3000);
    EXPECT_EQ(compiled.text.find("sums.hpp"), std::string::npos) << compiled.text;
    return folder_->run("./main").text;
  }

 private:
  std::unique_ptr<HeaderFolder> folder_;
  std::vector<Study> studies_;
  std::vector<FamilyMember> tables_;
  std::string sources_;
};

const DeviceFacts kOneGpu = sample_device("NVIDIA H200", 90);

// Both were measured with 64 rows, where the wide one is faster. The other study calls rows and
// columns otherwise, and lists them in the other order.
Families thin_and_wide() {
  Families all;
  Study thin = row_sums("thin", "M", "N");
  thin.constraints = {Expression::parse_or_throw("M <= 64")};
  thin.sizes = {{{{"M", 16}, {"N", 1024}}}};
  all.add(thin, results_on(kOneGpu, {"M", "N"}, {{{16, 1024}, 1.0}, {{64, 1024}, 3.0}}));
  Study wide = row_sums("wide", "R", "S");
  wide.arguments.front().shape = {Expression::parse_or_throw("R * S")};
  all.add(wide, results_on(kOneGpu, {"S", "R"}, {{{1024, 64}, 2.0}, {{1024, 4096}, 5.0}}));
  return all;
}

TEST(Family, TheKernelIsTheFastestOfThoseMeasuredAtTheNearestSize) {
  EXPECT_EQ(thin_and_wide().output_of(R"(int main() {
  float x[1], y[1];
  for (long long rows : {1, 16, 20, 63, 64, 65, 4096}) {
    const auto done = sums::sums(x, y, 0.5, rows, 1024);
    std::printf("%lld: %d %s %d; ", rows, done.status, name_of(done.chosen), int(done.how));
  }
  std::printf("%d%d %d launches, %d questions", passed[0] == x, passed[1] == y, int(launches), int(asked));
})"),
            "1: 0 thin 1; 16: 0 thin 0; 20: 0 thin 1; 63: 0 wide 1; 64: 0 wide 0; 65: 0 wide 1; "
            "4096: 0 wide 0; 11 7 launches, 3 questions");
}

TEST(Family, SizesReachTheKernelByTheirMeaningNotByTheirOrder) {
  const std::string header = thin_and_wide().family().header;
  EXPECT_NE(header.find("inline launched sums(const float* x_thin, float* y, double alpha, "
                        "std::int64_t count, long long N, cudaStream_t stream = nullptr) {"),
            std::string::npos)
      << header;
  EXPECT_NE(header.find("wide_launcher::wide(x_thin, y, alpha, "
                        "static_cast<std::int64_t>(d.M), d.N, stream)"),
            std::string::npos)
      << header;
  EXPECT_NE(header.find("const wide_launcher::dims size{d.N, d.M};"), std::string::npos);
  EXPECT_NE(header.find("    {0, 1, {64, 1024}},  // thin 3 ms, wide 2 ms\n"), std::string::npos);
}

TEST(Family, ASizeThatIsNotPositiveOrThatNoKernelServesLaunchesNothing) {
  Families all;
  Study thin = row_sums("thin", "M", "N");
  thin.constraints = {Expression::parse_or_throw("M <= 64")};
  all.add(thin, results_on(kOneGpu, {"M", "N"}, {{{16, 1024}, 1.0}}));
  Study small = row_sums("small", "M", "N");
  small.constraints = {Expression::parse_or_throw("M <= 8")};
  all.add(small, results_on(kOneGpu, {"M", "N"}, {{{8, 1024}, 1.0}}));
  EXPECT_EQ(all.output_of(R"(int main() {
  float x[1], y[1];
  for (long long rows : {0, 65, 64}) std::printf("%d ", sums::sums(x, y, 0.5, rows, 1024).status);
  std::printf("%d", int(launches));
})"),
            "1 2 0 1");
}

// The fixed kernel is faster, and there is no variant of it for other sizes.
TEST(Family, AKernelOfASizeIsChosenForThisSizeAlone) {
  Families all;
  Study fixed = row_sums("fixed", "M", "N");
  fixed.kernel.entry = "fixed<{N}>";
  all.add(fixed, results_on(kOneGpu, {"M", "N"}, {{{64, 1024}, 1.0}}));
  all.add(row_sums("any", "M", "N"), results_on(kOneGpu, {"M", "N"}, {{{64, 1024}, 2.0}}));
  EXPECT_EQ(all.output_of(R"(int main() {
  float x[1], y[1];
  for (long long columns : {1024, 1000}) {
    const auto done = sums::sums(x, y, 0.5, 64, columns);
    std::printf("%d %s ", done.status, name_of(done.chosen));
  }
})"),
            "0 fixed 0 any ");
}

// thin does not run 4096 rows, and wide was not measured with 16.
TEST(Family, TheNoteListsSizesThatAKernelCouldRunAndWasNotMeasuredAt) {
  EXPECT_EQ(thin_and_wide().family().notes,
            "'wide' could run 1 size at which only others were measured; to compare: tuner run "
            "wide.yaml --size S=1024,R=16\n");
}

TEST(Family, WhatIsNotOneFunctionIsRefused) {
  const auto refused = [](const auto& change) {
    Families all;
    const Times times{{{16, 1024}, 1.0}};
    all.add(row_sums("thin", "M", "N"), results_on(kOneGpu, {"M", "N"}, times));
    Study other = row_sums("other", "R", "S");
    change(other);
    all.add(other, results_on(kOneGpu, {"R", "S"}, times));
    return all.refusal();
  };
  const auto expect = [&](const auto& change, const std::string& message) {
    const std::string said = refused(change);
    EXPECT_NE(said.find(message), std::string::npos) << said;
  };
  EXPECT_EQ(refused([](Study&) {}), "none");
  expect(
      [](Study& s) {
        s.arguments[0].shape = buffer("", {"S", "R"}).shape;
      },
      "'x_other' is [S, R] (R is M, S is N), and 'x_thin', which 'thin' takes in its place, is "
      "[M, N]");
  expect([](Study& s) { s.arguments[0].type = DataType::kFloat16; },
         "'x_other' is const __half*, and 'x_thin', which 'thin' takes in its place, is const "
         "float*");
  expect([](Study& s) { s.arguments[1].role = Role::kIn; },
         "'y' is const float*, and 'y', which 'thin' takes in its place, is float*");
  expect([](Study& s) { s.arguments.erase(s.arguments.begin() + 2); },
         "'other' takes 2 arguments beside its size (x_other, y), and 'thin' takes 3 (x_thin, y, "
         "alpha): one function takes the same for all kernels");
  expect([](Study& s) { s.kernel.name = "thin"; }, "two kernels of the family are called 'thin'");
  expect(
      [](Study& s) {
        s.objective = {"gflops", true};
      },
      "the objective is 'maximize gflops', and that of 'thin' is 'minimize time'");
  expect([](Study& s) { s.measure.cache = CacheState::kHot; },
         "the measure is 'launches in a stream, the data where the launch before left them'");
}

}  // namespace
}  // namespace tuner
