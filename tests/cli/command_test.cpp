// Programs as variants: right, wrong, silent, failing, crashing and hanging ones.
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <string>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kScript = R"(cp x.bin y.bin
case $MODE in
  wrong) printf '%040d' 0 > y.bin ;;
  absent) rm y.bin ;;
  silent) exit 0 ;;
  nan) echo "time: nan ms"; exit 0 ;;
  status) echo "no luck"; exit 3 ;;
  crash) kill -SEGV $$ ;;
  hang) sleep 1000 ;;
esac
echo "time: $TIME ms, rate: $TIME"
)";

constexpr const char* kBuild = R"(echo built >> $TUNER_STUDY/builds
test $MODE != broken || { echo "no rule"; exit 2; }
)";

std::string program_study(const std::string& modes, const std::string& more = "") {
  return "schema: 1\n"
         "command:\n"
         "  sources: [run.sh, build.sh]\n"
         "  build: sh build.sh\n"
         "  run: sh run.sh\n"
         "  metrics: {pattern: \"time: (?<time_ms>[0-9.na]+) ms(, rate: (?<rate>.+))?\"}\n"
         "problem_sizes: [{N: 10}]\n"
         "parameters: {MODE: [" +
         modes +
         "], TIME: [2, 1]}\n"
         "constraints: [\"MODE == 'right' or TIME == 2\"]\n"
         "arguments:\n"
         "  - {name: x, type: float32, shape: [N], fill: {uniform: [-1, 1]}, file: x.bin}\n"
         "  - {name: y, type: float32, shape: [N], role: out, file: y.bin}\n"
         "reference: {configuration: {MODE: right, TIME: 2}}\n"
         "search: {strategy: exhaustive}\n"
         "measure: {finalists: 2, drop_above: 0}\n" +
         more;
}

void put_program(const Sandbox& sandbox, const std::string& text) {
  sandbox.write("run.sh", kScript);
  sandbox.write("build.sh", kBuild);
  sandbox.write("p.yaml", text);
}

TEST(Command, OnlyTheRightOneIsRankedAndTheOthersSayWhy) {
  const Sandbox sandbox;
  put_program(sandbox,
              program_study("right, wrong, absent, silent, nan, status, crash, hang, broken"));
  const auto done = run_to(0, sandbox, {"run", "p.yaml", "--timeout", "8"});
  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (const auto& row : ranking_of(sandbox, "p")) {
    if (row.at("MODE") == "right" && row.at("TIME") == "1") {
      EXPECT_EQ(row.at("rank"), "1");
      EXPECT_EQ(row.at("time_ms"), "1");
      EXPECT_EQ(row.at("rate"), "1");
      EXPECT_EQ(row.at("verified"), "true");
      EXPECT_EQ(row.at("form"), "command");
    } else {
      rows[row.at("MODE")] = {row.at("state"), row.at("message")};
    }
  }
  const auto row = [](const char* state, const char* message) {
    return std::pair<std::string, std::string>(state, message);
  };
  EXPECT_EQ(rows["right"].first, "ok") << done.err;
  EXPECT_EQ(rows["wrong"].first, "correctness");
  EXPECT_EQ(rows["absent"], row("runtime", "'y.bin' was not written by the program"));
  EXPECT_EQ(rows["silent"], row("runtime", "the program prints no rate; it printed nothing"));
  EXPECT_EQ(rows["nan"].first, "runtime");
  EXPECT_EQ(rows["status"],
            row("runtime", "the program ended with status 3; its last output:\nno luck"));
  EXPECT_EQ(rows["crash"], row("runtime",
                               "the program was ended by signal 11 (SIGSEGV, Segmentation fault); "
                               "it printed nothing"));
  EXPECT_EQ(rows["hang"].first, "timeout");
  EXPECT_EQ(rows["broken"],
            row("compile", "the build ended with status 2; its last output:\nno rule"));
  EXPECT_TRUE(no_process_left(sandbox));

  EXPECT_TRUE(says(done.out, "\ncommand: a time is what a program says"));

  const auto header = run(sandbox, {"export", "p.yaml"});
  EXPECT_TRUE(says(header.out, "int TIME = 1;"));
  const auto launcher = run_to(2, sandbox, {"export", "p.yaml", "--format", "launcher", "-o", "l"});
  EXPECT_TRUE(says(launcher.err, "a program is what is tuned"));
  const auto judged = run(sandbox, {"judge", "run.sh", "--study", "p.yaml"});
  EXPECT_TRUE(says(judged.err, "a 'command' is a program, which is not judged"));
}

TEST(Command, AKilledRunGoesOnAndNothingIsBuiltTwice) {
  const Sandbox sandbox;
  put_program(sandbox, program_study("right, hang"));
  const std::vector<std::string> words{"run", "p.yaml", "--jobs", "1", "--progress", "json"};
  {
    Running running(sandbox, words);
    ASSERT_TRUE(eventually([&] { return occurrences(running.errors_so_far(), "\"trial\"") >= 2; }))
        << running.errors_so_far();
    ::kill(running.pid(), SIGKILL);
    running.wait();
  }
  EXPECT_TRUE(no_process_left(sandbox));
  auto again = words;
  again.insert(again.end(), {"--timeout", "3"});
  const auto done = run_to(0, sandbox, again);
  EXPECT_EQ(ranking_of(sandbox, "p").size(), 3U);
  EXPECT_TRUE(occurrences(done.err, "\"from_store\":true") >= 2U || measured_again(done))
      << done.err;
  EXPECT_LE(occurrences(text_of(sandbox.path("builds")), "built"), 4U);  // one was being killed

  // What the sources say is part of what was measured.
  sandbox.write("run.sh", std::string(kScript) + "# changed\n");
  const auto changed = run(sandbox, again);
  EXPECT_EQ(occurrences(changed.err, "\"from_store\":true"), 0U) << changed.err;
}

TEST(Command, WithoutAFileNothingIsVerifiedAndAUserSeesIt) {
  const Sandbox sandbox;
  sandbox.write("p.yaml", "schema: 1\ncommand: {run: \"sh -c 'exit 0'\"}\nparameters: {A: [1]}\n");
  const auto done = run_to(0, sandbox, {"run", "p.yaml"});
  EXPECT_TRUE(
      says(done.err, "p.yaml:2:1: no argument is an output: wrong answers would be ranked"));
  EXPECT_EQ(ranking_of(sandbox, "p").front().at("verified"), "false");
}

TEST(Command, CheckBuildsAndOneCanBeTried) {
  const Sandbox sandbox;
  put_program(sandbox, program_study("right, broken"));
  const auto checked = run_to(0, sandbox, {"check", "p.yaml", "--compile"});
  EXPECT_TRUE(says(checked.err, "program: 2 compiled, 1 did not"));
  run_to(0, sandbox, {"try", "p.yaml", "MODE=right,TIME=1"});
}

}  // namespace
}  // namespace tuner::cli
