// Problems and observers of plugins behind their ports, and what is said of studies that name them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "test_plugins.h"
#include "tuner/base/error.h"
#include "tuner/plugin/sdk_problem.h"

namespace tuner {
namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

ProblemArray array(const std::string& name, const std::vector<float>& numbers) {
  return {name, DataType::kFloat32, {numbers.size()}, numbers.size(), bytes_of(numbers)};
}

ProblemArray empty_array(const std::string& name, std::uint64_t elements) {
  return {name, DataType::kFloat32, {elements}, elements, {}};
}

class ProblemOfAPlugin : public testing::Test {
 protected:
  std::unique_ptr<Problem> ramp(const OptionList& options = {}) {
    auto made = catalogue.make_problem("ramp", options, {{"N", 3}});
    EXPECT_TRUE(made) << made.error();
    return std::move(*made);
  }
  Catalogue catalogue = load_test_plugins({"good", "bad"});
};

TEST_F(ProblemOfAPlugin, FillsAnInputOfEachSet) {
  const auto problem = ramp({{"base", "5"}});
  EXPECT_EQ(*problem->fill(0, empty_array("x", 3)), bytes_of({5, 6, 7}));
  EXPECT_EQ(*problem->fill(2, empty_array("x", 3)), bytes_of({25, 26, 27}));
}

TEST_F(ProblemOfAPlugin, AnswersFromWhatALaunchBeginsWith) {
  const auto answer = ramp()->answer(0, {array("x", {1, 2, 4})}, empty_array("y", 3));
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(*answer, bytes_of({2, 4, 8}));
}

TEST_F(ProblemOfAPlugin, JudgesInItsOwnMeasure) {
  const auto problem = ramp();
  const auto near = problem->judge(0, array("y", {1, 2.25F}), array("y", {1.25F, 2}));
  ASSERT_TRUE(near) << near.error();
  EXPECT_TRUE(near->right);
  EXPECT_EQ(near->error, 0.5);
  const auto far = problem->judge(0, array("y", {1, 3}), array("y", {1, 2}));
  EXPECT_FALSE(far->right);
  EXPECT_EQ(far->why, "off by 1.000000 in all");
  const auto nan =
      problem->judge(0, array("y", {std::numeric_limits<float>::quiet_NaN()}), array("y", {1}));
  EXPECT_FALSE(nan->right);
  EXPECT_EQ(nan->error, std::numeric_limits<double>::infinity());
}

TEST_F(ProblemOfAPlugin, SaysWhatItCannotDo) {
  EXPECT_EQ(ramp()->fill(0, empty_array("z", 3)).error(),
            "problem 'ramp', fill: it does not fill 'z'");
  ProblemArray whole = empty_array("x", 3);
  whole.type = DataType::kInt32;
  EXPECT_EQ(ramp()->fill(0, whole).error(),
            "problem 'ramp', fill: 'x' has another type than this problem works with");
  EXPECT_EQ(ramp()->answer(0, {}, empty_array("y", 3)).error(),
            "problem 'ramp', answer: the study has no input 'x'");
  EXPECT_EQ(catalogue.make_problem("ramp", {}, {{"M", 3}}).error(),
            "problem 'ramp': the problem size has no 'N'");
  EXPECT_EQ(catalogue.make_problem("ramp", {}, {{"N", 1001}}).error(),
            "problem 'ramp': N is above 1000");
}

TEST_F(ProblemOfAPlugin, WhatItThrowsBecomesAMessage) {
  const auto made = catalogue.make_problem("throwing-problem", {}, {{"N", 1}});
  ASSERT_TRUE(made) << made.error();
  const std::string head = "problem 'throwing-problem', ";
  EXPECT_EQ((*made)->fill(0, empty_array("x", 1)).error(),
            head + "fill: the plugin threw something that is no std::exception");
  EXPECT_EQ((*made)->answer(0, {}, empty_array("y", 1)).error(),
            head + "answer: it does not answer 'y'");
  EXPECT_EQ((*made)->judge(0, array("y", {1}), array("y", {1})).error(),
            head + "judge: 'y' has another type than this problem works with");
}

// Floats that C++ does not have are read as bits; all else as what it is.
TEST_F(ProblemOfAPlugin, WorksWithEveryType) {
  for (const sdk::TypeFacts& one : sdk::kTypes) {
    using namespace sdk::detail;
    const bool is_narrow = one.kind == sdk::NumberKind::kFloat && one.bytes < 4;
    EXPECT_EQ(holds<float>(one.type), one.type == TUNER_FLOAT32) << one.name;
    EXPECT_EQ(holds<double>(one.type), one.type == TUNER_FLOAT64) << one.name;
    EXPECT_EQ(holds<std::int16_t>(one.type), one.type == TUNER_INT16) << one.name;
    EXPECT_EQ(holds<std::uint64_t>(one.type), one.type == TUNER_UINT64) << one.name;
    EXPECT_EQ(holds<std::uint8_t>(one.type) || holds<std::uint16_t>(one.type),
              is_narrow || one.type == TUNER_UINT8 || one.type == TUNER_UINT16)
        << one.name;
  }
}

class ObserverOfAPlugin : public testing::Test {
 protected:
  ObserverOfAPlugin() {
    artifact.image = "12345";
    geometry.block[0] = 64;
  }
  Observed variant() const { return {device, artifact, geometry, resources, times}; }

