// What the program says, and where: on terminals, at the end of its output, about odd files.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

const std::string kEscape = "\x1b";

// The tiny study with `more` parameters, beside its source.
void write_tiny(const Sandbox& sandbox, const std::string& more = {}) {
  std::string study = text_of(data("studies/tiny.yaml"));
  study.replace(study.find("PER:"), 0, more);
  sandbox.write("tiny.yaml", study);
  sandbox.write("tiny.cu", text_of(data("studies/tiny.cu")));
}

std::vector<std::string> tune(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"run", "tiny.yaml", "--backend", "cpu",        "--budget",
                                 "4",   "--size",    "n=3000",    "--progress", "none"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Terminal, TextValuesShowNothingThatATerminalObeys) {
  const Sandbox sandbox;
  write_tiny(sandbox, R"(S: ["\e[31mRED\e]0;title\a", "two\nlines"])"
                      "\n  ");
  auto words = tune();
  words.back() = "plain";
  const auto done = run(sandbox, words);
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ((done.out + done.err).find(kEscape), std::string::npos) << done.out << done.err;
  EXPECT_EQ(done.out.find('\a'), std::string::npos);
  const auto shown = run(sandbox, {"results", "tiny.yaml"});
  EXPECT_EQ(shown.out.find(kEscape), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find("two\nlines"), std::string::npos) << shown.out;
  // Files keep what the study says.
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_TRUE(row.at("S") == kEscape + "[31mRED" + kEscape + "]0;title\a" ||
                row.at("S") == "two\nlines")
        << row.at("S");
  }
}

TEST(Terminal, NamesOfImportsShowNothingThatATerminalObeys) {
  const Sandbox sandbox;
  sandbox.write("cache.json", R"({"device_name": "X\u001b[31m", "kernel_name": "k\u001b[1m\nline",
    "tune_params_keys": ["A"], "tune_params": {"A": [1, 2]},
    "cache": {"1": {"A": 1, "time": 1.0}, "2": {"A": 2, "time": 2.0}}})");
  const auto done = run(sandbox, {"import", "cache.json", "--device", "d\x1b[31m\nX"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ((done.out + done.err).find(kEscape), std::string::npos) << done.out << done.err;
  EXPECT_NE(done.out.find("d [31m X"), std::string::npos) << done.out;
  const auto shown = run(sandbox, {"results"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out.find(kEscape), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("on d [31m X"), std::string::npos) << shown.out;
}

TEST(Terminal, ColoursAreInPipesOnlyWhereTheyAreAskedFor) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  const auto plain = run(sandbox, tune());
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_EQ(plain.out.find(kEscape), std::string::npos) << plain.out;
  const auto shown = run(sandbox, {"results", "tiny.yaml", "--color", "always"});
  EXPECT_NE(shown.out.find("\n" + kEscape + "[32m   1 "), std::string::npos) << shown.out;
  EXPECT_EQ(occurrences(shown.out, kEscape), 2U) << "the best row, and nothing else";
  const auto again = run(sandbox, tune({"--color", "always"}));
  EXPECT_NE(again.out.find(kEscape + "[32m   1 "), std::string::npos) << again.out;
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_EQ(row.at("rank").find(kEscape), std::string::npos) << "no file has colours";
  }
  const auto csv = run(sandbox, {"results", "tiny.yaml", "--color", "always", "--csv", "-"});
  EXPECT_EQ(csv.out.find(kEscape), std::string::npos) << csv.out;
}

TEST(Terminal, FailuresAndWarningsHaveColoursOfTheirOwn) {
  const Sandbox sandbox;
  const auto failed =
      run(sandbox, {"run", data("faults/faults.yaml"), "--backend", "cpu", "--where",
                    "FAULT == 'nan'", "--progress", "none", "--color", "always"});
  EXPECT_NE(failed.out.find(kEscape + "[31mnothing valid was found" + kEscape + "[0m\n"),
            std::string::npos)
      << failed.out;
  write_tiny(sandbox);
  std::string study = text_of(sandbox.path("tiny.yaml"));
  study.replace(study.find("launch:"), 0, "  - n > 1\n");
  sandbox.write("tiny.yaml", study);
  const auto warned = run(sandbox, {"check", "tiny.yaml", "--color", "always"});
  EXPECT_EQ(warned.err.find(kEscape + "[33mwarning:" + kEscape + "[0m tiny.yaml:11:5: "), 0U)
      << warned.err;
  EXPECT_EQ(run(sandbox, {"check", "tiny.yaml"}).err.find("warning: tiny.yaml:11:5: "), 0U);
}

TEST(Files, APipeIsNoStudyAndNoRecording) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  ASSERT_EQ(::mkfifo(sandbox.path("pipe.yaml").c_str(), 0666), 0);
  for (const char* command : {"check", "run", "export"}) {
    const auto done = run(sandbox, {command, "pipe.yaml"});
    EXPECT_EQ(done.status, 2) << command;
    EXPECT_NE(done.err.find("pipe.yaml: cannot read the study: it is a pipe"), std::string::npos)
        << done.err;
  }
  ASSERT_EQ(::mkfifo(sandbox.path("pipe.json").c_str(), 0666), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "--replay", "pipe.json"},
        {"import", "pipe.json"},
        {"check", "pipe.json"},
        {"export", "tiny.yaml", "--from", "pipe.json"},
        {"verify-export", "pipe.json", "tiny.yaml"}}) {
    const auto done = run(sandbox, words);
    EXPECT_TRUE(done.status == 1 || done.status == 2) << words[0];
    EXPECT_NE(done.err.find("pipe.json"), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("a pipe"), std::string::npos) << done.err;
  }
}

