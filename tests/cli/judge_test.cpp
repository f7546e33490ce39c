#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

constexpr const char* kJudgedStudy = R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
problem_sizes: [{N: 1000}]
parameters: {BLOCK: [64]}
launch: {block: [BLOCK], grid: ["ceil_div(N, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, value: N}
reference: {entry: reference, block: [64], grid: ["ceil_div(N, 64)"]}
)yaml";

constexpr const char* kHead =
    "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  ";

const std::string kRight = std::string(kHead) + "if (i < n) y[i] = x[i] * 2;\n}\n";

void write_study(const Sandbox& sandbox) {
  sandbox.write("twice.yaml", kJudgedStudy);
  sandbox.write("twice.cu",
                std::string(kHead) +
                    "if (i < n) y[i] = 2 * x[i];\n}\n"
                    "extern \"C\" __global__ void reference(const float* x, float* y, int n) {\n"
                    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i < n) y[i] = x[i] + x[i];\n}\n");
}

std::vector<std::string> judging(const std::string& file, const std::vector<std::string>& more) {
  std::vector<std::string> words{"judge",  file,        "--study", "twice.yaml",
                                 "--json", "--backend", "cpu"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The study's own kernel, and another one with this line in its place.
Finished judge(const Sandbox& sandbox, const std::string& line) {
  write_study(sandbox);
  sandbox.write("other.cu", kHead + line + "\n}\n");
  return run(sandbox, judging("other.cu", {"--server", "0"}));
}

// By a server, which is the same for all verdicts in the sandbox. Of a folder that is gone it ends.
Finished judge_served(const Sandbox& sandbox, const std::string& source) {
  sandbox.write("other.cu", source);
  return run(sandbox, judging("other.cu", {"--server", "60", "--timeout", "20"}));
}

std::string verdict_in(const Finished& done) {
  const auto verdict = nlohmann::json::parse(done.out, nullptr, false);
  return verdict.is_object() ? verdict.value("verdict", "") : done.out + done.err;
}

std::string words_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");  // it may have ended since
  return {std::istreambuf_iterator<char>(file), {}};
}

// Its process; 0: there is none.
int server_in(const Sandbox& sandbox) {
  for (const int pid : program_processes(sandbox)) {
    const std::string words = words_of(pid);
    if (words.find(std::string("judge") + '\0' + "/") != std::string::npos) return pid;
  }
  return 0;
}

TEST(Judge, AcceptsWhatIsRightAtEverySize) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < n) y[i] = x[i] * 2;");
  ASSERT_EQ(done.status, 0) << done.out << done.err;
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("accepted"), true);
  EXPECT_EQ(verdict.at("verdict"), "accepted");
  EXPECT_EQ(verdict.at("deterministic"), true);
  EXPECT_GT(verdict.at("time_ms"), 0.0);
  EXPECT_GT(verdict.at("speedup"), 0.0);
  EXPECT_GE(verdict.at("checks").size(), 5U);
  EXPECT_EQ(verdict.at("checks").at(1).at("size").at("N"), 1);
}

TEST(Judge, WhatIsRightAtTheStudysSizeOnlyIsNot) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < 1000 && n >= 1000) y[i] = 2 * x[i];");
  EXPECT_EQ(done.status, 1);
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("verdict"), "correctness") << done.out;
  EXPECT_EQ(verdict.at("checks").at(0).at("state"), "ok");
  EXPECT_EQ(verdict.at("checks").back().at("at_the_edge"), true);
}

TEST(Judge, RefusesFunctionsOfTheHostByName) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < n) y[i] = 2 * x[i];\n}\nvoid launch() {");
  EXPECT_EQ(done.status, 1);
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("verdict"), "refused");
  EXPECT_EQ(verdict.at("why"), "functions of the host are not judged: launch");
}

TEST(Judge, LooksAtInputsOnWhichKernelsGoWrong) {
  const Sandbox sandbox;
  const auto done = judge(sandbox, "if (i < n) y[i] = x[i] > 100 ? 200 : 2 * x[i];");
  EXPECT_EQ(done.status, 1);
  const auto verdict = nlohmann::json::parse(done.out);
  EXPECT_EQ(verdict.at("verdict"), "correctness");
  EXPECT_EQ(verdict.at("checks").back().at("inputs"), "large inputs") << done.out;
  EXPECT_TRUE(verdict.at("why").get<std::string>().starts_with("N1000, large inputs: "))
      << done.out;
}

// A study of a reference alone, as authors of benchmarks have.
TEST(Judge, WithoutAKernelOfTheStudysOwnTheReferenceDecides) {
  const Sandbox sandbox;
  write_study(sandbox);
  std::string alone = kJudgedStudy;
  alone.replace(alone.find("entry: twice"), 12, "entry: other");
  sandbox.write("twice.yaml", alone);
  const std::string head = "extern \"C\" __global__ void other" + std::string(kHead).substr(32);
  sandbox.write("other.cu", head + "if (i < n) y[i] = x[i] > 100 ? 200 : 2 * x[i];\n}\n");
  const auto wrong = run_to(1, sandbox, judging("other.cu", {"--server", "0"}));
  const auto verdict = nlohmann::json::parse(wrong.out);
  EXPECT_EQ(verdict.at("verdict"), "correctness") << wrong.out;
  EXPECT_EQ(verdict.at("checks").back().at("inputs"), "large inputs");
  EXPECT_EQ(verdict.at("checks").back().at("counts"), true);
  EXPECT_TRUE(verdict.at("own_fault").get<std::string>().starts_with("compile: ")) << wrong.out;
  sandbox.write("other.cu", head + "if (i < n) y[i] = 2 * x[i];\n}\n");
  run_to(0, sandbox, judging("other.cu", {"--server", "0"}));
}

