#include "tuner/resolve/resolve.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/resolve/studies.h"

namespace tuner {
namespace {

using test::buffer;
using test::expr;
using test::h200;
using test::reference_of;
using test::scalar;
using test::scale_study;
using test::space_of;

Expected<CompileRequest, std::string> request_for(const Study& study, const Configuration& config) {
  return compile_request(study, space_of(study), config, {}, h200(), "source");
}

std::map<std::string, std::string> defines_for(const Study& study, const Configuration& config) {
  const auto request = request_for(study, config);
  EXPECT_TRUE(request.has_value());
  std::map<std::string, std::string> out;
  if (!request) return out;
  for (const auto& [name, text] : request->defines) {
    EXPECT_TRUE(out.emplace(name, text).second) << name << " is defined twice";
  }
  return out;
}

const Configuration kBlock64{std::int64_t{64}, std::int64_t{1}};

TEST(FactsOf, HoldDimensionsAndDevice) {
  const Bindings facts = facts_of({{{"M", 512}}}, h200());
  EXPECT_EQ(facts.at("M"), Value{std::int64_t{512}});
  EXPECT_EQ(facts.at("device.multiprocessors"), Value{std::int64_t{132}});
}

// ---- requests -----------------------------------------------------------------------------------

TEST(CompileRequest, CarriesSourceEntryArchitectureAndSymbols) {
  Study study = scale_study();
  study.constants = {scalar("factor", DataType::kFloat32, "2.0")};
  study.kernel.options = {"--use_fast_math"};
  const auto request = request_for(study, kBlock64);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->source, "source");
  EXPECT_EQ(request->source_name, "/kernels/scale.cu");
  EXPECT_EQ(request->include_dirs, std::vector<std::string>{"/kernels"});
  EXPECT_EQ(request->entry, "scale");
  EXPECT_EQ(request->arch, "sm_90");
  EXPECT_EQ(request->options, std::vector<std::string>{"--use_fast_math"});
  EXPECT_EQ(request->symbols, std::vector<std::string>{"factor"});
}

TEST(CompileRequest, DefinesEveryParameterBehindThePrefix) {
  EXPECT_EQ(defines_for(scale_study(), {std::int64_t{128}, std::int64_t{4}}),
            (std::map<std::string, std::string>{{"TUNE_BLOCK", "128"}, {"TUNE_VEC", "4"}}));
  Study study = scale_study();
  study.kernel.define_prefix = "";
  EXPECT_EQ(defines_for(study, kBlock64),
            (std::map<std::string, std::string>{{"BLOCK", "64"}, {"VEC", "1"}}));
}

TEST(CompileRequest, WritesBooleansAsDigitsAndFloatsSoThatTheyReadBack) {
  Study study = scale_study();
  study.parameters.push_back({"FAST", {false, true}, {}});
  study.parameters.push_back({"SCALE", {0.1, 2.0, 1e300}, {}});
  const auto with = [&](bool fast, double scale) {
    return defines_for(study, {std::int64_t{64}, std::int64_t{1}, fast, scale});
  };
  EXPECT_EQ(with(true, 0.1).at("TUNE_FAST"), "1");
  EXPECT_EQ(with(false, 0.1).at("TUNE_FAST"), "0");
  EXPECT_EQ(with(true, 0.1).at("TUNE_SCALE"), "0.1");
  EXPECT_EQ(with(true, 2.0).at("TUNE_SCALE"), "2.0") << "an integer in C++ otherwise";
  EXPECT_EQ(with(true, 1e300).at("TUNE_SCALE"), "1e+300");
}

TEST(CompileRequest, DefinesAChoiceForEachValueOfATextParameter) {
  Study study = scale_study();
  study.parameters = {
      {"SHARED", {std::string("static"), std::string("dyn-amic"), std::string("NONE")}, {}}};
  study.derived.clear();
  EXPECT_EQ(defines_for(study, {std::string("dyn-amic")}),
            (std::map<std::string, std::string>{{"TUNE_SHARED", "dyn-amic"},
                                                {"TUNE_SHARED_IS_static", "0"},
                                                {"TUNE_SHARED_IS_STATIC", "0"},
                                                {"TUNE_SHARED_IS_dyn_amic", "1"},
                                                {"TUNE_SHARED_IS_DYN_AMIC", "1"},
                                                {"TUNE_SHARED_IS_NONE", "0"}}));
}

TEST(CompileRequest, LeavesOutAnAliasThatWouldStandForTwoValues) {
  Study study = scale_study();
  study.parameters = {{"T", {std::string("ab"), std::string("aB"), std::string("AB")}, {}}};
  study.derived.clear();
  EXPECT_EQ(
      defines_for(study, {std::string("aB")}),
      (std::map<std::string, std::string>{
          {"TUNE_T", "aB"}, {"TUNE_T_IS_ab", "0"}, {"TUNE_T_IS_aB", "1"}, {"TUNE_T_IS_AB", "0"}}));
}

TEST(CompileRequest, LeavesOutAnAliasThatTwoValuesShare) {
  Study study = scale_study();
  study.parameters = {{"T", {std::string("ab"), std::string("aB")}, {}}};
  study.derived.clear();
  EXPECT_EQ(defines_for(study, {std::string("aB")}),
            (std::map<std::string, std::string>{
                {"TUNE_T", "aB"}, {"TUNE_T_IS_ab", "0"}, {"TUNE_T_IS_aB", "1"}}));
}

TEST(CompileRequest, LeavesOutAMacroThatWouldStandForTwoValues) {
  Study study = scale_study();
  study.parameters = {{"T", {std::string("a-b"), std::string("a_b"), std::string("c")}, {}}};
  study.derived.clear();
  EXPECT_EQ(defines_for(study, {std::string("a_b")}),
            (std::map<std::string, std::string>{
                {"TUNE_T", "a_b"}, {"TUNE_T_IS_c", "0"}, {"TUNE_T_IS_C", "0"}}));
}

TEST(CompileRequest, HasNoMacroForAValueOfSignsOnly) {
  Study study = scale_study();
  study.parameters = {
      {"OP", {std::string("+"), std::string("-"), std::string(""), std::string("long long")}, {}}};
  study.derived.clear();
  EXPECT_EQ(defines_for(study, {std::string("-")}),
            (std::map<std::string, std::string>{
                {"TUNE_OP", "-"}, {"TUNE_OP_IS_long_long", "0"}, {"TUNE_OP_IS_LONG_LONG", "0"}}));
}

TEST(CompileRequest, SubstitutesNamesInEntryAndOptions) {
  Study study = scale_study();
  study.kernel.entry = "scale<float, {BLOCK}, {per_block}>";
  study.kernel.options = {"-maxrregcount={BLOCK}", "-DN={n}", "-DCC={device.compute_capability}",
                          "-DBRACES={}", "-DINIT={1}"};
  const auto request = request_for(study, {std::int64_t{64}, std::int64_t{2}});
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->entry, "scale<float, 64, 128>");
  EXPECT_EQ(request->options, (std::vector<std::string>{"-maxrregcount=64", "-DN=1000", "-DCC=90",
                                                        "-DBRACES={}", "-DINIT={1}"}));
}

