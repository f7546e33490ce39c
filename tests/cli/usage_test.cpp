#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"

namespace tuner::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Usage, HelpOfEveryCommandIsStatusZeroOnStandardOutput) {
  const Sandbox sandbox;
  for (const char* command : {"run", "check", "results", "export", "list"}) {
    const auto done = run(sandbox, {command, "--help"});
    EXPECT_EQ(done.status, 0) << command;
    EXPECT_TRUE(says(done.out, "usage: tuner " + std::string(command)));
    EXPECT_EQ(done.err, "");
  }
  run_to(0, sandbox, {"--help"});
  EXPECT_EQ(run(sandbox, {"--version"}).out.substr(0, 6), "tuner ");
}

TEST(Usage, NoCommandIsStatusTwoAndSaysTheFirstSteps) {
  const Sandbox sandbox;
  const auto done = run_to(2, sandbox, {});
  EXPECT_EQ(done.out, "");
  for (const char* step : {"  tuner init kernel.cu ", "  tuner check kernel.yaml ",
                           "  tuner run kernel.yaml ", "'tuner --help' lists all commands"}) {
    EXPECT_TRUE(says(done.err, step));
  }
  EXPECT_LE(occurrences(done.err, "\n"), 8U) << "short enough to be read";
}

TEST(Usage, HelpShowsTheCommandsInGroups) {
  const Sandbox sandbox;
  const std::string help = run(sandbox, {"--help"}).out;
  std::size_t at = 0;
  for (const char* line : {"\nstart:\n  init ", "\ntune:\n  run ", "\nlook at results:\n  results ",
                           "\nuse results:\n  export ", "\nmore:\n  import "}) {
    at = help.find(line, at);
    ASSERT_NE(at, std::string::npos) << line << help;
  }
  EXPECT_EQ(run(sandbox, {"help"}).out, help);
  EXPECT_EQ(run(sandbox, {"-h"}).out, help);
}

TEST(Usage, HelpOfACommandIsItsOwnAndEndsWithExamples) {
  const Sandbox sandbox;
  const std::string help = run_to(0, sandbox, {"help", "try"}).out;
  EXPECT_EQ(help, run(sandbox, {"try", "--help"}).out);
  EXPECT_TRUE(says(help,
                   "\nexamples:\n  tuner try saxpy.yaml BLOCK=256,VEC=4\n      this configuration, "
                   "at each size of the study\n"));
}

TEST(Usage, WhatIsWrongIsSaidWithTheNearestAndItsStatus) {
  const std::string tiny = data("studies/tiny.yaml");
  const std::string chek = "unknown command 'chek'; see 'tuner --help' (did you mean 'check'?)\n";
  const std::string color =
      "--color 'alway' is not known; allowed: auto, always, never (did you mean 'always'?)\n";
  const struct {
    std::vector<std::string> words;
    int status;
    std::string said;
  } cases[] = {
      {{"chek"}, 2, chek},
      {{"help", "chek"}, 2, chek},
      {{"saxpy.yaml"},
       2,
       "'saxpy.yaml'; see 'tuner --help' (did you mean 'tuner run saxpy.yaml'?)"},
      {{"k.cu"}, 2, "'k.cu'; see 'tuner --help' (did you mean 'tuner init k.cu'?)\n"},
      {{"run", "a.yaml", "--sead", "3"}, 2, "unknown option '--sead' (did you mean '--seed'?)\n"},
      {{"run", tiny, "--color", "alway"}, 2, color},
      {{"results", tiny, "--color", "alway"}, 2, color},
      {{"check", tiny, "--color", "alway"}, 2, color},
      {{"run", "nowhere.yaml"}, 2, "nowhere.yaml"},
      {{"check", "nowhere.yaml"}, 2, "nowhere.yaml"},
      {{"run", tiny, "--strategy", "randon"}, 2, "did you mean 'random'?"},
      {{"run", tiny, "--budget", "fast"}, 2, "--budget"},
      {{"run", tiny, "--backend", "quantum"}, 3, "there is no backend 'quantum'"},
      {{"run", tiny, "--backend", "cpu", "--device", "7"}, 3, "device 7"},
  };
  const Sandbox sandbox;
  for (const auto& one : cases) {
    EXPECT_TRUE(says(run_to(one.status, sandbox, one.words).err, one.said));
  }
  EXPECT_FALSE(std::filesystem::exists(sandbox.path("results")));
}

