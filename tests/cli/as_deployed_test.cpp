// How launches are timed, as a user sees it: in turns on copies of the buffers, from graphs where
// the backend has them, with launch attributes.

#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

// The small study, measured as asked, with more in its launch.
void write_study(const Sandbox& sandbox, const std::string& measure,
                 const std::string& launch = "") {
  std::string study = text_of(data("studies/tiny.yaml"));
  study.replace(study.find("launch:\n"), 8, "launch:\n" + launch);
  sandbox.write("tiny.cu", text_of(data("studies/tiny.cu")));
  sandbox.write("tiny.yaml", study + "measure: {" + measure + "}\n");
}

Finished tuned(const Sandbox& sandbox) {
  return run(sandbox, {"run", "tiny.yaml", "--backend", "cpu", "--size", "n=3000"});
}

TEST(AsDeployed, ResultsOfOneWayAreNotThoseOfAnother) {
  const Sandbox sandbox;
  write_study(sandbox, "cache: hot");
  ASSERT_EQ(tuned(sandbox).status, 0);
  EXPECT_EQ(ranking_of(sandbox, "axpy").at(0).at("cache"), "hot");
  write_study(sandbox, "cache: rotate");
  const auto turned = tuned(sandbox);
  ASSERT_EQ(turned.status, 0) << turned.err;
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_EQ(row.at("mode"), "stream");
    EXPECT_EQ(row.at("cache"), "rotate");
    EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
  }
  const auto header =
      run_to(0, sandbox, {"export", "tiny.yaml", "--format", "header", "-o", "axpy.h"});
  EXPECT_TRUE(says(text_of(sandbox.path("axpy.h")),
                   "// timed: launches in a stream, in turns on copies of the "
                   "data that exceed the L2 cache\n"));
  write_study(sandbox, "cache: hot");
  const auto mixed =
      run_to(2, sandbox,
             {"export", "tiny.yaml", "--from", "results", "--format", "header", "-o", "mixed.h"});
  EXPECT_TRUE(says(mixed.err,
                   "measured with 'mode: stream' and 'cache: rotate', the study has 'mode: "
                   "stream' and 'cache: hot': these do not compare"));
}

TEST(AsDeployed, OtherInputsForEachSampleAreAWayOfTheirOwn) {
  const Sandbox sandbox;
  for (const std::string cache : {"cold", "hot", "rotate"}) {
    write_study(sandbox, "inputs: fresh, cache: " + cache);
    const auto done = tuned(sandbox);
    ASSERT_EQ(done.status, 0) << done.err;
    for (const auto& row : ranking_of(sandbox, "axpy")) {
      EXPECT_EQ(row.at("cache"), cache);
      EXPECT_EQ(row.at("inputs"), "fresh");
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
    }
  }
  const auto header =
      run_to(0, sandbox, {"export", "tiny.yaml", "--format", "header", "-o", "axpy.h"});
  EXPECT_TRUE(says(text_of(sandbox.path("axpy.h")),
                   "// timed: launches in a stream, other inputs for each, in turns on copies of "
                   "the data that exceed the L2 cache\n"));
  const auto json = run(sandbox, {"export", "tiny.yaml", "--format", "json"});
  EXPECT_TRUE(says(json.out, "\"inputs\": \"fresh\""));
  write_study(sandbox, "cache: rotate");
  const auto usual = run(sandbox, {"results", "tiny.yaml"});
  EXPECT_TRUE(says(usual.out, "stale, will be measured anew: measuring: rotate "));
  EXPECT_TRUE(says(usual.out, ", on fresh inputs -> rotate "));
}

TEST(AsDeployed, ABackendWithoutGraphsSaysSoBeforeAnythingIsCompiled) {
  const Sandbox sandbox;
  write_study(sandbox, "mode: graph");
  const auto refused = tuned(sandbox);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "tiny.yaml:27:17: 'mode: graph' cannot be measured with cpu, which launches nothing "
            "from a graph ('mode: stream' can)\n"
            "    measure: {mode: graph}\n                    ^\n");
}

TEST(AsDeployed, VariantsThatAskForWhatABackendCannotDoFailAndTheOthersRun) {
  const Sandbox sandbox;
  write_study(sandbox, "finalists: 0", "  cluster: [PER]\n");
  ASSERT_EQ(tuned(sandbox).status, 0);
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    if (row.at("PER") == "1") {
      EXPECT_NE(row.at("state"), "constraints");
      continue;
    }
    EXPECT_EQ(row.at("state"), "constraints");
    EXPECT_EQ(row.at("message"), "clusters need compute capability 9.0, the device has none");
  }
}

}  // namespace
}  // namespace tuner::cli