TEST(CompileRequest, SaysWhichPlaceholderHasNoValue) {
  Study study = scale_study();
  study.kernel.entry = "scale<{BLOK}>";
  const auto request = request_for(study, kBlock64);
  ASSERT_FALSE(request.has_value());
  EXPECT_EQ(request.error(), "'scale<{BLOK}>' has no value for {BLOK}");
}

// The reference may stand in the tuned kernel's file, which needs definitions to compile.
TEST(ReferenceRequest, HasTheDefinitionsOfTheFirstConfiguration) {
  Study study = scale_study();
  study.constraints = {expr("BLOCK == 128")};
  const auto request = reference_of(study);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->entry, "scale_reference");
  EXPECT_EQ(request->source_name, "/kernels/scale.cu");
  EXPECT_EQ(request->defines, (std::vector<std::pair<std::string, std::string>>{
                                  {"TUNE_BLOCK", "128"}, {"TUNE_VEC", "1"}}));
  study.reference->source = "/elsewhere/truth.cu";
  EXPECT_EQ(reference_of(study)->include_dirs, std::vector<std::string>{"/elsewhere"});
}

TEST(ReferenceRequest, HasConstantsUnlessItsSourceNeverWasTheKernels) {
  Study study = scale_study();
  study.constants = {scalar("factor", DataType::kFloat32, "2.0")};
  EXPECT_EQ(reference_of(study)->symbols, std::vector<std::string>{"factor"});
  study.reference->source = "/kernels/scale.cu";
  EXPECT_TRUE(reference_of(study)->symbols.empty());
  study.reference->shares_source = true;
  EXPECT_EQ(reference_of(study)->symbols, std::vector<std::string>{"factor"});
}

TEST(ReferenceRequest, HasTheValuesThatItsConfigurationNames) {
  Study study = scale_study();
  study.reference->configuration = {{"VEC", std::int64_t{4}}};
  const auto request = reference_of(study);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->defines[1], (std::pair<std::string, std::string>{"TUNE_VEC", "4"}));
}

// ---- geometry -----------------------------------------------------------------------------------

