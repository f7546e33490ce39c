#include "tuner/plugin/adapters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "test_plugins.h"
#include "tuner/model/json.h"
#include "tuner/plugin/sdk_strategy.h"
#include "tuner/plugin/space_table.h"

namespace tuner {
namespace {

// The numbers that cross the boundary are those of the model.
static_assert(static_cast<std::uint32_t>(DataType::kUInt64) == TUNER_UINT64);
static_assert(static_cast<std::uint32_t>(DataType::kBFloat16) == TUNER_BFLOAT16);
static_assert(static_cast<std::uint32_t>(DataType::kInt8) == TUNER_INT8);
static_assert(static_cast<std::uint32_t>(DeviceError::kDeviceLost) == TUNER_DEVICE_LOST);
static_assert(static_cast<std::uint32_t>(DeviceError::kLaunch) == TUNER_LAUNCH_REFUSED);
static_assert(static_cast<std::uint32_t>(Fill::Kind::kSequence) == TUNER_FILL_SEQUENCE);
static_assert(static_cast<std::uint32_t>(Fill::Kind::kUniform) == TUNER_FILL_UNIFORM);
static_assert(static_cast<std::uint32_t>(Fill::Kind::kZipf) == TUNER_FILL_ZIPF);

class Adapters : public testing::Test {
 protected:
  std::unique_ptr<Backend> open(std::uint32_t device = 0) {
    auto opened = catalogue.open_backend("toy", device);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  Catalogue catalogue = load_test_plugins({"good", "bad"});
  SearchSpace space = test_space();
};

TEST_F(Adapters, TheSpaceSeenThroughTheTableIsTheSpace) {
  const tuner_space table = space_table(space);
  const sdk::Space seen(&table);
  ASSERT_EQ(seen.size(), space.size());
  ASSERT_EQ(seen.parameter_count(), 3U);
  EXPECT_EQ(seen.name(2), "mode");
  EXPECT_EQ(seen.value_count(1), 4U);
  EXPECT_EQ(seen.value(0, 2), 8.0);
  EXPECT_EQ(seen.value(2, 1), 1.0);
  EXPECT_TRUE(seen.ordered(1));
  EXPECT_FALSE(seen.ordered(2));
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    std::vector<std::uint32_t> direct(3);
    space.positions(i, direct);
    EXPECT_EQ(seen.positions(i), direct);
    EXPECT_EQ(seen.index_of(direct), i);
    std::vector<ConfigIndex> near;
    space.neighbours(direct, Neighbourhood::kAdjacent, near);
    EXPECT_EQ(seen.neighbours(i, TUNER_ADJACENT), near);
    near.clear();
    space.neighbours(direct, Neighbourhood::kHamming, near);
    EXPECT_EQ(seen.neighbours(i, TUNER_HAMMING), near);
  }
}

TEST_F(Adapters, APluginsWrongNumbersGetEmptyAnswers) {
  const tuner_space table = space_table(space);
  const sdk::Space seen(&table);
  EXPECT_EQ(seen.name(3), "");
  EXPECT_EQ(seen.value_count(99), 0U);
  EXPECT_TRUE(std::isnan(seen.value(0, 3)));
  EXPECT_EQ(seen.index_of(std::vector<std::uint32_t>{0, 4, 0}), std::nullopt);
  EXPECT_EQ(seen.index_of(std::vector<std::uint32_t>{2, 3, 0}), std::nullopt);  // 8 * 4 > 8
  EXPECT_EQ(seen.positions(space.size()), (std::vector<std::uint32_t>{0, 0, 0}));
}

TEST_F(Adapters, IndicesAbove64BitsCross) {
  const ConfigIndex big = (ConfigIndex{5} << 64) | 7U;
  EXPECT_EQ(sdk::from_abi(sdk::to_abi(big)), big);
}

TEST_F(Adapters, StrategiesAskAndAreTold) {
  const auto strategy =
      catalogue.make_strategy("sequence", space_table(space), 1, {}, {{"start", "2"}});
  EXPECT_EQ(strategy->ask(3), (std::vector<ConfigIndex>{2, 3, 4}));
  strategy->tell({2, state_number(TrialState::kOk), {1.0}, 0.1});
  EXPECT_EQ(strategy->ask(1), (std::vector<ConfigIndex>{5}));
  EXPECT_THROW(strategy->tell({3, state_number(TrialState::kRuntime), {}, 0.1}), FatalError);
  strategy->tell({3, state_number(TrialState::kOk), {-1.0}, 0.1});
  EXPECT_TRUE(strategy->ask(1).empty());
}

TEST_F(Adapters, StrategiesLearnFromOtherPlaces) {
  const auto strategy = catalogue.make_strategy("sequence", space_table(space), 1, {}, {});
  strategy->learn({0.4, {{1, 0.0}}});
  strategy->learn({1, {{1, 0.2}, {4, 0.0}, {2, std::numeric_limits<double>::infinity()}}});
  EXPECT_EQ(strategy->ask(2), (std::vector<ConfigIndex>{4, 5}));
  EXPECT_THROW(strategy->learn({1, {}}), FatalError);
}

TEST_F(Adapters, AStrategyWithoutAPriorFunctionIsToldInVain) {
  const auto strategy = catalogue.make_strategy("backwards", space_table(space), 1, {}, {});
  strategy->learn({1, {{0, 0.0}}});
  EXPECT_EQ(strategy->ask(1), (std::vector<ConfigIndex>{space.size() - 1}));
}

TEST_F(Adapters, AStrategyOrdersWhatIsCompiled) {
  const auto strategy = catalogue.make_strategy("sequence", space_table(space), 1, {}, {});
  EXPECT_EQ(strategy->order({2, 5, 3}), (std::vector<ConfigIndex>{5, 3, 2}));
  EXPECT_THROW(strategy->order({1}), FatalError);
  const auto plain_c = catalogue.make_strategy("backwards", space_table(space), 1, {}, {});
  EXPECT_EQ(plain_c->order({2, 5, 3}), (std::vector<ConfigIndex>{2, 5, 3}));
}

TEST_F(Adapters, AStrategyInPlainCWalksTheWholeSpaceOnce) {
  const auto strategy = catalogue.make_strategy("backwards", space_table(space), 1, {}, {});
  std::vector<ConfigIndex> all;
  for (auto some = strategy->ask(4); !some.empty(); some = strategy->ask(4)) {
    all.insert(all.end(), some.begin(), some.end());
  }
  ASSERT_EQ(all.size(), space.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], all.size() - 1 - i);
}

TEST_F(Adapters, AStrategyThatLeavesTheSpaceIsStopped) {
  const auto outside = catalogue.make_strategy("outside", space_table(space), 1, {}, {});
  EXPECT_THROW(outside->ask(1), FatalError);
  const auto too_many = catalogue.make_strategy("too-many", space_table(space), 1, {}, {});
  EXPECT_THROW(too_many->ask(2), FatalError);
}

TEST_F(Adapters, CompileRequestsCrossWhole) {
  const auto compiler = catalogue.make_compiler("toy");
  EXPECT_EQ(compiler->identity(), "toy 1");
  CompileRequest request;
  request.source = std::string("a\0b", 3);
  request.arch = "sm_90";
  request.entry = "k";
  request.include_dirs = {"/inc"};
  request.options = {"-O", "-g"};
  request.defines = {{"A", "1"}, {"B", ""}};
  request.symbols = {"table"};
  request.then = {"finish"};
  const auto artifact = compiler->compile(request);
  ASSERT_TRUE(artifact) << artifact.error().log;
  EXPECT_EQ(artifact->image, std::string("a\0b", 3) + "|sm_90|I/inc|-O|-g|DA=1|DB=");
  EXPECT_EQ(artifact->entry, "lowered_k");
  EXPECT_EQ(artifact->log, "a warning");
  ASSERT_EQ(artifact->symbols.size(), 1U);
  EXPECT_EQ(artifact->symbols[0].second, "lowered_table");
  EXPECT_EQ(artifact->resources.registers, 17);
  EXPECT_EQ(artifact->resources.local_bytes, -1);
  ASSERT_EQ(artifact->then.size(), 1U);
  EXPECT_EQ(artifact->then[0].entry, "lowered_finish");
  EXPECT_EQ(artifact->then[0].resources.registers, 5);
  EXPECT_EQ(artifact->resources.spill_bytes, 8 + 4) << "of all kernels together";
  request.source = "error";
  request.source_name = "x.cu";
  const auto failed = compiler->compile(request);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().log, "x.cu: error: as asked");
}

