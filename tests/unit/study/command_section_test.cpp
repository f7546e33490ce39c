// A program in place of kernel and launch.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/study/study_folder.h"
#include "tuner/check/checked_study.h"

namespace tuner::testing {
namespace {

const std::string kCommandHead =
    "schema: 1\nproblem_sizes: [{N: 64}]\nparameters: {BX: [1, 2], MODE: [a b, c]}\n";

std::vector<std::string> words_of(const Study& study, const std::string& key) {
  std::vector<std::string> words;
  for (const std::string& option : study.kernel.options) {
    if (option.starts_with(key + "=")) words.push_back(option.substr(key.size() + 1));
  }
  return words;
}

std::vector<std::string> run_words(const std::string& line) {
  return words_of(accepted(kCommandHead + "command: {run: " + line + "}\n"), "run");
}

TEST(CommandSection, StandsInPlaceOfKernelAndLaunch) {
  const Study study =
      accepted(kCommandHead + "command: {build: \"cc -DBX={BX}\", run: \"./a {N}\"}\n");
  EXPECT_TRUE(study.is_runnable());
  EXPECT_TRUE(study.kernel.runs_on_host());
  EXPECT_EQ(study.kernel.language, "program");
  EXPECT_EQ(words_of(study, "build"), (std::vector<std::string>{"cc", "-DBX={BX}"}));
  EXPECT_EQ(words_of(study, "run"), (std::vector<std::string>{"./a", "{N}"}));
  EXPECT_EQ(words_of(study, "environment"),
            (std::vector<std::string>{"BX={BX}", "MODE={MODE}", "N={N}"}));
  EXPECT_TRUE(study.measure.by_variant);
}

TEST(CommandSection, LinesAreWordsAsAShellReadsThem) {
  EXPECT_EQ(run_words(R"("a  'b  c' \"d \\\" e\"f \\\\g''")"),
            (std::vector<std::string>{"a", "b  c", "d \" ef", "\\g"}));
  EXPECT_EQ(run_words(R"("sh -c 'a | b > c && d'")"),
            (std::vector<std::string>{"sh", "-c", "a | b > c && d"}));
  EXPECT_EQ(run_words("\"a ''\""), (std::vector<std::string>{"a", ""}));
}

TEST(CommandSection, GroupsOfAPatternAreTheTimeAndMetrics) {
  const Study one =
      accepted(kCommandHead + "command: {run: a, metrics: {pattern: \"([0-9.]+) ms\"}}\n");
  EXPECT_NE(one.kernel.text.find(R"("names":["time_ms"])"), std::string::npos) << one.kernel.text;
  EXPECT_TRUE(one.metrics.empty());
  const Study named = accepted(
      kCommandHead +
      "command: {run: a, metrics: {pattern: \"(?<time_s>[0-9.(]+) s (?:or)? (?P<gflops>.+)\"}}\n"
      "objective: {maximize: gflops}\n");
  EXPECT_NE(named.kernel.text.find(R"x("regex":"([0-9.(]+) s (?:or)? (.+)")x"), std::string::npos)
      << named.kernel.text;
  EXPECT_EQ(named.metrics.front().name, "gflops");
  EXPECT_EQ(named.observers.front().name, "program");
}

TEST(CommandSection, WhatTheObjectiveNamesIsAKeyOfTheJson) {
  const Study study = accepted(kCommandHead +
                               "command: {run: a, metrics: {json: out.json, values: [mib]}}\n"
                               "metrics: {share: mib / 2}\nobjective: {maximize: rate}\n");
  EXPECT_NE(study.kernel.text.find(R"("values":["mib","rate"])"), std::string::npos)
      << study.kernel.text;
  EXPECT_EQ(study.objective.name, "rate");
}

TEST(CommandSection, SourcesAreIncludedByWhatIsReadForTheIdentity) {
  const Study study = accepted(kCommandHead + "command: {run: a, sources: [k.cu]}\n");
  EXPECT_TRUE(study.kernel.text.starts_with("#include \"k.cu\"\n{")) << study.kernel.text;
}

TEST(CommandSection, SourcesOfAStudyThatIsExtendedLieInItsFolder) {
  const StudyFolder folder("schema: 1\nextends: below/base.yaml\nproblem_sizes: [{N: 8}]\n");
  const std::filesystem::path below = folder.file().parent_path() / "below";
  std::filesystem::create_directory(below);
  std::ofstream(below / "base.yaml") << kCommandHead + "command: {run: sh a.sh, sources: [a.sh]}\n";
  std::ofstream(below / "a.sh") << "exit 0\n";
  const Study study = read_study(folder.file());
  EXPECT_EQ(study.kernel.source, below / "base.yaml");
  EXPECT_TRUE(study.kernel.text.starts_with("#include \"a.sh\"\n"));
}

TEST(CommandSection, TheReferenceIsTheCommandWithOtherValues) {
  const std::string command =
      "command: {run: a}\narguments: [{name: y, type: float, shape: [N], role: out, file: "
      "y.npy}]\n";
  const Study held = accepted(kCommandHead + command + "reference: {configuration: {BX: 1}}\n");
  EXPECT_EQ(held.reference->from, AnswerSource::kLauncher);
  const Study baseline = accepted(kCommandHead + "baseline: {BX: 2, MODE: c}\n" + command +
                                  "reference: {configuration: baseline}\n");
  EXPECT_EQ(baseline.reference->configuration.size(), 2U);
}

TEST(CommandSection, Mistakes) {
  for (const auto& [text, message] : {
           std::pair<std::string, std::string>{"command: {build: a}\n",
                                               "missing key 'run' in 'command'"},
           {"command: {run: a | b}\n", ":4:18: 'run': '|' needs a shell, and none is started"},
           {"command: {run: a && b}\n", "'run': '&&' needs a shell"},
           {"command: {run: a > b}\n", "'run': '>' needs a shell"},
           {"command: {run: a $(b)}\n", "'run': '$(' needs a shell"},
           {"command: {run: \"a \\\"$B\\\"\"}\n", "'run': '$' needs a shell"},
           {"command: {run: a *.o}\n", "'run': '*' needs a shell"},
           {"command:\n  run: |\n    a\n    b\n", "a second line is a second command"},
           {"command: {run: a 'b}\n", "'run': this quote has no partner"},
           {"command: {run: ' '}\n", "'run' is empty"},
           {"command: {run: 'a {BY}'}\n", "unknown name 'BY'"},
           {"command: {run: a, metrics: {}}\n", "is either 'json' or 'pattern'"},
           {"command: {run: a, metrics: {json: /tmp/x}}\n", "'json' cannot be '/tmp/x'"},
           {"command: {run: a, metrics: {pattern: time}}\n", "'pattern' has no group"},
           {"command: {run: a, metrics: {pattern: \"(a)(b)\"}}\n", "'pattern' has 2 groups"},
           {"command: {run: a, metrics: {pattern: \"(a\"}}\n", "'pattern': "},
           {"command: {run: a, sources: [../x]}\n", "a file of 'sources' cannot be '../x'"},
           {"command: {run: a, sources: [none.cpp]}\n", "'sources': there is no file"},
           {"command: {run: a}\nlaunch: {block: [1], grid: [1]}\n",
            "'launch' does not go with 'command'"},
           {"command: {run: a}\nwork: {bytes: N}\n", "'work' does not go with 'command'"},
           {"command: {run: a}\nmeasure: {cache: hot}\n", "begins with its own caches"},
           {"command: {run: a}\narguments: [{name: n, type: int32, value: N}]\n",
            "'n' is no file: a program takes arrays as files only"},
           {"command: {run: a}\narguments: [{name: y, type: float, shape: [N], role: out, "
            "file: y}]\nreference: {entry: b, configuration: {BX: 1}}\n",
            "'entry' is of kernels"},
       }) {
    const std::string said = complaints_of(kCommandHead + text);
    EXPECT_NE(said.find(message), std::string::npos) << text << said;
  }
}

}  // namespace
}  // namespace tuner::testing