TEST(Files, ADamagedDeviceFileIsNamed) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  sandbox.write("old/device.json", "{\"name\": \"X\",,");
  sandbox.write("old/n5.csv", "rank,state,BLOCK,PER,n\n1,ok,32,1,5\n");
  const auto done = run(sandbox, {"export", "tiny.yaml", "--from", "old"});
  EXPECT_EQ(done.status, 2);
  EXPECT_EQ(done.err.find("old/device.json: is no description of a device"), 0U) << done.err;
}

TEST(Files, AnEmptyDatabaseHoldsNoResultsYet) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  sandbox.write("results/tuner.sqlite", "");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"results"}, {"results", "tiny.yaml"}, {"export", "tiny.yaml"}}) {
    const auto done = run(sandbox, words);
    EXPECT_EQ(done.status, 1);
    EXPECT_NE(done.err.find("there are no results in results/tuner.sqlite yet"), std::string::npos)
        << done.err;
  }
  EXPECT_EQ(run(sandbox, tune()).status, 0);
  EXPECT_EQ(run(sandbox, {"results"}).status, 0);
}

TEST(Files, AStoreRemovedInMidRunIsNoticedAndTheRankingIsWritten) {
  const Sandbox sandbox;
  Running running(sandbox, {"run", data("faults/faults.yaml"), "--backend", "cpu", "--where",
                            "FAULT == 'ok' or FAULT == 'hang'", "--progress", "json", "--jobs", "1",
                            "--timeout", "5"});
  ASSERT_TRUE(eventually([&] {
    return occurrences(running.errors_so_far(), "\"state\":\"ok\"") >= 1;
  })) << running.errors_so_far();
  fs::remove_all(sandbox.path("results"));
  const auto done = running.wait();
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_NE(done.err.find("tuner.sqlite was removed or replaced"), std::string::npos) << done.err;
  EXPECT_FALSE(ranking_of(sandbox, "twice").empty());
}

// Status of a command line in a shell, in the sandbox.
int shell(const Sandbox& sandbox, const std::string& words) {
  const std::string line = "cd " + sandbox.path().string() + " && XDG_CACHE_HOME=cache " +
                           TUNER_PROGRAM + " " + words + " 2> said";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Output, ThatDoesNotArriveIsNoSuccess) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  ASSERT_EQ(run(sandbox, tune()).status, 0);
  for (const std::string& words :
       {std::string("results"), std::string("results tiny.yaml --csv -"),
        std::string("export tiny.yaml"), std::string("export tiny.yaml --format json"),
        std::string("list exporters"), std::string("check tiny.yaml"),
        std::string("check tiny.yaml --list"), std::string("check tiny.yaml --json"),
        std::string("list strategies"), std::string("cache"), std::string("--help"),
        std::string("run --help"), std::string("--version"),
        std::string("run tiny.yaml --backend cpu --budget 4 --size n=3000 --progress none")}) {
    EXPECT_EQ(shell(sandbox, words + " > /dev/full"), 1) << words;
    EXPECT_NE(text_of(sandbox.path("said")).find("cannot write to standard output"),
              std::string::npos)
        << words << text_of(sandbox.path("said"));
  }
  EXPECT_EQ(shell(sandbox, "results >&-"), 0) << "what is closed wants nothing";
}

