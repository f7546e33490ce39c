// A plugin that was built with the headers of interface 2.0 (tests/data/abi2.0) goes on working.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "test_plugins.h"
#include "tuner/plugin/space_table.h"

namespace tuner {
namespace {

class KeptInterface : public testing::Test {
 protected:
  Catalogue catalogue = load_test_plugins({"kept"});
};

TEST_F(KeptInterface, APluginOf20IsLoadedWithoutAComplaint) {
  const auto loaded = load_plugin(test_plugin_directory("kept") / "kept.so");
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ((*loaded)->abi_minor, 0);
  EXPECT_TRUE(catalogue.problems().empty());
}

TEST_F(KeptInterface, ItsStrategyAsksIsToldAndLearns) {
  const SearchSpace space = test_space();
  const auto strategy =
      catalogue.make_strategy("sequence", space_table(space), 1, {}, {{"start", "2"}});
  EXPECT_EQ(strategy->ask(2), (std::vector<ConfigIndex>{2, 3}));
  strategy->tell({2, TrialState::kOk, {1.0}, 0.1});
  strategy->learn({1, {{7, 0.0}}});
  EXPECT_EQ(strategy->ask(1), std::vector<ConfigIndex>{7});
  EXPECT_EQ(strategy->order({3, 7}), (std::vector<ConfigIndex>{3, 7})) << "it has no opinion";
}

TEST_F(KeptInterface, ItsCompilerAndItsBackendWork) {
  CompileRequest request;
  request.source = "source";
  request.arch = "sm_90";
  request.entry = "k";
  const auto artifact = catalogue.make_compiler("toy")->compile(request);
  ASSERT_TRUE(artifact) << artifact.error().log;
  EXPECT_EQ(artifact->entry, "lowered_k");
  const auto backend = catalogue.open_backend("toy", 1);
  ASSERT_TRUE(backend) << backend.error().message;
  EXPECT_EQ((*backend)->facts().max_grid[2], 7);
  const auto kernel = (*backend)->load(*artifact);
  ASSERT_TRUE(kernel) << kernel.error().message;
  const BufferId buffer = *(*backend)->memory().allocate(4);
  KernelLaunch launch{kernel->id, {}, {}};
  launch.arguments.push_back({true, {buffer, 0}, {}});
  launch.arguments.push_back({false, {}, scalar_bytes(DataType::kInt32, std::int64_t{7})});
  ASSERT_TRUE((*backend)->launch({launch}));
  std::int32_t back = 0;
  const auto bytes = std::as_writable_bytes(std::span(&back, 1));
  ASSERT_TRUE((*backend)->memory().download({buffer, 0}, bytes));
  EXPECT_EQ(back, 7);
  EXPECT_EQ((*(*backend)->time({launch}, {2, 1, true, {}})), (std::vector<double>{1, 2}));
}

TEST_F(KeptInterface, ItsExporterWrites) {
  const auto document = [](const Study&, const std::vector<RankedResults>&) {
    return std::string("results ");
  };
  const auto exporter = catalogue.make_exporter("echo", document, {{"times", "2"}});
  EXPECT_EQ(exporter->write({}, {}, "-").at(0).text, "results results ");
}

}  // namespace
}  // namespace tuner
