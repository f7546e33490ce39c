// Studies that extend another one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/study/study_folder.h"
#include "tests/unit/study/t1_file.h"
#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"

namespace tuner::testing {
namespace {

constexpr const char* kBase = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{M: 64, N: 64}]
parameters: {B: [32, 64]}
constraints: ["B <= M"]
launch: {block: [B], grid: ["ceil_div(M, B)"]}
arguments: [{name: Y, type: float, shape: [M, "N - 7"], role: out}]
search: {strategy: random, budget: {evaluations: 5}}
measure: {cache: hot}
export: {weights: {M: 0.5}}
)yaml";

class Extending {
 public:
  explicit Extending(const std::string& rest, const std::string& base = kBase)
      : folder_("schema: 1\nextends: base.yaml\n" + rest) {
    std::ofstream(folder_.file().parent_path() / "base.yaml") << base;
  }
  Study study() const { return read_study(folder_.file()); }
  std::string complaints() const {
    try {
      study();
    } catch (const InputError& error) {
      return folder_.said(error.what());
    }
    return {};
  }

 private:
  StudyFolder folder_;
};

TEST(Extends, TheOtherStudyIsTunedForOtherSizes) {
  const Study study =
      Extending("problem_sizes: {domain: {M: [1, 512], N: [8, 512]}}\nsearch: {until_loss: 0.05}\n")
          .study();
  EXPECT_EQ(study.file.filename(), "study.yaml");
  EXPECT_EQ(study.kernel.name, "k");
  EXPECT_EQ(study.kernel.source.filename(), "k.cu");
  ASSERT_TRUE(study.domain);
  EXPECT_EQ(study.domain->extents[1].low, 8);
  EXPECT_EQ(study.parameters[0].values.size(), 2U);
  EXPECT_TRUE(study.is_runnable());
  // A section that is here replaces the other study's, one that is not stays.
  EXPECT_EQ(study.search.until_loss, 0.05);
  EXPECT_EQ(study.search.strategy, SearchSpec().strategy);
  EXPECT_EQ(study.measure.cache, CacheState::kHot);
  ASSERT_EQ(study.exports.weights.size(), 1U);
  EXPECT_EQ(study.exports.weights[0].second, 0.5);
}

TEST(Extends, AListOfADomainIsAListAgain) {
  const std::string base =
      "schema: 1\nproblem_sizes: {domain: {M: [1, 8]}}\nparameters: {B: [1]}\n";
  const Study study =
      Extending("problem_sizes: [{M: 3}]\nexport: {weights: {M: 2}}\n", base).study();
  EXPECT_FALSE(study.domain);
  ASSERT_EQ(study.sizes.size(), 1U);
  EXPECT_EQ(study.sizes[0].label(), "M3");
  EXPECT_EQ(study.exports.weights[0].second, 2);
}

TEST(Extends, EverythingCanBeSaidAnewAndIsTakenByKey) {
  const Study study = Extending(R"yaml(kernel: {name: other}
parameters: {B: [128], C: {values: [1, 2], when: B == 128, otherwise: 0}}
constraints: ["B * C <= 2 * M"]
launch: {dynamic_shared_bytes: 4 * C}
arguments: [{name: Y, type: double}, {name: n, type: int, value: C}]
search:
)yaml")
                          .study();
  EXPECT_EQ(study.kernel.name, "other");
  EXPECT_EQ(study.kernel.entry, "k");
  ASSERT_EQ(study.parameters.size(), 2U);
  EXPECT_EQ(study.parameters[0].values, std::vector<Value>{std::int64_t{128}});
  EXPECT_EQ(study.parameters[1].name, "C");
  EXPECT_EQ(study.constraints.back().text(), "B * C <= 2 * M");
  EXPECT_EQ(study.launch.dynamic_shared_bytes.text(), "4 * C");
  EXPECT_EQ(study.launch.grid[0].text(), "ceil_div(M, B)");
  ASSERT_EQ(study.arguments.size(), 2U);
  EXPECT_EQ(study.arguments[0].type, DataType::kFloat64);
  EXPECT_EQ(study.arguments[0].shape.size(), 2U);
  EXPECT_EQ(study.arguments[1].name, "n");
  // Nothing behind a key takes it away; what nobody speaks of stays.
  EXPECT_EQ(study.search.strategy, SearchSpec().strategy);
  EXPECT_EQ(study.sizes[0].label(), "M64_N64");
  EXPECT_EQ(study.measure.cache, CacheState::kHot);
}

