// What options a study may name, and how texts of them are taken apart.

#include "tuner/resolve/compiler_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tuner/plugin/abi.h"

namespace tuner {
namespace {

using Words = std::vector<std::string>;

Words words_of(const Words& texts) {
  const auto words = compiler_options(texts);
  EXPECT_TRUE(words.has_value()) << (words ? "" : to_text(words.error()));
  return words ? *words : Words{};
}

std::string fault_of(const Words& texts) {
  const auto words = compiler_options(texts);
  return words ? "none" : words.error().message;
}

TEST(CompilerOptions, StayAsTheyAreSpelled) {
  const Words all{"-DA=1",           "-U B",       "--define-macro=C=a b", "-I/a b",
                  "-std=c++20",      "-lineinfo",  "--use_fast_math",      "-maxrregcount=64",
                  "--fmad=false",    "--ftz=true", "-arch=sm_90a",         "-O3",
                  "-march=native",   "-Wall",      "-Xptxas=-v",           "--ptxas-options=-O3",
                  "-Xcompiler=-fPIC"};
  Words expected = all;
  expected[1] = "-UB";
  EXPECT_EQ(words_of(all), expected);
}

TEST(CompilerOptions, ATextMayHoldSeveralOrNone) {
  EXPECT_EQ(
      words_of({"-O3 -lineinfo", "", "  ", "-gencode arch=compute_80,code=[sm_80,compute_80]"}),
      (Words{"-O3", "-lineinfo", "-gencode=arch=compute_80,code=[sm_80,compute_80]"}));
  EXPECT_EQ(words_of({"-Xptxas -v -DX=a - b -DY=\"c -O3\" --std c++17"}),
            (Words{"-Xptxas=-v", "-DX=a - b", "-DY=\"c -O3\"", "--std=c++17"}));
}

TEST(CompilerOptions, AValueMayBeTheNextText) {
  EXPECT_EQ(words_of({"-I", "more", "-D", "N=1", "--maxrregcount", "32", "-Xptxas", "-O3,-v"}),
            (Words{"-Imore", "-DN=1", "--maxrregcount=32", "-Xptxas=-O3", "-Xptxas=-v"}));
  EXPECT_EQ(fault_of({"-O3", "-maxrregcount"}), "the option '-maxrregcount' needs a value");
}

TEST(CompilerOptions, ADefinitionIsOneLine) {
  EXPECT_EQ(words_of({"-DF(x)=x\n+ 1\n"}), (Words{"-DF(x)=x + 1"}));
  EXPECT_EQ(fault_of({"-DA=\x1b[1m"}), "a compiler option holds a control character");
}

TEST(CompilerOptions, WhatWritesOrLoadsOrReadsOptionsIsRefused) {
  for (const std::string text : {"--create-pch=thesis.txt",
                                 "-pch",
                                 "--use-pch=x",
                                 "--pch-dir=x",
                                 "--time=bashrc",
                                 "-time",
                                 "--fdevice-time-trace=x",
                                 "-o x",
                                 "-ox",
                                 "-MF x",
                                 "-MD",
                                 "-dumpbase",
                                 "-dumpdir",
                                 "-save-temps",
                                 "--keep",
                                 "-keep-dir",
                                 "-specs=x",
                                 "-wrapper x",
                                 "-B/x",
                                 "@file",
                                 "-optf=x",
                                 "--options-file=x",
                                 "-fplugin=x.so",
                                 "-fdump-tree-all",
                                 "-fprofile-generate",
                                 "-Wl,-o,x",
                                 "-Wa,-o,x",
                                 "-Wp,-MD,x",
                                 "-ccbin x",
                                 "-Xlinker -o",
                                 "-dryrun",
                                 "-odir=x",
                                 "-fdiagnostics-format=sarif-file",
                                 "--dependency-output=x",
                                 "-run",
                                 "-Xnvlink=-o",
                                 "-ftime-trace",
                                 "-fstack-usage",
                                 "x.cu",
                                 "-Xarchive=x",
                                 "-E",
                                 "--no-such"}) {
    EXPECT_NE(fault_of({text}).find("is no compiler option that a study may name"),
              std::string::npos)
        << text << ": " << fault_of({text});
  }
  EXPECT_EQ(fault_of({"-O3 --keep -lineinfo"}),
            "'--keep' is no compiler option that a study may name");
}

TEST(CompilerOptions, WhatIsPassedOnIsLookedAt) {
  for (const Words& texts :
       {Words{"-Xptxas", "-o,x"}, Words{"--ptxas-options=-v,--options-file=x"},
        Words{"-Xcompiler=-fPIC,-o,x"}, Words{"-Xcompiler", "-fplugin=x"},
        Words{"-Xcompiler", "-Xptxas=-v"}, Words{"-Xcudafe=--gen_c_file_name=x"},
        Words{"-Xnvvm=-o"}, Words{"-Xptxas \"-v -o x\""}}) {
    EXPECT_NE(fault_of(texts).find("is no option that a study may pass on"), std::string::npos)
        << texts.back() << ": " << fault_of(texts);
  }
}

TEST(CompilerOptions, AWordHasNothingThatAShellObeys) {
  for (const std::string head :
       {"-l", "-std=", "-arch=", "-Xptxas=-dlcm=", "-Xcudafe --diag_suppress=",
        "-Xcompiler -march=", "-maxrregcount=", "-diag-suppress=", "-opt-info=", "-W",
        "-Xcompiler -l", "-frandom-seed="}) {
    for (const std::string active : {"a`x`", "$(x)", "a\"x", "a'x", "a;x", "a|x", "a\\x", "<x"}) {
      EXPECT_NE(fault_of({head + active}), "none") << head << active;
    }
  }
  EXPECT_EQ(to_text(compiler_options({"-l`x`"}).error()),
            "the value of '-l' is '`x`': it must be a word of letters, digits and '_.,=+:-'");
}

TEST(CompilerOptions, AFaultNamesItsText) {
  const auto words = compiler_options({"-O3", "--ftz=maybe"});
  ASSERT_FALSE(words.has_value());
  EXPECT_EQ(words.error().text, 1U);
  EXPECT_EQ(to_text(words.error()), "the value of '--ftz' is 'maybe': it must be true or false");
}

TEST(CompilerOptions, WhatDependsOnANameIsNotJudgedBeforeItsValue) {
  const auto words = unresolved_options({"{flags}", "-maxrregcount={R}", "-D{A}={B}", "-O3"});
  ASSERT_TRUE(words.has_value());
  EXPECT_EQ(*words, (Words{"{flags}", "-maxrregcount={R}", "-D{A}={B}", "-O3"}));
  EXPECT_FALSE(unresolved_options({"--keep", "{A}"}).has_value());
}

TEST(CompilerOptions, OfOtherCompilersAreLeftOut) {
  const Words all{"-DA=1", "-O3", "-lineinfo", "-Xptxas=-v", "-gencode=x", "--use_fast_math"};
  EXPECT_EQ(idle_options(all, TUNER_OPTIONS_NVRTC), (Words{"-O3", "-gencode=x"}));
  EXPECT_EQ(idle_options(all, TUNER_OPTIONS_HOST),
            (Words{"-lineinfo", "-Xptxas=-v", "-gencode=x"}));
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_HOST), (Words{"-DA=1", "-O3", "--use_fast_math"}));
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_OWN), all);
}

