// A changed header makes what was measured and compiled with it stale, however it comes in.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "program.h"
#include "tuner/base/atomic_file.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Words kTune{"run", "k.yaml", "--backend", "cpu", "--progress", "json"};
const Words kTuneAfresh{"run", "k.yaml", "--backend", "cpu", "--progress", "json", "--fresh"};

// One variant that adds VALUE, of which the reference knows that it is 0.
void write_version(const Sandbox& sandbox, const std::string& include, const std::string& options,
                   const std::string& fill = "{constant: 1}") {
  sandbox.write("k.yaml",
                "schema: 1\n"
                "kernel: {name: k, source: k.cu, entry: k, options: [" +
                    options +
                    "]}\n"
                    "problem_sizes: [{n: 256}]\n"
                    "parameters: {BLOCK: [64]}\n"
                    "launch: {block: [BLOCK], grid: [\"ceil_div(n, BLOCK)\"]}\n"
                    "arguments:\n"
                    "  - {name: x, type: float32, shape: [n], fill: " +
                    fill +
                    "}\n"
                    "  - {name: y, type: float32, shape: [n], role: out}\n"
                    "reference: {entry: right, source: r.cu, block: [64], grid: [4]}\n"
                    "verify: {y: {rtol: 0, atol: 0}}\n");
  const std::string end =
      "(const float* x, float* y) {\n  const int i = blockIdx.x * blockDim.x + "
      "threadIdx.x;\n  y[i] = x[i]";
  sandbox.write("k.cu", include +
                            "\n#ifndef VALUE\n#define VALUE 0\n#endif\n"
                            "extern \"C\" __global__ void k" +
                            end + " + VALUE;\n}\n");
  sandbox.write("r.cu", "extern \"C\" __global__ void right" + end + ";\n}\n");
}

// The state of the only variant after a run; "stored" when it was not measured.
std::string state_after(const Sandbox& sandbox, const Words& words) {
  const Finished done = run(sandbox, words);
  if (done.err.find("\"from_store\":true") != std::string::npos) return "stored";
  const auto rows = ranking_of(sandbox, "k");
  return rows.size() == 1 ? rows.front().at("state") : "no row: " + done.err + done.out;
}

struct Way {
  const char* name;
  const char* include;
  const char* options;
};

// h.h lies in inc/, which is an include folder of all; wrong.h in it, too.
const Way kWays[] = {
    {"include", "#include \"inc/h.h\"", ""},
    {"macro", "#define NAME \"inc/h.h\"\n#include NAME", ""},
    {"macro of an option", "#include NAME", "'-DNAME=\"inc/h.h\"'"},
    {"comment before", "/* x */ #include \"inc/h.h\"", ""},
    {"comment within", "#/**/include \"inc/h.h\"", ""},
    {"digraph", "%:include \"inc/h.h\"", ""},
    {"import", "#import \"inc/h.h\"", ""},
    {"next", "#include_next \"inc/h.h\"", ""},
    {"made by a macro", "#define QUOTED(x) #x\n#define NAME(x) QUOTED(inc/x.h)\n#include NAME(h)",
     ""},
    {"folder in two words", "#include <h.h>", "'--include-path', 'inc'"},
    {"short folder in two words", "#include <h.h>", "'-I', 'inc'"},
    {"folder of the study", "#include <h.h>", "], include_dirs: [inc"},
    {"folder of a parameter", "#include <h.h>", "'-Iinc/of{BLOCK}'"},
};

std::string header(const Way& way) {
  return std::string(way.name) == "folder of a parameter" ? "inc/of64/h.h" : "inc/h.h";
}

TEST(StaleSources, AChangedHeaderIsMeasuredAnewHoweverItComesIn) {
  for (const Way& way : kWays) {
    const Sandbox sandbox;
    write_version(sandbox, way.include, way.options);
    sandbox.write(header(way), "#define VALUE 0\n");
    ASSERT_EQ(state_after(sandbox, kTune), "ok") << way.name;
    ASSERT_EQ(state_after(sandbox, kTune), "stored") << way.name;
    EXPECT_FALSE(says(run(sandbox, {"results", "k.yaml"}).out, "stale"));
    sandbox.write(header(way), "#define VALUE 1\n");
    const auto shown = run(sandbox, {"results", "k.yaml"});
    EXPECT_TRUE(says(shown.out, "stale, will be measured anew: source: changed"))
        << way.name << shown.out;
    EXPECT_EQ(state_after(sandbox, kTune), "correctness") << way.name;
    EXPECT_EQ(state_after(sandbox, kTune), "stored") << way.name;
    // No binary of an earlier header is run.
    sandbox.write(header(way), "#define VALUE 0\n");
    EXPECT_EQ(state_after(sandbox, kTuneAfresh), "ok") << way.name;
  }
}