TEST_F(Adapters, DevicesAreCountedAndDescribed) {
  const auto count = catalogue.device_count("toy");
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 2U);
  const auto backend = open(1);
  EXPECT_EQ(backend->facts().backend, "toy");
  EXPECT_EQ(backend->facts().name, "Toy One");
  EXPECT_EQ(backend->facts().arch, std::string(32, 'x'));
  EXPECT_EQ(backend->facts().max_grid[2], 7);
  const auto facts = encoded<nlohmann::json>(backend->facts());
  const auto usual_facts = encoded<nlohmann::json>(DeviceFacts{});
  for (const auto& [name, usual] : usual_facts.items()) {
    EXPECT_NE(facts.at(name), usual) << name << " does not arrive";
  }
  const auto absent = catalogue.open_backend("toy", 2);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, "there are 2 devices");
  const auto bad_value = [&] {
    static_cast<void>(catalogue.open_backend("toy", 0, {{"order", "sideways"}}));
  };
  EXPECT_THROW(bad_value(), InputError);
}

TEST_F(Adapters, BuffersAreFilledCopiedAndCompared) {
  const auto backend = open();
  const auto a = backend->memory().allocate(16);
  const auto b = backend->memory().allocate(16);
  ASSERT_TRUE(a && b);
  ASSERT_TRUE(backend->memory().fill({*a, 0}, 16, {Fill::Kind::kBytes, DataType::kUInt8, 3, 0, 0}));
  ASSERT_TRUE(backend->memory().copy({*b, 0}, {*a, 0}, 16));
  const std::byte nine{9};
  ASSERT_TRUE(backend->memory().upload({*b, 5}, std::span(&nine, 1)));
  const auto found = backend->memory().compare({*a, 0}, {*b, 0}, DataType::kUInt8, 16, 0, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->mismatches, 1U);
  EXPECT_EQ(found->first_mismatch, 5U);
  EXPECT_EQ(found->first_value, 3);
  EXPECT_EQ(found->first_expected, 9);
  std::byte back[2];
  ASSERT_TRUE(backend->memory().download({*b, 4}, back));
  EXPECT_EQ(back[1], nine);
  const auto outside = backend->memory().download({*b, 15}, back);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().error, DeviceError::kInvalid);
  backend->memory().release(*a);
  EXPECT_FALSE(backend->memory().download({*a, 0}, back));
  const auto huge = backend->memory().allocate(std::uint64_t{1} << 40);
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().error, DeviceError::kOutOfMemory);
  EXPECT_EQ(huge.error().message, "a toy has one megabyte");
}

