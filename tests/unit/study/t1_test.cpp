// T1 files: what they become.

#include <gtest/gtest.h>

#include "tests/unit/study/t1_file.h"

namespace tuner::testing {
namespace {

TEST(T1File, BecomesAStudyWithPlainDefinitions) {
  const T1File file(whole_t1());
  const Study study = file.accepted();
  EXPECT_TRUE(study.is_runnable());
  EXPECT_EQ(study.kernel.name, "blur");  // BenchmarkName
  EXPECT_EQ(study.kernel.entry, "blur_kernel");
  EXPECT_EQ(study.kernel.define_prefix, "");
  EXPECT_EQ(study.kernel.source.filename(), "k.cu");
  EXPECT_EQ(study.kernel.options, (std::vector<std::string>{"-std=c++11", "-Dkernel_tuner=1",
                                                            "-DPRECISION=32", "-Dblock_size_y=1"}));
  ASSERT_EQ(study.parameters.size(), 2U);
  EXPECT_EQ(texts(study.parameters[0].values), "32 64 128 256");
  EXPECT_EQ(texts(study.parameters[1].values), "1 2 4");
  ASSERT_EQ(study.constraints.size(), 1U);
  EXPECT_EQ(study.constraints[0].text(), "block_size_x * tile <= 512");
  EXPECT_EQ(study.sizes, (std::vector<ProblemSize>{{{{"problem_x", 1000}, {"problem_y", 20}}}}));
}

// Kernel Tuner's rule; GlobalSize, which it ignores, is often wrong in such files.
// JSON that YAML cannot read: surrogates, a colon on the next line, a key of any length.
TEST(T1File, AnyJsonIsRead) {
  const std::string key(1025, 'k');
  const T1File file("\xEF\xBB\xBF{\"" + key + "\"\n: [1e3, -2.5, true, null, \"\\\"\\\\\"],\n" +
                    R"("ConfigurationSpace"
:
{"TuningParameters"	: [
  {"Name": "FACE",	"Values": ["\ud83d\ude00", "a\/b"], "Default": "a\/b"}],
  "Conditions": []}})");
  const std::vector<Parameter> parameters = file.accepted().parameters;
  ASSERT_EQ(parameters.size(), 1);
  const std::vector<Value> wanted{"\xF0\x9F\x98\x80", "a/b"};
  EXPECT_EQ(parameters[0].values, wanted);
}

TEST(T1File, ProblemSizeAndDivisorsMakeTheGrid) {
  const Study study = T1File(whole_t1()).accepted();
  EXPECT_EQ(study.launch.block[0].text(), "block_size_x");
  EXPECT_EQ(study.launch.block[1].text(), "1");
  EXPECT_EQ(study.launch.grid[0].text(), "ceil_div(problem_x, block_size_x * tile)");
  EXPECT_EQ(study.launch.grid[1].text(), "ceil_div(problem_y, 1)");
  EXPECT_EQ(study.launch.dynamic_shared_bytes.text(), "4 * block_size_x");
}

TEST(T1File, GlobalSizeCountsBlocksUnlessItsTypeIsOpenCl) {
  const std::string launch = R"("GlobalSize": {"X": "4096 // B"}, "LocalSize": {"X": "B"})";
  EXPECT_EQ(T1File(small_t1(launch)).accepted().launch.grid[0].text(), "4096 // B");
  EXPECT_EQ(
      T1File(small_t1(launch + R"(, "GlobalSizeType": "OpenCL")")).accepted().launch.grid[0].text(),
      "ceil_div(4096 // B, B)");
}

TEST(T1File, ArgumentsKeepTypeRoleSizeAndFill) {
  const Study study = T1File(whole_t1()).accepted();
  ASSERT_EQ(study.arguments.size(), 4U);
  const ArgumentSpec& out = study.arguments[0];
  EXPECT_EQ(out.role, Role::kInOut);  // others fill what is only written
  EXPECT_EQ(out.shape[0].text(), "problem_x*problem_y");
  EXPECT_EQ(out.fill.kind, FillSpec::Kind::kZeros);
  const ArgumentSpec& in = study.arguments[1];
  EXPECT_EQ(in.role, Role::kIn);
  EXPECT_EQ(in.shape[0].text(), "(problem_x + 4 - 1) * 4");  // max(tile); float4 is four floats
  EXPECT_EQ(in.fill.kind, FillSpec::Kind::kUniform);
  EXPECT_EQ(in.fill.b, 20);
  EXPECT_EQ(study.arguments[2].fill.kind, FillSpec::Kind::kSequence);
  EXPECT_EQ(study.arguments[2].fill.a, 1);
  EXPECT_EQ(study.arguments[2].fill.b, 0.5);
  EXPECT_TRUE(study.arguments[3].is_scalar);
  EXPECT_EQ(study.arguments[3].value.text(), "2.5");
  ASSERT_EQ(study.constants.size(), 1U);  // constant memory is passed as well
  EXPECT_EQ(study.constants[0].name, "weights");
}

TEST(T1File, AGeneratedFillThatIsNoStraightLineIsAFormula) {
  std::string json = whole_t1();
  const std::string line = "i * 0.5 + 1";
  json.replace(json.find(line), line.size(), "i // 4 * 0.1 if i % 4 < 3 else 2");
  const FillSpec fill = T1File(json).accepted().arguments[2].fill;
  EXPECT_EQ(fill.kind, FillSpec::Kind::kFormula);
  EXPECT_EQ(fill.rule.text(), "i // 4 * 0.1 if i % 4 < 3 else 2");
}

TEST(T1File, EveryVariantIsComparedWithTheDefaultConfiguration) {
  const Study study = T1File(whole_t1()).accepted();
  ASSERT_TRUE(study.reference.has_value());
  EXPECT_EQ(study.reference->entry, "blur_kernel");
  EXPECT_EQ(study.reference->launch.block[0].text(), "block_size_x");  // 64 there
  EXPECT_EQ(study.reference->launch.grid[0].text(), study.launch.grid[0].text());
  EXPECT_EQ(study.reference->launch.dynamic_shared_bytes.text(), "4 * block_size_x");
  ASSERT_EQ(study.reference->configuration.size(), 2U);
  EXPECT_EQ(to_text(study.reference->configuration[0].second), "64");
  EXPECT_EQ(to_text(study.reference->configuration[1].second), "2");
  ASSERT_EQ(study.verify.size(), 1U);
  EXPECT_EQ(study.verify[0].first, "out");
  EXPECT_TRUE(study.verify[0].second.how.equal_nan);
  EXPECT_NE(T1File(whole_t1()).warnings().find("compared with one configuration (block_size_x=64"),
            std::string::npos);
}

// The largest blocks are what kernels with many registers cannot have.
TEST(T1File, VariantsAreComparedWithAModerateBlock) {
  const auto compared_with = [](const std::string& block, const std::string& condition) {
    const std::string launch = R"("LocalSize": {"X": ")" + block + R"("}, "GlobalSize": {"X": 64})";
    const Study study = T1File(small_t1(launch, "\"Default\": 1", condition)).accepted();
    return to_text(study.reference.value().configuration[0].second);
  };
  EXPECT_EQ(compared_with("1024 // B", R"({"Expression": "B != 1"})"), "4");  // no valid default
  EXPECT_EQ(compared_with("512 // B", ""), "2");
  EXPECT_EQ(compared_with("256 // B", ""), "1");
  EXPECT_EQ(compared_with("2048 // B", ""), "1");  // no block is moderate
}

TEST(T1File, ParametersThatMakeSizesMayDecideTheAnswer) {
  EXPECT_NE(T1File(whole_t1())
                .warnings()
                .find("the size for the largest tile: where the right "
                      "answer depends on it, variants with other values "
                      "are 'correctness' without --per tile\n"),
            std::string::npos);
}

// Real files have defaults that are no values, or that break their own conditions.
TEST(T1File, AnImpossibleDefaultGivesWayToTheFirstConfiguration) {
  const std::string launch = R"("GlobalSize": {"X": "8"}, "LocalSize": {"X": "B"})";
  const Study study =
      T1File(small_t1(launch, R"("Default": 7)", R"({"Expression": "B > 1"})")).accepted();
  EXPECT_EQ(to_text(study.reference->configuration[0].second), "2");
}

TEST(T1File, WithoutAnOutputItSaysThatNothingIsVerified) {
  const std::string launch = R"("GlobalSize": {"X": "8"}, "LocalSize": {"X": "B"})";
  std::string text = small_t1(launch);
  text.replace(text.find("ReadWrite"), 9, "ReadOnly");
  const T1File file(text);
  EXPECT_FALSE(file.accepted().reference.has_value());
  EXPECT_NE(file.warnings().find("no argument is an output: wrong answers would be ranked"),
            std::string::npos);
}

TEST(T1File, TheLanguageMayBeSpelledInAnyCase) {
  std::string text = whole_t1();
  text.replace(text.find("\"CUDA\""), 6, "\"cuda\"");
  EXPECT_TRUE(T1File(text).accepted().is_runnable());
}

TEST(T1File, EmptyCompilerOptionsAreLeftOut) {
  std::string text = whole_t1();
  const std::string given = "[\"-std=c++11\"]";
  text.replace(text.find(given), given.size(), R"(["", "-O3 -lineinfo"])");
  const auto options = T1File(text).accepted().kernel.options;
  EXPECT_EQ(std::vector<std::string>(options.begin(), options.begin() + 3),
            (std::vector<std::string>{"-O3", "-lineinfo", "-Dkernel_tuner=1"}));
}

TEST(T1File, AnotherLanguageCanOnlyBeChecked) {
  std::string text = whole_t1();
  text.replace(text.find("\"CUDA\""), 6, "\"HIP\"");
  const T1File file(text);
  EXPECT_FALSE(file.accepted().is_runnable());
  EXPECT_NE(file.warnings().find("written in HIP, not in CUDA or OpenCL"), std::string::npos);
}

// Constant memory is an argument there, and no symbol beside it.
TEST(T1File, OpenClIsALanguageOfItsOwn) {
  std::string text = whole_t1();
  text.replace(text.find("\"CUDA\""), 6, "\"OpenCL\"");
  const std::string type = "\"MemoryType\": \"Vector\"";
  text.replace(text.find(type), type.size(), type + ", \"MemType\": \"Constant\"");
  const Study study = T1File(text).accepted();
  EXPECT_TRUE(study.is_runnable());
  EXPECT_EQ(study.kernel.language, "opencl");
  EXPECT_TRUE(study.constants.empty());
}

TEST(T1File, AMissingKernelFileLeavesTheSpace) {
  std::string text = whole_t1();
  text.replace(text.find("k.cu"), 4, "missing.cu");
  const T1File file(text);
  EXPECT_FALSE(file.accepted().is_runnable());
  EXPECT_NE(file.warnings().find("'missing.cu' is neither in"), std::string::npos);
}

TEST(T1File, SearchAndBudgetAreOursWhereTheyHaveAMeaning) {
  const std::string launch = R"("GlobalSize": {"X": "8"}, "LocalSize": {"X": "B"})";
  std::string text = small_t1(launch);
  text.insert(1, R"("Search": {"Name": "random_sample"},
    "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 10},
               {"Type": "TuningDuration", "BudgetValue": 2.5}],)");
  const Study study = T1File(text).accepted();
  EXPECT_EQ(study.search.strategy, "random");
  EXPECT_EQ(study.search.budget.evaluations, 10U);
  EXPECT_EQ(study.search.budget.seconds, 2.5);
  text.replace(text.find("random_sample"), 13, "ProfileBased");
  EXPECT_EQ(T1File(text).accepted().search.strategy, "default");
  EXPECT_NE(T1File(text).warnings().find("'ProfileBased' is not known"), std::string::npos);
}

}  // namespace
}  // namespace tuner::testing