TEST(Output, ARunInWhichOneSizeHasNothingValidIsNoSuccess) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  std::string source = text_of(sandbox.path("tiny.cu"));
  source.replace(source.find("if (i < n) y"), 10, "if (i < n && n != 3000)");
  sandbox.write("tiny.cu", source);
  const std::vector<std::string> words{"run",      "tiny.yaml", "--backend",  "cpu",
                                       "--budget", "2",         "--progress", "none"};
  const auto done = run(sandbox, words);
  EXPECT_EQ(done.status, 1) << done.out;
  EXPECT_NE(done.out.find("2 correctness"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("2 trials: "), std::string::npos) << done.out;
  auto one = words;
  one.insert(one.end(), {"--size", "n=10000"});
  EXPECT_EQ(run(sandbox, one).status, 0);
}

// The tiny study with `out` verified by nothing.
void write_unverified(const Sandbox& sandbox) {
  write_tiny(sandbox);
  std::string study = text_of(sandbox.path("tiny.yaml"));
  const auto begin = study.find("reference:");
  study.erase(begin, study.find("metrics:") - begin);
  sandbox.write("tiny.yaml", study);
}

TEST(Unverified, EveryPlaceThatShowsARankingSaysSo) {
  const Sandbox sandbox;
  write_unverified(sandbox);
  const std::string words = "not verified: nothing verifies 'y'";
  const auto done = run(sandbox, tune());
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find(words), std::string::npos) << done.out;
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_EQ(row.at("verified"), row.at("rank").empty() ? "" : "false");
  }
  const auto shown = run(sandbox, {"results", "tiny.yaml"});
  EXPECT_NE(shown.out.find(words), std::string::npos) << shown.out;
  const auto folder = run(sandbox, {"results"});
  EXPECT_NE(folder.out.find("not verified: there was no reference"), std::string::npos)
      << folder.out;
  const auto header = run(sandbox, {"export", "tiny.yaml"});
  EXPECT_NE(header.out.find("// WARNING, not verified: nothing verifies 'y'"), std::string::npos);
  const auto json = run(sandbox, {"export", "tiny.yaml", "--format", "json"});
  EXPECT_NE(json.out.find("\"verified\": false"), std::string::npos);
  EXPECT_NE(json.out.find("\"" + words + "\""), std::string::npos);
  const auto t4 = run(sandbox, {"export", "tiny.yaml", "--format", "t4"});
  EXPECT_NE(t4.out.find("\"verified\": false"), std::string::npos);
  ASSERT_EQ(run(sandbox, {"export", "tiny.yaml", "--format", "launcher", "-o", "lib/a"}).status, 0);
  for (const char* file : {"lib/a.hpp", "lib/a.cu"}) {
    EXPECT_NE(text_of(sandbox.path(file)).find("// WARNING, not verified: "), std::string::npos)
        << file;
  }
  const auto from = run(sandbox, {"export", "tiny.yaml", "--from", "results"});
  EXPECT_NE(from.out.find("// WARNING, not verified: "), std::string::npos);
}

TEST(Unverified, AVerifiedRankingSaysNothingOfTheKind) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  const auto done = run(sandbox, tune());
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out.find("not verified"), std::string::npos) << done.out;
  for (const auto& row : ranking_of(sandbox, "axpy")) EXPECT_EQ(row.at("verified"), "true");
  EXPECT_EQ(run(sandbox, {"export", "tiny.yaml"}).out.find("not verified"), std::string::npos);
  const auto json = run(sandbox, {"export", "tiny.yaml", "--format", "json"});
  EXPECT_NE(json.out.find("\"verified\": true"), std::string::npos);
}

}  // namespace
}  // namespace tuner::cli
