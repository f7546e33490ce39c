// A function of the host in place of kernel and launch.

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

const std::string kLauncherHead = "schema: 1\nproblem_sizes: [{N: 64}]\nparameters: {B: [1, 2]}\n";
const std::string kLauncherTail =
    "arguments:\n  - {name: y, type: float, shape: [N], role: out}\nverify: none\n";

TEST(LauncherSection, StandsInPlaceOfKernelAndLaunch) {
  const Study study =
      accepted(kLauncherHead + "launcher: {source: k.cu, entry: sort, options: [-lcublas]}\n" +
               kLauncherTail);
  EXPECT_TRUE(study.is_runnable());
  EXPECT_TRUE(study.kernel.runs_on_host());
  EXPECT_EQ(study.kernel.name, "sort");
  EXPECT_EQ(study.kernel.options, std::vector<std::string>{"-lcublas"});
  EXPECT_FALSE(study.reference);
}

TEST(LauncherSection, AReferenceIsAFunctionToo) {
  const std::string launcher = "launcher: {name: s, source: k.cu, entry: sort}\n";
  const Study both =
      accepted(kLauncherHead + launcher + kLauncherTail.substr(0, kLauncherTail.find("verify")) +
               "reference: {entry: plain}\n");
  EXPECT_EQ(both.reference->from, AnswerSource::kLauncher);
  const Study kernel =
      accepted(kLauncherHead + launcher + kLauncherTail.substr(0, kLauncherTail.find("verify")) +
               "reference: {entry: plain, block: [32], grid: [N]}\n");
  EXPECT_EQ(kernel.reference->from, AnswerSource::kKernel);
}

TEST(LauncherSection, Mistakes) {
  const std::string good = "launcher: {source: k.cu, entry: sort}\n";
  for (const auto& [launcher, message] : {
           std::pair<std::string, std::string>{"launcher: {entry: sort}\n",
                                               "missing key 'source' in 'launcher'"},
           {"launcher: {source: k.cu}\n", "missing key 'entry' in 'launcher'"},
           {"launcher: {source: none.cu, entry: sort}\n", "'source': there is no file"},
           {"launcher: {source: k.cu, entry: \"sort<{X}>\", name: s}\n", "unknown name 'X'"},
           {"launcher: {source: k.cu, entry: \"sort<int>\"}\n",
            "'sort<int>' cannot be a kernel's name"},
           {"launcher: {source: k.cu, entry: sort, block: [1]}\n",
            "unknown key 'block' in 'launcher'"},
           {"launcher: {source: k.cu, entry: sort, options: [--create-pch=x]}\n", "--create-pch"},
           {good + "kernel: {name: k, source: k.cu, entry: k}\n",
            "'kernel' does not go with 'launcher' (the launcher is what is tuned)"},
           {good + "launch: {block: [B], grid: [1]}\n",
            "'launch' does not go with 'launcher' (a launcher launches by itself)"},
           {good + "constants: [{name: c, type: float, value: 1}]\n",
            "'constants' does not go with 'launcher' (a launcher sets its own)"},
           {good + "reference: {entry: plain, repeat: 3}\n", "'repeat' is of kernels"},
       }) {
    const std::string tail = launcher.find("reference") == std::string::npos
                                 ? kLauncherTail
                                 : kLauncherTail.substr(0, kLauncherTail.find("v"));
    EXPECT_NE(complaints_of(kLauncherHead + launcher + tail).find(message), std::string::npos)
        << launcher << complaints_of(kLauncherHead + launcher + tail);
  }
}

}  // namespace
}  // namespace tuner::testing