TEST(Usage, WhatIsGivenInsteadOfAStudySaysWhatWasMeant) {
  const Sandbox sandbox;
  sandbox.write("k.cu", "__global__ void k() {}\n");
  sandbox.write("k.yaml", "schema: 1\nparameters: {A: [1]}\n");
  sandbox.write("cache.json",
                R"({"device_name": "X", "kernel_name": "k", "problem_size": [1], "cache": {}})");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"run", "k.cu"}, "k.cu: cannot read the study: it is a source ('tuner init k.cu' drafts "},
      {{"run", "k"}, "k: cannot read the study: there is no such file (did you mean 'k.yaml'?)"},
      {{"check", "k.yml"}, "(did you mean 'k.yaml'?)"},
      {{"check", sandbox.path("kk.yaml")},
       "did you mean '" + sandbox.path("k.yaml").string() + "'"},
      {{"init", "k.yaml"}, "k.yaml: is a study (init takes a CUDA source, or a script"},
      {{"run", "cache.json"}, "is a cache of Kernel Tuner, not a study (tuner run --replay cache"},
      {{"report", "cache.json", "-o", "a.html"}, "is a cache of Kernel Tuner, not a study"},
      {{"check", "cache.json"}, "is a cache of Kernel Tuner, not a study"},
      {{"run", data("studies/tiny.yaml"), "--strategy", "anealing"}, "'simulated_annealing'?"},
  };
  for (const auto& [words, said] : cases) {
    EXPECT_TRUE(says(run_to(2, sandbox, words).err, said));
  }
  EXPECT_TRUE(says(run_to(3, sandbox, {"run", data("studies/tiny.yaml"), "--backend", "gpu"}).err,
                   "; cuda and opencl are for GPUs"));
  EXPECT_EQ(run(sandbox, {"list", "strategy"}).out, run(sandbox, {"list", "strategies"}).out);
}

TEST(Usage, MistakesAreJsonWhereJsonIsAskedFor) {
  const Sandbox sandbox;
  sandbox.write("bad.yaml", "schema: 1\nparameters: {A: [1, 1], B: []}\n");
  const std::string tiny = data("studies/tiny.yaml");
  const auto mistakes = [&](int status, std::vector<std::string> words) {
    words.emplace_back("--json");
    const auto json = nlohmann::json::parse(run_to(status, sandbox, words).out, nullptr, false);
    EXPECT_TRUE(json.is_object() && json.value("status", 0) == status) << words.front();
    return json.is_object() ? json.value("mistakes", nlohmann::json()) : nlohmann::json();
  };
  const auto bad = mistakes(2, {"check", "bad.yaml"});
  ASSERT_EQ(bad.size(), 2U) << bad;
  EXPECT_EQ(bad[0]["file"], "bad.yaml");
  EXPECT_EQ(bad[0]["line"], 2);
  EXPECT_EQ(bad[0]["column"], 21);
  EXPECT_EQ(mistakes(2, {"check", "bad.yaml", "--sampel", "3"})[0]["suggestion"],
            "did you mean '--sample'?");
  for (const std::vector<std::string>& words :
       {Words{"try", "none.yaml"}, Words{"try", tiny, "BLOCK=7"}, Words{"judge", "none.cu"},
        Words{"gate", "a", "b"}, Words{"compare", "a"}, Words{"compare", "a", "b"},
        Words{"judge", data("studies/tiny.cu"), "--study", tiny, "--configuration", "BLOCK=7"}}) {
    EXPECT_EQ(mistakes(2, words).size(), 1U) << words.front();
  }
  EXPECT_EQ(mistakes(3, {"try", tiny, "--backend", "quantum"}).size(), 1U);
}

