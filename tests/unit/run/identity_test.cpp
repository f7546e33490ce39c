// What makes an old trial answer for a new one, and what does not.

#include "tuner/history/identity.h"

#include <fstream>

#include "run_fixture.h"

namespace tuner::test {
namespace {

class IdentityTest : public ::testing::Test {
 protected:
  ContextKey key() const {
    return context_key(study, device, study.sizes.front(),
                       {source, data, compiler, options, plugins});
  }
  // What differs after `change`, by component.
  template <typename Change>
  std::string changed(Change change) {
    const ContextKey before = key();
    change();
    std::string names;
    for (const std::string& one : differences(before, key())) {
      names += (names.empty() ? "" : " ") + one.substr(0, one.find(':'));
    }
    return names;
  }

  Study study = scale_study();
  DeviceFacts device = h200();
  std::string source = "digest";
  std::shared_ptr<FileDigests> data = std::make_shared<FileDigests>();
  std::string compiler = "nvrtc 13.0";
  std::string options;
  std::string plugins;
};

TEST_F(IdentityTest, WhatIsLeftToPluginsCountsWithOptionsAndVersions) {
  EXPECT_EQ(changed([&] { study.problem = {"csr", {{"exponent", "1"}}, {}}; }), "inputs");
  EXPECT_EQ(changed([&] { study.problem->options[0].value = "2"; }), "inputs");
  study.verify = {{"y", {}}};
  EXPECT_EQ(changed([&] { study.verify[0].second.by_problem = true; }), "verify");
  EXPECT_EQ(changed([&] {
              study.observers = {{"m", "counters", "misses", {}, {}, {}}};
            }),
            "measuring");
  EXPECT_EQ(changed([&] { plugins = "problem 'csr' of sparse 1.1"; }), "plugins");
}

TEST_F(IdentityTest, ListsOfValuesAndConstraintsDoNotCount) {
  EXPECT_EQ(changed([&] {
              study.parameters[0].values.push_back(std::int64_t{256});
              study.constraints.push_back(expr("BLOCK < 200"));
            }),
            "");
}

TEST_F(IdentityTest, MetricsObjectiveAndSearchDoNotCount) {
  EXPECT_EQ(changed([&] {
              study.metrics = {{"rate", expr("n / time")}};
              study.objective = {"rate", true, {}};
              study.search.strategy = "random";
              study.measure.finalists = 64;
              study.measure.simpler_within = 0;
            }),
            "");
}

TEST_F(IdentityTest, ANewParameterChangesTheDefinitions) {
  EXPECT_EQ(changed([&] {
              study.parameters.push_back({"PAD", {std::int64_t{0}}, {}});
            }),
            "parameters definitions");
}

TEST_F(IdentityTest, EntryAndPrefixAreDefinitions) {
  EXPECT_EQ(changed([&] { study.kernel.entry = "scale_fast"; }), "definitions");
  EXPECT_EQ(changed([&] { study.kernel.define_prefix = "X_"; }), "definitions");
}

TEST_F(IdentityTest, CompilerOptionsCount) {
  EXPECT_EQ(changed([&] { study.kernel.options = {"-use_fast_math"}; }), "options");
}

TEST_F(IdentityTest, LaunchAndDerivedNamesCount) {
  EXPECT_EQ(changed([&] { study.launch.grid[0] = expr("n"); }), "launch");
  EXPECT_EQ(changed([&] { study.derived.push_back({"third", expr("n // 3")}); }), "launch");
  EXPECT_EQ(changed([&] { study.launch.dynamic_shared_bytes = expr("1024"); }), "launch");
  LaunchAttributesSpec& attributes = study.launch.attributes;
  EXPECT_EQ(changed([&] { attributes.cluster[1] = expr("2"); }), "launch");
  EXPECT_EQ(changed([&] { attributes.cooperative = expr("True"); }), "launch");
  EXPECT_EQ(changed([&] { attributes.carveout = expr("50"); }), "launch");
  EXPECT_EQ(changed([&] { study.limits.stack = 4096; }), "launch");
  EXPECT_EQ(changed([&] { attributes.scheduling = expr("'spread'"); }), "launch");
}

TEST_F(IdentityTest, InputsCount) {
  EXPECT_EQ(changed([&] { study.arguments[0].type = DataType::kFloat64; }), "inputs");
  EXPECT_EQ(changed([&] { study.arguments[0].fill.b = 2; }), "inputs");
  EXPECT_EQ(changed([&] { study.arguments[0].shape = {expr("n + 1")}; }), "inputs");
}

TEST_F(IdentityTest, WhenAWorkspaceIsZeroedCounts) {
  EXPECT_EQ(changed([&] { study.arguments[0].zero = Zero::kEach; }), "") << "it is no workspace";
  EXPECT_EQ(changed([&] { study.arguments[0].role = Role::kWorkspace; }), "inputs");
  EXPECT_EQ(changed([&] { study.arguments[0].zero = Zero::kOnce; }), "inputs");
}

TEST_F(IdentityTest, ReferenceAndTolerancesCount) {
  EXPECT_EQ(changed([&] { study.reference->entry = "other"; }), "verify");
  EXPECT_EQ(changed([&] { study.reference->seeds = 3; }), "verify");
  EXPECT_EQ(changed([&] { study.reference.reset(); }), "verify");
}

TEST_F(IdentityTest, WhatChangesAMeasurementCounts) {
  EXPECT_EQ(changed([&] { study.measure.cache = CacheState::kHot; }), "measuring");
  EXPECT_EQ(changed([&] { study.measure.cache = CacheState::kRotate; }), "measuring");
  EXPECT_EQ(changed([&] { study.measure.mode = LaunchMode::kGraph; }), "measuring");
  EXPECT_EQ(changed([&] { study.measure.inputs = TimedInputs::kFresh; }), "measuring");
  EXPECT_EQ(changed([&] { study.measure.min_samples = 9; }), "measuring");
  EXPECT_EQ(changed([&] { study.measure.drop_above = 4; }), "measuring");
}

TEST_F(IdentityTest, TellsHowLaunchesWereTimed) {
  const auto told = [&] { return timed_how(key()); };
  EXPECT_EQ(told(), (TimedHow{LaunchMode::kStream, CacheState::kCold}));
  study.measure.mode = LaunchMode::kGraph;
  study.measure.cache = CacheState::kRotate;
  EXPECT_EQ(told(), (TimedHow{LaunchMode::kGraph, CacheState::kRotate}));
  study.measure.inputs = TimedInputs::kFresh;
  EXPECT_EQ(told(), (TimedHow{LaunchMode::kGraph, CacheState::kRotate, TimedInputs::kFresh}));
  EXPECT_EQ(timed_how({}), std::nullopt);
}

TEST_F(IdentityTest, SourceCompilerDriverDeviceAndBackendOptionsCount) {
  EXPECT_EQ(changed([&] { source = "another"; }), "source");
  EXPECT_EQ(changed([&] { compiler = "nvrtc 13.1"; }), "compiler");
  EXPECT_EQ(changed([&] { device.driver = "999.9"; }), "driver");
  EXPECT_EQ(changed([&] { options = "order=random"; }), "backend options");
}

TEST_F(IdentityTest, TwoDevicesOfOneModelAnswerForEachOther) {
  EXPECT_EQ(changed([&] { device.uuid = "GPU-2"; }), "");
}

TEST_F(IdentityTest, DataFilesCountByTheirContents) {
  const ScratchFolder folder;
  const auto file = folder.path() / "x.bin";
  std::ofstream(file) << "one";
  study.arguments[0].fill.kind = FillSpec::Kind::kFile;
  study.arguments[0].fill.file = file;
  EXPECT_EQ(changed([&] { std::ofstream(file) << "two"; }), "inputs");
}

TEST_F(IdentityTest, AStudyWithoutAReferenceSaysSo) {
  EXPECT_FALSE(has_no_reference(key()));
  study.reference.reset();
  study.verify.clear();
  EXPECT_TRUE(has_no_reference(key()));
}

}  // namespace
}  // namespace tuner::test