TEST(Extends, WhatIsExtendedMayExtendAThird) {
  StudyFolder folder("schema: 1\nextends: second.yaml\nparameters: {B: [64]}\n");
  const auto beside = [&](const char* name, const std::string& text) {
    const auto file = folder.file().parent_path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  beside("second.yaml", "schema: 1\nextends: deep/third.yaml\nexport: {weights: {M: 2}}\n");
  beside("deep/k.cu", "extern \"C\" __global__ void k(float* Y) {}\n");
  beside("deep/third.yaml", kBase);
  const Study study = read_study(folder.file());
  EXPECT_EQ(study.kernel.source, folder.file().parent_path() / "deep/k.cu");
  EXPECT_EQ(study.parameters[0].values.size(), 1U);
  EXPECT_EQ(study.exports.weights[0].second, 2);
}

TEST(Extends, AChainHasAnEnd) {
  const StudyFolder folder("schema: 1\nextends: s0.yaml\n");
  const auto write = [&](int last) {
    for (int i = 0; i < last; ++i) {
      std::ofstream(folder.file().parent_path() / fmt::format("s{}.yaml", i))
          << fmt::format("schema: 1\nextends: s{}.yaml\n", i + 1);
    }
    std::ofstream(folder.file().parent_path() / fmt::format("s{}.yaml", last))
        << "schema: 1\nparameters: {A: [1]}\n";
  };
  write(30);
  EXPECT_EQ(read_study(folder.file()).parameters.size(), 1U);
  write(400);
  try {
    read_study(folder.file());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(folder.said(error.what()),
              "s31.yaml:2:10: more than 32 studies extend each other in a row");
  }
}

TEST(Extends, WhatIsWrongHasItsPlaceHere) {
  EXPECT_EQ(Extending("parameters: {D: [1]}\nconstraints: [D < E]\n").complaints(),
            "study.yaml:4:19: unknown name 'E'");
  EXPECT_EQ(Extending("problem_sizes: [{N: 1, M: 1}]\n").complaints(),
            "study.yaml:3:1: 'problem_sizes' need the dimensions of the study that is extended (M "
            "and N, in this order)");
  EXPECT_EQ(Extending("serch: {strategy: random}\n").complaints(),
            "study.yaml:3:1: unknown key 'serch' in the study (did you mean 'search'?)");
  EXPECT_EQ(complaints_of("schema: 1\nextends: none.yaml\nproblem_sizes: [{M: 1}]\n"),
            "study.yaml:2:10: 'extends': there is no file none.yaml (names are relative to the "
            "study file)");
  EXPECT_EQ(complaints_of("schema: 1\nextends: study.yaml\nproblem_sizes: [{M: 1}]\n"),
            "study.yaml:2:10: this study extends itself");
}

TEST(Extends, WhatIsWrongInTheOtherStudyHasItsPlaceThere) {
  EXPECT_EQ(Extending("problem_sizes: [{M: 1}]\n",
                      "schema: 1\nparameters: {B: [1]}\nconstraints: [B < C]\n")
                .complaints(),
            "base.yaml:3:19: unknown name 'C'");
  // There it is right; only a size that is chosen here breaks it, or a name that is taken away
  // here.
  EXPECT_EQ(Extending("problem_sizes: [{M: 64, N: 7}]\n").complaints(),
            "base.yaml:7:48: the shape of 'Y' is 0, less than 1 for M=64, N=7");
  EXPECT_EQ(Extending("parameters: {B: , D: [1]}\nconstraints: []\n").complaints(),
            "base.yaml:6:18: unknown name 'B'\nbase.yaml:6:42: unknown name 'B'");
}

// A T1 file, whole_t1() of blur over `tile` and `block_size_x`, with some keys said anew.
class ExtendingT1 {
 public:
  explicit ExtendingT1(const std::string& rest)
      : folder_("schema: 1\nextends: base.json\n" + rest) {
    std::ofstream(folder_.file().parent_path() / "base.json") << whole_t1();
  }
  StudyFile file() const { return read_study_file(folder_.file()); }
  std::string complaints() const {
    try {
      file();
    } catch (const InputError& error) {
      return folder_.said(error.what());
    }
    return {};
  }

 private:
  StudyFolder folder_;
};

TEST(Extends, OfAT1FileEverythingCanBeSaidAnew) {
  const StudyFile file = ExtendingT1(
                             "parameters: {tile: [1, 2]}\nconstraints: []\n"
                             "problem_sizes: [{problem_x: 64, problem_y: 32}]\n"
                             "arguments: [{name: factor, value: 3}]\nmeasure: {cache: hot}\n")
                             .file();
  const Study& study = file.study;
  EXPECT_EQ(study.kernel.name, "blur");
  EXPECT_EQ(study.kernel.source.filename(), "k.cu");
  EXPECT_EQ(study.parameters[0].values.size(), 4U);
  EXPECT_EQ(study.parameters[1].values.size(), 2U);
  EXPECT_TRUE(study.constraints.empty());
  EXPECT_EQ(study.sizes.front().label(), "problem_x64_problem_y32");
  EXPECT_EQ(study.arguments[3].value.text(), "3");
  EXPECT_EQ(study.arguments[0].shape[0].text(), "problem_x*problem_y");
  EXPECT_EQ(study.measure.cache, CacheState::kHot);
  EXPECT_TRUE(study.reference);
  ASSERT_FALSE(file.warnings.empty());
  EXPECT_EQ(file.warnings.front().message.substr(0, 31), "the file holds no right answer:");
  EXPECT_EQ(file.extends.size(), 1U);
}

TEST(Extends, WhatDoesNotFitTheT1FileHasItsPlaceHereOrThere) {
  const std::string sizes = ExtendingT1("problem_sizes: [{n: 64}]\n").complaints();
  EXPECT_EQ(sizes.find("study.yaml:3:1: 'problem_sizes' need the dimensions of the study that is "
                       "extended (problem_x and problem_y, in this order)"),
            0U)
      << sizes;
  const std::string lost = ExtendingT1("parameters: {block_size_x: [48, 100]}\n").complaints();
  EXPECT_NE(lost.find("'block_size_x' cannot be 64 (one of 48 or 100)"), std::string::npos) << lost;
  EXPECT_EQ(lost.find("may use only"), std::string::npos) << lost;
  const std::string said = ExtendingT1("parameters: {tile: }\n").complaints();
  EXPECT_NE(said.find("base.json:7:49: unknown name 'tile'"), std::string::npos) << said;
}

}  // namespace
}  // namespace tuner::testing
