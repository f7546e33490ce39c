// What the program says, and where: on terminals, at the end of its output, about odd files.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

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

// What a command shows on a terminal of so many columns.
std::string on_terminal(unsigned short columns, const Sandbox& sandbox,
                        const std::vector<std::string>& words) {
  const int screen = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  EXPECT_GE(screen, 0);
  EXPECT_EQ(::grantpt(screen) + ::unlockpt(screen), 0);
  const std::string name = ::ptsname(screen);
  const int line = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // open: what is written stays
  const winsize size{24, columns, 0, 0};
  EXPECT_EQ(::ioctl(line, TIOCSWINSZ, &size), 0);
  const Finished done = run(sandbox, words, {"sh", "-c", "exec \"$@\" >" + name, "sh"});
  EXPECT_LT(done.status, 2) << done.err;
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(screen, part, sizeof part)) > 0;) text.append(part, got);
  ::close(line);
  ::close(screen);
  std::erase(text, '\r');
  return text;
}

// A study whose kernel is wrong, also in `other.cu`, and a folder with a right one.
void write_wrong(const Sandbox& sandbox) {
  const std::string head = "extern \"C\" __global__ void twice(const float* x, float* y) {\n  ";
  const std::string wrong = head + "y[threadIdx.x] = 3 * x[threadIdx.x];\n}\n";
  const std::string reference =
      "extern \"C\" __global__ void twice_reference(const float* x, float* y) {\n"
      "  y[threadIdx.x] = 2 * x[threadIdx.x];\n}\n";
  sandbox.write("other.cu", wrong);
  sandbox.write("twice.cu", wrong + reference);
  sandbox.write("right/twice.cu", head + "y[threadIdx.x] = 2 * x[threadIdx.x];\n}\n" + reference);
  sandbox.write("twice.yaml", R"yaml(schema: 1
kernel: {name: twice, source: twice.cu, entry: twice}
parameters: {BLOCK: [64]}
launch: {block: [BLOCK], grid: [1]}
arguments:
  - {name: x, type: float32, shape: [64], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [64], role: out}
reference: {entry: twice_reference, block: [64], grid: [1]}
)yaml");
}

TEST(Terminal, TextsOfTryGateAndJudgeAreBrokenBetweenWords) {
  const Sandbox sandbox;
  write_wrong(sandbox);
  for (std::vector<std::string> words :
       {std::vector<std::string>{"try", "twice.yaml"},
        {"gate", "right", ".", "--study", "twice.yaml"},
        {"judge", "other.cu", "--study", "twice.yaml", "--server", "0"}}) {
    words.insert(words.end(), {"--backend", "cpu"});
    const std::string text = on_terminal(60, sandbox, words);
    EXPECT_TRUE(says(text, "elements")) << words.front();
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const bool is_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      EXPECT_TRUE(line.size() <= 60 || is_word) << words.front() << ": " << line;
    }
    words.push_back("--json");
    EXPECT_TRUE(nlohmann::json::accept(on_terminal(60, sandbox, words))) << "JSON is not broken";
  }
}

TEST(Terminal, TextValuesShowNothingThatATerminalObeys) {
  const Sandbox sandbox;
  write_tiny(sandbox, R"(S: ["\e[31mRED\e]0;title\a", "two\nlines"])"
                      "\n  ");
  auto words = tune();
  words.back() = "plain";
  const auto done = run_to(0, sandbox, words);
  EXPECT_FALSE(says((done.out + done.err), kEscape)) << done.out << done.err;
  EXPECT_FALSE(says(done.out, "\a"));
  const auto shown = run(sandbox, {"results", "tiny.yaml"});
  EXPECT_FALSE(says(shown.out, kEscape));
  EXPECT_FALSE(says(shown.out, "two\nlines"));
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
  const auto done = run_to(0, sandbox, {"import", "cache.json", "--device", "d\x1b[31m\nX"});
  EXPECT_FALSE(says((done.out + done.err), kEscape)) << done.out << done.err;
  EXPECT_TRUE(says(done.out, "d [31m X"));
  const auto shown = run_to(0, sandbox, {"results"});
  EXPECT_FALSE(says(shown.out, kEscape));
  EXPECT_TRUE(says(shown.out, "on d [31m X"));
}