TEST(Geometry, EvaluatesAxesAndTakesEmptyOnesForOne) {
  LaunchSpec launch;
  launch.block = {expr("32"), expr("BY"), {}};
  launch.grid[0] = expr("ceil_div(n, 32 * BY)");
  launch.dynamic_shared_bytes = expr("4 * BY");
  const auto result = geometry(launch, {{"BY", std::int64_t{4}}, {"n", std::int64_t{1000}}});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->block, (std::array<std::uint32_t, 3>{32, 4, 1}));
  EXPECT_EQ(result->grid, (std::array<std::uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(result->dynamic_shared_bytes, 16U);
}

TEST(Geometry, TakesAWholeFloat) {
  LaunchSpec launch;
  launch.grid[0] = expr("128 / 4");  // true division
  EXPECT_EQ(geometry(launch, {})->grid[0], 32U);
}

TEST(Geometry, SaysWhichExpressionHasWhichValue) {
  const auto error_for = [](const std::string& text) {
    LaunchSpec launch;
    launch.grid[1] = expr(text);
    const auto result = geometry(launch, {{"BX", std::int64_t{3}}});
    return result ? std::string("none") : result.error();
  };
  EXPECT_EQ(error_for("BX - 3"),
            "grid.y 'BX - 3' is 0, must be a whole number from 1 to 4294967295");
  EXPECT_EQ(error_for("BX / 2"),
            "grid.y 'BX / 2' is 1.5, must be a whole number from 1 to 4294967295");
  EXPECT_EQ(error_for("-BX"), "grid.y '-BX' is -3, must be a whole number from 1 to 4294967295");
  EXPECT_EQ(error_for("2 ** 32"),
            "grid.y '2 ** 32' is 4294967296, must be a whole number from 1 to 4294967295");
  EXPECT_EQ(error_for("'wide'"),
            "grid.y ''wide'' is wide, must be a whole number from 1 to 4294967295");
  EXPECT_EQ(error_for("BX == 3"),
            "grid.y 'BX == 3' is true, must be a whole number from 1 to 4294967295");
  EXPECT_NE(error_for("BX // 0").find("grid.y 'BX // 0': "), std::string::npos);
  EXPECT_NE(error_for("BY").find("BY"), std::string::npos);
}

// ---- launch attributes --------------------------------------------------------------------------

TEST(LaunchAttributesOf, AreExpressionsOverParameters) {
  LaunchAttributesSpec spec;
  const Bindings names{{"C", std::int64_t{4}}, {"POLICY", std::string("spread")}};
  EXPECT_EQ(*launch_attributes(spec, names), LaunchAttributes{});
  spec.cluster = {expr("C"), expr("C / 2"), {}};
  spec.cooperative = expr("C > 3");
  spec.carveout = expr("25 * C");
  spec.scheduling = expr("POLICY");
  spec.programmatic = expr("C == 1");
  EXPECT_EQ(*launch_attributes(spec, names),
            (LaunchAttributes{{4, 2, 1}, true, 100, ClusterScheduling::kSpread, false}));
}

TEST(LaunchAttributesOf, SayWhichOneMakesNoSense) {
  const Bindings names{{"C", std::int64_t{40}}};
  const auto refused = [&](auto change) {
    LaunchAttributesSpec spec;
    change(spec);
    const auto result = launch_attributes(spec, names);
    return result ? "nothing" : result.error();
  };
  EXPECT_EQ(refused([](auto& spec) { spec.cluster[1] = expr("C"); }),
            "cluster.y 'C' is 40, must be a whole number from 1 to 16");
  EXPECT_EQ(refused([](auto& spec) { spec.carveout = expr("C * 3"); }),
            "carveout 'C * 3' is 120, must be a percentage from 0 to 100, or -1 for the driver's "
            "choice");
  EXPECT_EQ(refused([](auto& spec) { spec.scheduling = expr("'even'"); }),
            "scheduling ''even'' is even, must be 'default', 'spread' or 'load_balancing'");
  EXPECT_EQ(refused([](auto& spec) { spec.cooperative = expr("C // 0 == 1"); }),
            "cooperative 'C // 0 == 1': division by zero");
}

// Whichever value comes first, the right answers are not those of fast mathematics.
TEST(ReferenceRequest, HasNoOptionThatChangesAnswersForSomeConfigurationsOnly) {
  Study study = test::scale_study();
  study.parameters.push_back({"FAST", {std::int64_t{1}, std::int64_t{0}}, {}});
  study.derived.push_back({"fast", test::expr("'-lineinfo --use_fast_math -ftz=true' if FAST else "
                                              "'-lineinfo'")});
  study.kernel.options = {"{fast}", "-fmad=false", "-DUNROLL={VEC}"};
  const auto options_with = [&] {
    const SearchSpace space =
        SearchSpace::build(space_definition(study, study.sizes[0], test::h200()));
    const ReferenceCase one = reference_cases(study, space).front();
    const auto request = reference_request(study, space, one, test::h200(), "source");
    return request ? request->options : std::vector<std::string>{request.error()};
  };
  const std::vector<std::string> plain{"-lineinfo", "-fmad=false", "-DUNROLL=1"};
  EXPECT_EQ(options_with(), plain);
  study.reference->configuration = {{"FAST", std::int64_t{1}}};
  EXPECT_EQ(options_with(), (std::vector<std::string>{"-lineinfo", "--use_fast_math", "-ftz=true",
                                                      "-fmad=false", "-DUNROLL=1"}))
      << "the study says so";
}

}  // namespace
}  // namespace tuner