TEST(Judge, AStudyThatCannotSayWhatIsRightIsRefusedWithTheReason) {
  const Sandbox sandbox;
  write_study(sandbox);
  std::string source = text_of(sandbox.path("twice.cu"));
  source.replace(source.find("x[i] + x[i]"), 11, "x[i] * 1e39f - x[i] * 1e39f");
  sandbox.write("twice.cu", source);
  sandbox.write("other.cu", kRight);
  const auto done = run_to(2, sandbox, judging("other.cu", {"--server", "0"}));
  EXPECT_TRUE(says(done.err, "nothing says what is right"));
  EXPECT_TRUE(says(done.err, "leaves 1000 of 1000 elements of y as NaN"));
}

// Where the reference overflows nothing says what is right.
TEST(Judge, ChecksThatDoNotCountSayWhy) {
  const Sandbox sandbox;
  write_study(sandbox);
  std::string source = text_of(sandbox.path("twice.cu"));
  source.replace(source.find("x[i] + x[i]"), 11, "x[i] * expf(x[i]) / expf(x[i]) * 2");
  sandbox.write("twice.cu", source);
  sandbox.write("other.cu", std::string(kHead) + "if (i < n) y[i] = x[i] > 3 ? 0 : 2 * x[i];\n}\n");
  const auto done = run(sandbox, judging("other.cu", {"--server", "0"}));
  bool said = false;
  const auto verdict = nlohmann::json::parse(done.out);
  for (const auto& check : verdict.at("checks")) {
    const bool counts = check.at("counts").get<bool>();
    EXPECT_EQ(check.at("why_not").is_null(), counts) << check;
    said = said || !counts;
  }
  EXPECT_TRUE(said) << done.out;
}

TEST(Judge, OneServerGivesVerdictsAndReadsStudyAndHeadersAnew) {
  const Sandbox sandbox;
  write_study(sandbox);
  sandbox.write("factor.h", "#define FACTOR 2\n");
  const std::string source =
      "#include \"factor.h\"\n" + std::string(kHead) + "if (i < n) y[i] = x[i] * FACTOR;\n}\n";
  EXPECT_EQ(verdict_in(judge_served(sandbox, source)), "accepted");
  const int server = server_in(sandbox);
  EXPECT_GT(server, 0);
  sandbox.write("factor.h", "#define FACTOR 3\n");
  EXPECT_EQ(verdict_in(judge_served(sandbox, source)), "correctness");
  sandbox.write("twice.yaml", std::string(kJudgedStudy) + "verify: {y: {rtol: 1}}\n");
  EXPECT_EQ(verdict_in(judge_served(sandbox, source)), "accepted");
  EXPECT_EQ(server_in(sandbox), server);
}

TEST(Judge, AServerThatWasKilledOrStoppedIsReplaced) {
  const Sandbox sandbox;
  write_study(sandbox);
  EXPECT_EQ(verdict_in(judge_served(sandbox, kRight)), "accepted");
  const int killed = server_in(sandbox);
  ASSERT_GT(killed, 0);
  ::kill(killed, SIGKILL);
  // One that is just dying may still take a request, which is then judged without it.
  int stopped = 0;
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(verdict_in(judge_served(sandbox, kRight)), "accepted");
    stopped = server_in(sandbox);
    return stopped > 0 && stopped != killed;
  }));
  ASSERT_GT(stopped, 0);
  ::kill(stopped, SIGSTOP);
  const Finished done = judge_served(sandbox, kRight);
  EXPECT_EQ(verdict_in(done), "accepted");
  EXPECT_EQ(done.err, "note: the server did not answer; the kernel is judged without it\n");
  EXPECT_TRUE(eventually([&] { return server_in(sandbox) != stopped; }));
}

TEST(Judge, TheServerOutlivesKernelsThatCrashOrHangAndWhoDoesNotWait) {
  const Sandbox sandbox;
  write_study(sandbox);
  EXPECT_EQ(verdict_in(judge_served(sandbox, std::string(kHead) + "*(volatile int*)0 = i;\n}\n")),
            "runtime");
  const int server = server_in(sandbox);
  sandbox.write("hang.cu", std::string(kHead) + "while (n > 0) y[0] = i;\n}\n");
  Running hanging(sandbox, judging("hang.cu", {"--server", "60", "--timeout", "60"}));
  ASSERT_TRUE(
      eventually([&] { return words_of(hanging.pid()).find("hang.cu") != std::string::npos; }));
  Running waiting(sandbox, judging("other.cu", {"--server", "60"}));
  hanging.signal(SIGINT);
  EXPECT_EQ(hanging.wait().status, 130);
  EXPECT_EQ(verdict_in(waiting.wait()), "runtime");
  EXPECT_EQ(verdict_in(judge_served(sandbox, kRight)), "accepted");
  EXPECT_EQ(server_in(sandbox), server);
}

}  // namespace
}  // namespace tuner::cli