TEST(Terminal, ColoursAreInPipesOnlyWhereTheyAreAskedFor) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  const auto plain = run_to(0, sandbox, tune());
  EXPECT_FALSE(says(plain.out, kEscape));
  const auto shown = run(sandbox, {"results", "tiny.yaml", "--color", "always"});
  EXPECT_TRUE(says(shown.out, "\n" + kEscape + "[32m   1 "));
  EXPECT_EQ(occurrences(shown.out, kEscape), 2U) << "the best row, and nothing else";
  const auto again = run(sandbox, tune({"--color", "always"}));
  EXPECT_TRUE(says(again.out, kEscape + "[32m   1 "));
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_FALSE(says(row.at("rank"), kEscape)) << "no file has colours";
  }
  const auto csv = run(sandbox, {"results", "tiny.yaml", "--color", "always", "--csv", "-"});
  EXPECT_FALSE(says(csv.out, kEscape));
}

TEST(Terminal, FailuresAndWarningsHaveColoursOfTheirOwn) {
  const Sandbox sandbox;
  const auto failed =
      run(sandbox, {"run", data("faults/faults.yaml"), "--backend", "cpu", "--where",
                    "FAULT == 'nan'", "--progress", "none", "--color", "always"});
  EXPECT_TRUE(says(failed.out, kEscape + "[31mnothing valid was found" + kEscape + "[0m\n"));
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
    EXPECT_TRUE(says(done.err, "pipe.yaml: cannot read the study: it is a pipe"));
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
    EXPECT_TRUE(says(done.err, "pipe.json"));
    EXPECT_TRUE(says(done.err, "a pipe"));
  }
}

TEST(Files, ADamagedDeviceFileIsNamed) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  sandbox.write("old/device.json", "{\"name\": \"X\",,");
  sandbox.write("old/n5.csv", "rank,state,BLOCK,PER,n\n1,ok,32,1,5\n");
  const auto done = run_to(2, sandbox, {"export", "tiny.yaml", "--from", "old"});
  EXPECT_EQ(done.err.find("old/device.json: is no description of a device"), 0U) << done.err;
}

TEST(Files, AnEmptyDatabaseHoldsNoResultsYet) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  sandbox.write("results/tuner.sqlite", "");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"results"}, {"results", "tiny.yaml"}, {"export", "tiny.yaml"}}) {
    const auto done = run_to(1, sandbox, words);
    EXPECT_TRUE(says(done.err, "there are no results in results/tuner.sqlite yet"));
  }
  run_to(0, sandbox, tune());
  run_to(0, sandbox, {"results"});
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
  EXPECT_TRUE(says(done.err, "tuner.sqlite was removed or replaced"));
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
  run_to(0, sandbox, tune());
  for (const std::string& words :
       {std::string("results"), std::string("results tiny.yaml --csv -"),
        std::string("export tiny.yaml"), std::string("export tiny.yaml --format json"),
        std::string("list exporters"), std::string("check tiny.yaml"),
        std::string("check tiny.yaml --list"), std::string("check tiny.yaml --json"),
        std::string("list strategies"), std::string("cache"), std::string("--help"),
        std::string("run --help"), std::string("--version"),
        std::string("run tiny.yaml --backend cpu --budget 4 --size n=3000 --progress none")}) {
    EXPECT_EQ(shell(sandbox, words + " > /dev/full"), 1) << words;
    EXPECT_TRUE(says(text_of(sandbox.path("said")), "cannot write to standard output"))
        << words << text_of(sandbox.path("said"));
  }
  EXPECT_EQ(shell(sandbox, "results >&-"), 0) << "what is closed wants nothing";
}

// The shell's own status is that of the program, not of what reads a line of it and ends.
int shell_into_head(const Sandbox& sandbox, const std::string& words) {
  const std::string line = "cd " + sandbox.path().string() + " && (XDG_CACHE_HOME=cache " +
                           TUNER_PROGRAM + " " + words + "; echo $? > status) | head -1 > said";
  static_cast<void>(std::system(line.c_str()));
  return std::stoi(text_of(sandbox.path("status")));
}

