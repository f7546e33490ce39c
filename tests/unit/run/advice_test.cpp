// Configurations that are proposed from outside: measured first, kept with their source, and no
// mistake of a source ends a run.

#include "tuner/run/advice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "run_fixture.h"

namespace tuner::test {
namespace {

using Json = nlohmann::ordered_json;

Configuration config(std::int64_t block, std::int64_t vec) { return {block, vec}; }

class AdviceTest : public RunTest {
 protected:
  void add_file(const std::string& name, const std::string& text) {
    const auto file = folder.path() / name;
    write_file_atomically(file, text);
    add(AdviceSource::Kind::kFile, file.stem().string(), {file.string()});
  }
  void add(AdviceSource::Kind kind, const std::string& name, std::vector<std::string> words) {
    AdviceSource source;
    source.kind = kind;
    source.name = name;
    source.words = std::move(words);
    source.folder = folder.path();
    study.search.advice.push_back(std::move(source));
  }
  std::vector<Configuration> order() const {
    std::vector<Configuration> out;
    for (const Trial& trial : heard.trials) out.push_back(trial.configuration);
    return out;
  }
  std::string note_of(const std::string& source) const {
    const auto found = std::ranges::find_if(heard.notes, [&](const std::string& note) {
      return note.rfind("  advice " + source + ": ", 0) == 0;
    });
    return found == heard.notes.end() ? "" : found->substr(11 + source.size());
  }
};

TEST_F(AdviceTest, IsMeasuredBeforeTheStrategyAsksAndKeptWithItsSource) {
  device.capacity = 1;
  add_file("heuristics.json", R"([{"BLOCK": 128, "VEC": 2}, {"BLOCK": 64, "VEC": 4}])");
  const SizeOutcome outcome = tune();
  EXPECT_EQ(order(), (std::vector{config(128, 2), config(64, 4), config(64, 1), config(64, 2),
                                  config(128, 1), config(128, 4)}));
  EXPECT_EQ(note_of("heuristics"), "2 configurations are measured first, of 2 proposals");
  for (const Trial& trial : stored()) {
    const bool is_advised =
        trial.configuration == config(128, 2) || trial.configuration == config(64, 4);
    EXPECT_EQ(trial.advised.has_value(), is_advised);
    if (is_advised) EXPECT_EQ(trial.advised->by, "heuristics");
  }
  // 128, 2 takes 64 / 6 + 1, the best 64 / 12 + 1.
  ASSERT_EQ(outcome.results.advice.size(), 1U);
  EXPECT_EQ(outcome.results.advice[0].tried, 2U);
  EXPECT_NEAR(outcome.results.advice[0].loss.value(), (64.0 / 6 + 1) / (64.0 / 12 + 1) - 1, 1e-9);
}

TEST_F(AdviceTest, WhatIsNotValidIsMovedToTheNearestAndSaid) {
  device.capacity = 1;
  study.constraints = {expr("BLOCK * VEC <= 256")};
  add_file("a.json", R"([{"BLOCK": 128, "VEC": 4}, {"BLOCK": 100, "VEC": 2}])");
  tune();
  EXPECT_EQ(order()[0], config(64, 4));
  EXPECT_EQ(order()[1], config(128, 2));
  EXPECT_EQ(note_of("a"),
            "2 configurations are measured first, of 2 proposals; 2 were not valid here, moved to "
            "the nearest "
            "(BLOCK=128 to BLOCK=64)");
}

TEST_F(AdviceTest, WhatIsProposedTwiceIsMeasuredOnceForTheFirstWhoSaidSo) {
  add_file("a.json", R"([{"BLOCK": 64, "VEC": 4}, {"BLOCK": 64, "VEC": 4}])");
  add_file("b.json", R"([{"BLOCK": 64, "VEC": 4}, {"BLOCK": 64, "VEC": 2}])");
  tune();
  EXPECT_EQ(count_measured(), 6U);
  EXPECT_EQ(note_of("a"), "1 configuration is measured first, of 2 proposals");
  EXPECT_EQ(heard.trials.front().advised->by, "a");
}

TEST_F(AdviceTest, TakesHalfOfTheEvaluationsAtMost) {
  study.search.budget.evaluations = 4;
  device.capacity = 1;
  add_file("a.json", R"([{"VEC": 4}, {"VEC": 2}])");
  tune();
  EXPECT_EQ(std::ranges::count_if(heard.trials, [](const Trial& t) { return !!t.advised; }), 2);
  EXPECT_EQ(count_measured(), 4U);
}

TEST_F(AdviceTest, NonsenseCostsASentenceAndTheRunGoesOn) {
  add_file("prose.json", "use big tiles");
  add_file("other.json", R"([{"TILE_Q": 4}])");
  add_file("empty.json", "[]");
  add(AdviceSource::Kind::kFile, "gone", {"/no/such/file"});
  add(AdviceSource::Kind::kCommand, "missing", {"no-such-program"});
  add(AdviceSource::Kind::kCommand, "failing", {"sh", "-c", "echo no luck >&2; exit 4"});
  add(AdviceSource::Kind::kPlugin, "unloaded", {"unloaded"});
  EXPECT_EQ(tune().measured, 6U);
  EXPECT_EQ(note_of("prose"), "none can be used; " + (folder.path() / "prose.json").string() +
                                  ":1:1: this is not valid JSON");
  EXPECT_EQ(note_of("other"),
            "none can be used; " + (folder.path() / "other.json").string() +
                ":1:2: the study has no parameter 'TILE_Q', nor any other that this configuration "
                "names (known: BLOCK and VEC)");
  EXPECT_EQ(note_of("empty"), "it proposes nothing");
  EXPECT_EQ(note_of("gone"), "nothing: there is no such file");
  EXPECT_EQ(note_of("missing").rfind("nothing: cannot be run", 0), 0U) << note_of("missing");
  EXPECT_EQ(note_of("failing"), "nothing: ended with status 4: no luck");
  EXPECT_EQ(note_of("unloaded"), "nothing: no plugins are loaded here");
}

TEST_F(AdviceTest, AProgramGetsHalfOfTheTimeThatIsLeft) {
  study.search.budget.seconds = 0.6;
  add(AdviceSource::Kind::kCommand, "slow", {"sleep", "100"});
  tune();
  EXPECT_EQ(note_of("slow").rfind("nothing: took longer than 0.", 0), 0U) << note_of("slow");
}

TEST_F(AdviceTest, AProgramHearsOfStudySizeAndDevice) {
  add(AdviceSource::Kind::kCommand, "echo",
      {"sh", "-c", "cat >question; echo '[{\"VEC\": 4, \"BLOCK\": 128}]'"});
  tune();
  const Json question = Json::parse(read_file(folder.path() / "question"));
  EXPECT_EQ(question.at("study"), "scale");
  EXPECT_EQ(question.at("size"), (Json{{"n", 1000}}));
  EXPECT_EQ(question.at("device").at("name"), "Fake GPU");
  EXPECT_EQ(question.at("parameters").at("VEC"), (Json{1, 2, 4}));
  EXPECT_EQ(question.at("arguments").at("y"),
            (Json{{"type", "float32"}, {"read", false}, {"written", true}}));
  EXPECT_EQ(heard.trials.front().configuration, config(128, 4));
}

TEST_F(AdviceTest, ASourceWithoutAnAnswerIsNotAskedAgain) {
  add(AdviceSource::Kind::kCommand, "once", {"sh", "-c", "echo x >>asked; exit 1"});
  study.sizes.push_back({{{"n", 2000}}});
  with_run([&](DeviceRun& run) {
    for (const ProblemSize& size : study.sizes) run.tune(size);
  });
  EXPECT_EQ(read_file(folder.path() / "asked"), "x\n");
}

TEST_F(AdviceTest, ARepeatedRunMeasuresNothingAgain) {
  add_file("a.json", R"([{"BLOCK": 128, "VEC": 2}])");
  tune();
  EXPECT_EQ(tune().measured, 0U);
}

// A module that stands in for NVIDIA's.
constexpr const char* kModule = R"(
import enum
class NvMatmulHeuristicsNvidiaGpu(enum.IntEnum):
    A100_SXM_80GB = 1
    H100_SXM = 2
    H100_PCIE = 3
    H200_SXM = 4
class NvMatmulHeuristicsTarget(enum.IntEnum):
    CUTLASS = 2
    CUTLASS3 = 4
class NvMatmulHeuristicsMatmulLayout(enum.IntEnum):
    NN_ROW_MAJOR = 0
class Kernel: pass
class NvMatmulHeuristicsInterfaceEx:
    def __init__(self, backend, gpu):
        assert backend.name == "CUTLASS3" and gpu.name == "H200_SXM", (backend, gpu)
    def makeNvMatmulHeuristicsProblem(self, m, n, k, layout):
        assert (m, n, k) == (1, 2, 3)
    def get(self, problem, count, precision):
        assert precision == "SSS", precision
        kernel = Kernel()
        kernel.cta_tile_m, kernel.stages = 128, 2
        return [{"kernel": kernel}]
)";

class NvMatmul : public AdviceTest {
 protected:
  NvMatmul() {
    add(AdviceSource::Kind::kNvMatmul, "nvmatmul", {});
    study.search.advice.front().fields = {{"BLOCK", "tile_m"}, {"VEC", "stages"}};
    study.sizes = {{{{"M", 1}, {"N", 2}, {"K", 3}}}};
    study.derived.clear();
    study.launch.grid[0] = expr("M");
    for (ArgumentSpec& one : study.arguments) one.shape = {expr("M")};
    study.arguments.pop_back();
    study.reference.reset();
    device.facts.name = "NVIDIA H200";
    device.facts.compute_capability = 90;
  }
  ~NvMatmul() override { ::unsetenv("PYTHONPATH"); }
};

TEST_F(NvMatmul, GivesItsFieldsToTheParameters) {
  write_file_atomically(folder.path() / "nvMatmulHeuristics.py", kModule);
  ::setenv("PYTHONPATH", folder.path().c_str(), 1);
  device.capacity = 1;
  tune();
  EXPECT_EQ(note_of("nvmatmul"), "1 configuration is measured first, of 1 proposal");
  EXPECT_EQ(heard.trials.front().configuration, config(128, 2));
}

TEST_F(NvMatmul, IsASentenceWhereItIsNotInstalledOrTheSizeIsNoProducts) {
  ::setenv("PYTHONPATH", folder.path().c_str(), 1);
  write_file_atomically(folder.path() / "nvMatmulHeuristics.py", "raise ImportError()\n");
  tune();
  EXPECT_EQ(note_of("nvmatmul"),
            "nothing: ended with status 1: it is not installed for this python3 (pip install "
            "nvidia-matmul-heuristics)");
  study.sizes = {{{{"M", 1}, {"n", 2}}}};
  heard.notes.clear();
  tune();
  EXPECT_EQ(note_of("nvmatmul"),
            "nothing: ended with status 1: the problem size has no M, N and K");
}

}  // namespace
}  // namespace tuner::test