TEST(CompilerOptions, OfOpenClAreOnesOfItsOwnAndThePreprocessors) {
  const Words all{
      "-DA=1", "-std=c++17",      "-lineinfo", "-cl-std=CL1.2",         "-cl-fast-relaxed-math",
      "-w",    "--use_fast_math", "-O3",       "-cl-nv-maxrregcount=64"};
  EXPECT_EQ(*compiler_options(all), all);
  EXPECT_EQ(
      meant_options(all, TUNER_OPTIONS_OPENCL),
      (Words{"-DA=1", "-cl-std=CL1.2", "-cl-fast-relaxed-math", "-w", "-cl-nv-maxrregcount=64"}));
  EXPECT_EQ(idle_options(all, TUNER_OPTIONS_NVRTC),
            (Words{"-cl-std=CL1.2", "-cl-fast-relaxed-math", "-O3", "-cl-nv-maxrregcount=64"}));
  EXPECT_FALSE(compiler_options({"-cl-nv-cstd=CL1.2"}).has_value());
}

TEST(CompilerOptions, OfNvccAndNvrtcDifferInFew) {
  const Words all{"-lineinfo", "-minimal",   "--expt-relaxed-constexpr",
                  "-O3",       "-gencode=x", "-maxrregcount=64"};
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_NVCC),
            (Words{"-lineinfo", "--expt-relaxed-constexpr", "-maxrregcount=64"}));
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_NVRTC),
            (Words{"-lineinfo", "-minimal", "-maxrregcount=64"}));
}

TEST(CompilerOptions, OfALauncherTheHostsCompilerAndTheLinkerGetTheirs) {
  const Words all{"-O3", "-lcublas", "-L/opt", "-Xcompiler=-Wall", "-lineinfo"};
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_NVCC, true), all);
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_NVCC), Words{"-lineinfo"});
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_HOST, true),
            (Words{"-O3", "-lcublas", "-L/opt", "-Xcompiler=-Wall"}));
  EXPECT_EQ(meant_options(all, TUNER_OPTIONS_HOST), Words{"-O3"});
}

}  // namespace
}  // namespace tuner