TEST(Output, ARunWhoseReaderEndsGoesOnToItsRanking) {
  for (const char* progress : {"plain", "json"}) {
    const Sandbox sandbox;
    write_tiny(sandbox);
    const std::string words = std::string("run tiny.yaml --backend cpu --size n=3000 --progress ");
    EXPECT_EQ(shell_into_head(sandbox, words + progress + " 2>&1"), 0) << progress;
    EXPECT_FALSE(ranking_of(sandbox, "axpy").empty()) << progress;
  }
}

TEST(Output, WhoReadsALineOfResultsAndEndsHearsNothingMore) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  run_to(0, sandbox, tune());
  EXPECT_EQ(shell_into_head(sandbox, "results tiny.yaml --csv - 2> errors"), 0);
  EXPECT_EQ(text_of(sandbox.path("errors")), "");
}

TEST(Output, ARunInWhichOneSizeHasNothingValidIsNoSuccess) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  std::string source = text_of(sandbox.path("tiny.cu"));
  source.replace(source.find("if (i < n) y"), 10, "if (i < n && n != 3000)");
  sandbox.write("tiny.cu", source);
  const std::vector<std::string> words{"run",      "tiny.yaml", "--backend",  "cpu",
                                       "--budget", "2",         "--progress", "none"};
  const auto done = run_to(1, sandbox, words);
  EXPECT_TRUE(says(done.out, "2 correctness"));
  EXPECT_TRUE(says(done.out, "2 trials: "));
  auto one = words;
  one.insert(one.end(), {"--size", "n=10000"});
  run_to(0, sandbox, one);
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
  const auto done = run_to(0, sandbox, tune());
  EXPECT_TRUE(says(done.out, words));
  for (const auto& row : ranking_of(sandbox, "axpy")) {
    EXPECT_EQ(row.at("verified"), row.at("rank").empty() ? "" : "false");
  }
  const auto shown = run(sandbox, {"results", "tiny.yaml"});
  EXPECT_TRUE(says(shown.out, words));
  const auto folder = run(sandbox, {"results"});
  EXPECT_TRUE(says(folder.out, "not verified: there was no reference"));
  const auto header = run(sandbox, {"export", "tiny.yaml"});
  EXPECT_TRUE(says(header.out, "// WARNING, not verified: nothing verifies 'y'"));
  const auto json = run(sandbox, {"export", "tiny.yaml", "--format", "json"});
  EXPECT_TRUE(says(json.out, "\"verified\": false"));
  EXPECT_TRUE(says(json.out, "\"" + words + "\""));
  const auto t4 = run(sandbox, {"export", "tiny.yaml", "--format", "t4"});
  EXPECT_TRUE(says(t4.out, "\"verified\": false"));
  run_to(0, sandbox, {"export", "tiny.yaml", "--format", "launcher", "-o", "lib/a"});
  for (const char* file : {"lib/a.hpp", "lib/a.cu"}) {
    EXPECT_TRUE(says(text_of(sandbox.path(file)), "// WARNING, not verified: ")) << file;
  }
  const auto from = run(sandbox, {"export", "tiny.yaml", "--from", "results"});
  EXPECT_TRUE(says(from.out, "// WARNING, not verified: "));
}

TEST(Unverified, AVerifiedRankingSaysNothingOfTheKind) {
  const Sandbox sandbox;
  write_tiny(sandbox);
  const auto done = run_to(0, sandbox, tune());
  EXPECT_FALSE(says(done.out, "not verified"));
  for (const auto& row : ranking_of(sandbox, "axpy")) EXPECT_EQ(row.at("verified"), "true");
  EXPECT_FALSE(says(run(sandbox, {"export", "tiny.yaml"}).out, "not verified"));
  const auto json = run(sandbox, {"export", "tiny.yaml", "--format", "json"});
  EXPECT_TRUE(says(json.out, "\"verified\": true"));
}

}  // namespace
}  // namespace tuner::cli
