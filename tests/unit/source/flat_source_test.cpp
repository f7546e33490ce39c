#include <cstdlib>

#include "scratch.h"
#include "tuner/base/error.h"
#include "tuner/source/source_bundle.h"

namespace tuner {
namespace {

using Headers = std::vector<std::string>;

class Flat : public Scratch {
 protected:
  FlatSource flat(const std::string& source) const {
    return flat_source(source, (root / "kernel.cu").string(), {});
  }
};

TEST_F(Flat, WritesIncludesOutWhereTheyStand) {
  write("a.cuh", "int a;\n#include \"b.cuh\"\n");
  write("b.cuh", "int b;");
  EXPECT_EQ(flat("// top\n#include \"a.cuh\"\nint c;\n").text, "// top\nint a;\nint b;\nint c;\n");
}

// The first of the two includes is behind an #if that does not hold.
TEST_F(Flat, AFileThatSaysOnceTakesEffectOnceWhereverItIsCompiled) {
  write("a.cuh", "#pragma once\nstruct A {};\n");
  write("main.cpp", flat("#if 0\n#include \"a.cuh\"\n#endif\n#include \"a.cuh\"\n"
                         "#include \"a.cuh\"\nint main() { A a; (void)a; }\n")
                        .text);
  const std::string command = "g++ -fsyntax-only " + (root / "main.cpp").string() + " 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(Flat, ForeignHeadersAreNamedAndAskedForWhereTheyAreConditional) {
  const FlatSource out = flat(
      "#include <cuda_fp16.h>\n#if TUNE_X\n#  include <mma.h>\n#endif\n"
      "#include <cuda_fp16.h>\nint c;\n");
  EXPECT_EQ(out.headers, (Headers{"#include <cuda_fp16.h>",
                                  "#if __has_include(<mma.h>)\n#include <mma.h>\n#endif"}));
  EXPECT_EQ(out.text, "#if TUNE_X\n#endif\nint c;\n");
}

TEST_F(Flat, CommentsAndRawStringsAreNotRead) {
  write("a.cuh", "int a; /* */\n");
  const std::string text =
      "/* look at\n#include \"a.cuh\"\n#define NOT 1\n*/\n// #include \"a.cuh\"\n"
      "const char* s = R\"x(\n#include \"a.cuh\"\n)x\";\nint n = 1'000; const char* q = \"/*\";\n";
  const FlatSource out = flat(text + "#define YES 1\n");
  EXPECT_EQ(out.text, text + "#define YES 1\n");
  EXPECT_EQ(out.macros, (Headers{"YES"}));
}

TEST_F(Flat, MacrosOfAllFilesAreKnownAndLinesAreJoined) {
  write("a.cuh", "#pragma once\n# define ADD(x) \\\n  (x + 1)\n");
  const FlatSource out = flat("#include \"a.cuh\"\n#define B\n");
  EXPECT_EQ(out.macros, (Headers{"TUNER_ONCE_0", "ADD", "B"}));
}

TEST_F(Flat, CLinkageBecomesCppLinkage) {
  EXPECT_EQ(flat("extern \"C\" void f();\nextern  \"C\" {\n}\nextern int x;\n").text,
            "extern \"C++\" void f();\nextern  \"C++\" {\n}\nextern int x;\n");
}

TEST_F(Flat, WhatCannotBeWrittenOutIsRefused) {
  write("self.cuh", "#include \"self.cuh\"\n");
  write("once.cuh", "#pragma once\n#include \"once.cuh\"\nint once;\n");
  EXPECT_THROW(flat("#include HEADER\n"), InputError);
  EXPECT_THROW(flat("#include \"self.cuh\"\n"), InputError);
  EXPECT_NE(flat("#include \"once.cuh\"\n").text.find("int once;"), std::string::npos);
}

TEST_F(Flat, IncludesBehindCommentsAndDigraphsAreWrittenOut) {
  write("a.cuh", "int a;\n");
  for (const char* line : {"/* x */ #include \"a.cuh\"", "#/**/include \"a.cuh\"",
                           "%:include \"a.cuh\"", "# include/* y */\"a.cuh\" // z"}) {
    EXPECT_EQ(flat(std::string(line) + "\nint b;\n").text, "int a;\nint b;\n") << line;
  }
}

TEST_F(Flat, DirectivesThatNeedTheFilesWhereTheyLieAreRefused) {
  write("a.cuh", "int a;\n");
  for (const char* text :
       {"#import \"a.cuh\"\n", "#include_next <a.cuh>\n", "/*\n*/ #include \"a.cuh\"\n",
        "#include \"a.cuh\" /*\n*/\n", "#/*\n*/include \"a.cuh\"\n",
        "#if __has_include(\"a.cuh\")\n#endif\n", "#if __has_include(NAME)\n#endif\n"}) {
    EXPECT_THROW(flat(text), InputError) << text;
  }
  EXPECT_EQ(flat("#if __has_include(<foreign.h>)\n#endif\n").text,
            "#if __has_include(<foreign.h>)\n#endif\n");
}

}  // namespace
}  // namespace tuner