  Catalogue catalogue = load_test_plugins({"good", "bad"});
  DeviceFacts device;
  Artifact artifact;
  LaunchGeometry geometry;
  Resources resources;
  std::vector<double> times{1, 2};
};

TEST_F(ObserverOfAPlugin, GivesTheValuesThatAreAskedForUnderTheMetricsNames) {
  const auto made = catalogue.make_observer("mirror", {{"launches", "3"}},
                                            {{"size", "image"}, {"threads", ""}, {"gap", "never"}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ((*made)->launches(), 3U);
  EXPECT_EQ((*made)->begin(variant()), std::nullopt);
  const auto seen = (*made)->end(variant());
  ASSERT_TRUE(seen) << seen.error();
  EXPECT_EQ(*seen, (Metrics{{"size", 5}, {"threads", 64}})) << "'never' has no value";
}

TEST_F(ObserverOfAPlugin, WhatItThrowsBecomesAMessage) {
  const auto made = catalogue.make_observer("throwing-observer", {}, {{"one", ""}});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ((*made)->begin(variant()), "observer 'throwing-observer', begin: out of host memory");
  EXPECT_EQ((*made)->end(variant()).error(),
            "observer 'throwing-observer', end: the observer gave another number of values than it "
            "lists");
  times.clear();
  const auto mirror = catalogue.make_observer("mirror", {}, {{"image", ""}});
  EXPECT_EQ((*mirror)->begin(variant()), "observer 'mirror', begin: nothing was timed");
}

std::string complaints_of(const Study& study) {
  try {
    load_test_plugins({"good", "bad"}).check_study(study);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StudysPlugins, AreLookedForWithTheirOptionsAndValues) {
  Study study;
  study.problem = {"ramp", {{"base", "3", {"s.yaml", 2, 5}}}, {"s.yaml", 2, 1}};
  study.observers = {{"threads", "mirror", "", {}, {}, {}}, {"n", "mirror", "begun", {}, {}, {}}};
  EXPECT_EQ(complaints_of(study), "");
  EXPECT_EQ(load_test_plugins({"good"}).versions_for(study),
            "problem 'ramp' of toy 1.2.3, observer 'mirror' of toy 1.2.3");
}

TEST(StudysPlugins, AllThatIsWrongIsSaidWhereItStands) {
  Study study;
  study.problem = {"ramp", {{"bas", "3", {"s.yaml", 2, 5}}}, {"s.yaml", 2, 1}};
  study.observers = {
      {"a", "miror", "", {}, {"s.yaml", 4, 9}, {}},
      {"thread", "mirror", "", {}, {"s.yaml", 5, 9}, {"s.yaml", 5, 1}},
      {"b", "mirror", "image", {{"launches", "10", {"s.yaml", 6, 30}}}, {"s.yaml", 6, 9}, {}}};
  EXPECT_EQ(complaints_of(study),
            "s.yaml:2:5: unknown option 'bas'; problem 'ramp' has: base=1, slack=0.5 (did you mean "
            "'base'?)\n"
            "s.yaml:4:9: there is no observer 'miror'; there are: mirror, throwing-observer (did "
            "you mean 'mirror'?)\n"
            "s.yaml:5:1: observer 'mirror' gives no 'thread'; it gives: image, threads, begun, "
            "never (did you mean 'threads'?)\n"
            "s.yaml:6:30: observer 'mirror': option 'launches' is '10': it must be a whole number "
            "from 0 to 9");
}

}  // namespace
}  // namespace tuner