TEST_F(Adapters, LaunchesCarryArgumentsAndClassifyFailures) {
  const auto backend = open();
  Artifact artifact;
  artifact.image = "x";
  artifact.entry = "kernel";
  artifact.resources.spill_bytes = 4;
  const auto kernel = backend->load(artifact);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->resources.registers, 42);
  EXPECT_EQ(kernel->resources.spill_bytes, 4);
  const BufferId buffer = *backend->memory().allocate(8);
  const std::int32_t seven = 7;
  std::vector<LaunchArgument> arguments(2);
  arguments[0] = {true, {buffer, 4}, {}};
  arguments[1].scalar.resize(sizeof seven);
  std::memcpy(arguments[1].scalar.data(), &seven, sizeof seven);
  LaunchGeometry geometry;
  ASSERT_TRUE(backend->launch({{kernel->id, geometry, arguments}}));
  std::int32_t back = 0;
  ASSERT_TRUE(backend->memory().download({buffer, 4}, std::as_writable_bytes(std::span(&back, 1))));
  EXPECT_EQ(back, 7);

  const auto times = backend->time({{kernel->id, geometry, arguments}}, {3, 1, true, {}});
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (std::vector<double>{1, 2, 3}));

  geometry.dynamic_shared_bytes = 101;
  EXPECT_EQ(backend->launch({{kernel->id, geometry, arguments}}).error().error,
            DeviceError::kLaunch);
  geometry.dynamic_shared_bytes = 0;
  geometry.grid[2] = 9;
  EXPECT_EQ(backend->launch({{kernel->id, geometry, arguments}}).error().error,
            DeviceError::kRuntime);
  EXPECT_EQ(backend->set_symbol(kernel->id, "c", {}).error().error, DeviceError::kUnsupported);
  EXPECT_EQ(backend->load({}).error().error, DeviceError::kInvalid);
  backend->unload(kernel->id);  // throws inside
}