TEST(Usage, MistakesAreEventsWhereEventsAreAskedFor) {
  const Sandbox sandbox;
  const std::string tiny = data("studies/tiny.yaml");
  for (const Words& words : {Words{"run", tiny, "--sead", "3", "--progress", "json"},
                             Words{"run", "none.yaml", "--progress=json"},
                             Words{"run", tiny, "--progress", "json", "--color", "alway"}}) {
    const Finished done = run_to(2, sandbox, words);
    EXPECT_EQ(done.out, "");
    std::istringstream lines(done.err);
    std::vector<std::string> events;
    for (std::string line; std::getline(lines, line);) {
      const auto event = nlohmann::json::parse(line, nullptr, false);
      ASSERT_TRUE(event.is_object()) << line;
      events.push_back(event.value("event", "") + std::to_string(event.value("status", 0)));
    }
    EXPECT_EQ(events, (std::vector<std::string>{"error2", "done2"})) << done.err;
  }
}

TEST(Usage, StrategiesOfKernelTunerAreKnownByTheirNamesThere) {
  const Sandbox sandbox;
  run_to(0, sandbox,
         {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--strategy", "genetic_algorithm",
          "--budget", "1"});
}

TEST(Usage, WhereThereIsNoGpuTheFirstLineSaysWhatThatMeans) {
  const Sandbox sandbox;
  if (run(sandbox, {"list", "devices"}).out.find("\ncuda    not available") == std::string::npos) {
    GTEST_SKIP() << "there is a GPU, or no backend for one";
  }
  const auto done = run_to(0, sandbox, {"run", data("studies/tiny.yaml"), "--budget", "1"});
  EXPECT_TRUE(done.err.starts_with(
      "kernels run on the CPU: answers are checked, times say nothing about a GPU ("))
      << done.err;
}

TEST(Usage, LimitsOfFilesAndOfTheStackEndWithAMessage) {
  const Sandbox sandbox;
  const auto limited = [&](const std::string& limit, const std::vector<std::string>& words) {
    return run(sandbox, words, {"sh", "-c", "ulimit " + limit + " && exec \"$0\" \"$@\""});
  };
  const auto full = limited("-f 1", {"list", "strategies"});
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(full.err.starts_with("tuner: cannot write to standard output")) << full.err;
  const auto cramped = limited("-s 64", {"list", "strategies"});
  EXPECT_EQ(cramped.status, 3);
  EXPECT_EQ(cramped.err, "tuner: the stack is limited to 64 KiB, and 96 are needed (ulimit -s)\n");
}

TEST(Options, OfABackendAreCheckedWhereTheyStand) {
  const Sandbox sandbox;
  const auto command =
      run_to(2, sandbox, {"run", data("studies/tiny.yaml"), "--backend", "cpu:seed=1,ordr=random"});
  EXPECT_EQ(command.err,
            "--backend:1:12: unknown option 'ordr'; backend 'cpu' has: order=sequential, seed=1, "
            "threads=0, devices=1, poison_shared=on (did you mean 'order'?)\n"
            "    cpu:seed=1,ordr=random\n               ^\n");
  std::string text =
      "schema: 1\nparameters: {B: [1, 2]}\nkernel: {name: k, source: k.cu, entry: k}\n"
      "launch: {block: [B], grid: [1]}\n"
      "backend: {name: cpu, options: {order: backwards}}\n"
      "arguments: [{name: o, type: int32, shape: [1], role: out}]\n";
  sandbox.write("k.cu", "extern \"C\" __global__ void k(int* o) {}\n");
  sandbox.write("s.yaml", text);
  const auto study = run_to(2, sandbox, {"run", "s.yaml"});
  EXPECT_TRUE(says(study.err,
                   "s.yaml:5:32: backend 'cpu': option 'order' is 'backwards': it must be "
                   "one of: sequential, random\n    backend: {name: cpu, options: {order: "
                   "backwards}}\n"));
  EXPECT_TRUE(says(run(sandbox, {"run", "s.yaml", "--backend", "auto:order=random"}).err,
                   "\noptions need the name of their backend, not --backend "
                   "auto:order=random\n"));
  EXPECT_TRUE(says(run(sandbox, {"run", "s.yaml", "--strategy", "genetic:population=1"}).err,
                   "--strategy:1:9: strategy 'genetic': option 'population' is '1': it must "
                   "be a whole number from 2 to 10000"));
}

}  // namespace
}  // namespace tuner::cli