TEST(StaleSources, AHeaderThatAppearsIsSeen) {
  const char* ways[] = {
      "#if __has_include(\"inc/h.h\")\n#include \"inc/h.h\"\n#endif",
      "#define NAME \"inc/h.h\"\n#if __has_include(NAME)\n#include NAME\n#endif",
      "#define HAS(x) __has_include(x)\n#if HAS(\"inc/h.h\")\n#include \"inc/h.h\"\n#endif"};
  for (const char* include : ways) {
    const Sandbox sandbox;
    write_version(sandbox, include, "");
    ASSERT_EQ(state_after(sandbox, kTune), "ok") << include;
    sandbox.write("inc/h.h", "#define VALUE 1\n");
    EXPECT_EQ(state_after(sandbox, kTune), "correctness") << include;
    fs::remove(sandbox.path("inc/h.h"));
    EXPECT_EQ(state_after(sandbox, kTuneAfresh), "ok") << include;
  }
}

// Found by a name that nobody can know before it is compiled.
TEST(StaleSources, AHeaderThatComesInFrontOfAnotherIsSeen) {
  const Sandbox sandbox;
  write_version(sandbox, "#define QUOTED(x) <x.h>\n#define NAME(x) QUOTED(x)\n#include NAME(h)",
                "-Ifirst, -Iinc");
  sandbox.write("inc/h.h", "#define VALUE 0\n");
  ASSERT_EQ(state_after(sandbox, kTune), "ok");
  ASSERT_EQ(state_after(sandbox, kTune), "stored");
  sandbox.write("first/h.h", "#define VALUE 1\n");
  EXPECT_EQ(state_after(sandbox, kTune), "correctness");
}

TEST(StaleSources, TheEnvironmentNamesNoIncludeFolders) {
  const Sandbox sandbox;
  write_version(sandbox, "#include <h.h>", "");
  sandbox.write("inc/h.h", "#define VALUE 0\n");
  ::setenv("CPATH", sandbox.path("inc").c_str(), 1);
  EXPECT_EQ(state_after(sandbox, kTune), "compile");
  ::unsetenv("CPATH");
}

TEST(StaleSources, AReferenceIsReadAnewToo) {
  const Sandbox sandbox;
  write_version(sandbox, "", "");
  sandbox.write("inc/h.h", "#define VALUE 0\n");
  std::string text = text_of(sandbox.path("r.cu"));
  text.replace(text.find("x[i];"), 5, "x[i] + VALUE;");
  sandbox.write("r.cu",
                "#define QUOTED(x) #x\n#define NAME(x) QUOTED(inc/x.h)\n#include NAME(h)\n" + text);
  ASSERT_EQ(state_after(sandbox, kTune), "ok");
  ASSERT_EQ(state_after(sandbox, kTune), "stored");
  sandbox.write("inc/h.h", "#define VALUE 1\n");
  EXPECT_EQ(state_after(sandbox, kTune), "correctness");
}

TEST(StaleSources, WhatNobodyCanKnowIsNotKeptAndSaid) {
  const Sandbox sandbox;
  write_version(sandbox, "// .incbin", "");
  for (int i = 0; i < 2; ++i) {
    const Finished done = run_to(0, sandbox, kTune);
    EXPECT_FALSE(says(done.err, "\"from_store\":true"));
    EXPECT_EQ(occurrences(done.err, "are not kept for later runs: k.cu may have the assembler"), 1U)
        << done.err;
  }
}

TEST(StaleSources, ADataFileIsKnownByItsContents) {
  const Sandbox sandbox;
  write_version(sandbox, "", "", "{file: x.bin}");
  const fs::path file = sandbox.write("x.bin", std::string(1024, '\0'));
  struct stat facts {};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  const timespec times[2] = {facts.st_atim, facts.st_mtim};
  ASSERT_EQ(state_after(sandbox, kTune), "ok");
  sandbox.write("x.bin", std::string(1024, '\0'));  // the same, at another time
  ASSERT_EQ(state_after(sandbox, kTune), "stored");
  sandbox.write("x.bin", std::string(512, '\0') + std::string(512, '\1'));
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  EXPECT_EQ(state_after(sandbox, kTune), "ok");
}

}  // namespace
}  // namespace tuner::cli