TEST_F(Adapters, LaunchesThatFollowCrossInTheirOrder) {
  const auto backend = open();
  Artifact artifact;
  artifact.image = "x";
  artifact.entry = "kernel";
  artifact.then = {{"finish", {}}, {"last", {}}};
  const auto kernel = backend->load(artifact);
  ASSERT_TRUE(kernel);
  ASSERT_EQ(kernel->then.size(), 2U);
  EXPECT_EQ(kernel->then[1].resources.registers, 7);
  const BufferId buffer = *backend->memory().allocate(12);
  LaunchSequence sequence;
  const KernelId ids[] = {kernel->id, kernel->then[0].id, kernel->then[1].id};
  for (std::uint32_t i = 0; i < 3; ++i) {
    KernelLaunch& one = sequence.emplace_back(KernelLaunch{ids[i], {}, {}});
    one.arguments.push_back({true, {buffer, 4 * i}, {}});
    one.arguments.push_back({false, {}, scalar_bytes(DataType::kInt32, std::int64_t{i + 5})});
  }
  ASSERT_TRUE(backend->launch(sequence));
  std::int32_t back[3] = {};
  ASSERT_TRUE(backend->memory().download({buffer, 0}, std::as_writable_bytes(std::span(back))));
  EXPECT_EQ(std::vector<std::int32_t>(back, back + 3), (std::vector<std::int32_t>{5, 6, 7}));
  sequence[2].geometry.dynamic_shared_bytes = 101;
  EXPECT_EQ(backend->launch(sequence).error().error, DeviceError::kLaunch);
  artifact.then = {{"", {}}};
  EXPECT_EQ(backend->load(artifact).error().message, "no such kernel");
}

TEST_F(Adapters, LaunchAttributesReachWhoLooksAtThem) {
  const auto backend = open(0);
  KernelLaunch launch{1, {}, {{true, {1, 0}, {}}, {false, {}, std::vector<std::byte>(4)}}};
  launch.geometry.attributes.cooperative = true;
  const auto refused = backend->launch({launch});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, DeviceError::kLaunch);
  EXPECT_EQ(refused.error().message, "too many blocks at once");
}

// The toy's class does not say that it zeroes memory, so the SDK refuses for it.
TEST_F(Adapters, ABackendThatZeroesNothingRunsNoVariantThatNeedsIt) {
  const auto backend = open();
  LaunchSequence sequence{KernelLaunch{1, {}, {}}};
  sequence.front().zeros = {{{1, 0}, 4}};
  const DeviceFailure refused[] = {backend->launch(sequence).error(),
                                   backend->time(sequence, {}).error()};
  for (const DeviceFailure& one : refused) {
    EXPECT_EQ(one.error, DeviceError::kUnsupported);
    EXPECT_EQ(one.message, "this backend cannot zero memory before each launch ('zero: each')");
  }
}

}  // namespace
}  // namespace tuner
