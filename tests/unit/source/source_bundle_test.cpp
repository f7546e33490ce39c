// What a source includes: found as files, or written out.

#include "tuner/source/source_bundle.h"

#include <cstdlib>

#include "scratch.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/source/inlined_source.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class Bundle : public Scratch {
 protected:
  SourceBundle read(const std::string& text, const std::vector<std::string>& dirs = {}) const {
    return SourceBundle::read(text, (root / "k.cu").string(), dirs);
  }
  static std::vector<std::string> names(const SourceBundle& bundle) {
    std::vector<std::string> out;
    for (const BundledFile& file : bundle.files()) out.push_back(file.name);
    return out;
  }
};

using Names = std::vector<std::string>;

TEST_F(Bundle, FollowsIncludesBesideTheFileAndInTheDirectories) {
  write("a.h", "#include \"sub/b.h\"\n");
  write("sub/b.h", "#include \"c.h\"\n  #  include <d.h>\n");
  write("sub/c.h", "int c;");
  write("inc/d.h", "int d;");
  write("inc/a.h", "not this one, but it could be: the other lies beside the source");
  const auto bundle = read("#include \"a.h\"\n#include <missing.h>\n", {(root / "inc").string()});
  EXPECT_EQ(names(bundle), (Names{"", "a.h", "sub/b.h", "c.h", "d.h", "a.h"}));
  EXPECT_TRUE(bundle.complete());
}

TEST_F(Bundle, LooksForAngleBracketsInTheDirectoriesOnly) {
  write("a.h", "int a;");
  EXPECT_EQ(names(read("#include <a.h>\n")), Names{""});
  EXPECT_EQ(names(read("#include <a.h>\n", {root.string()})), (Names{"", "a.h"}));
}

TEST_F(Bundle, EndsOnCirclesAndReadsEachFileOnce) {
  write("a.h", "#include \"b.h\"\n#include \"a.h\"\n");
  write("b.h", "#include \"a.h\"\n#include \"./b.h\"\n");
  EXPECT_EQ(names(read("#include \"a.h\"\n#include \"b.h\"\n")), (Names{"", "a.h", "b.h"}));
}

TEST_F(Bundle, SeesContinuedLinesAndWindowsLineEnds) {
  write("a.h", "int a;");
  write("b.h", "int b;");
  EXPECT_EQ(names(read("#inc\\\nlude \\\r\n \"a.h\"\r\n#include \"b.h\"\r\n")),
            (Names{"", "a.h", "b.h"}));
}

TEST_F(Bundle, KnowsWhenAMacroNamesTheFile) {
  EXPECT_FALSE(read("#include TUNE_HEADER\n").complete());
  write("a.h", "# include CONFIG(x)\n");
  EXPECT_FALSE(read("#include \"a.h\"\n").complete());
  EXPECT_TRUE(read("int included; // #includes nothing\n").complete());
}

// In all of these g++ reads h.h.
TEST_F(Bundle, SeesEveryFormOfAnInclude) {
  write("inc/h.h", "int h;");
  for (const char* text : {"/* x */ #include <h.h>\n",
                           "/* x\n y */ #include <h.h>\n",
                           "#/**/include <h.h>\n",
                           "#/* \n */include <h.h>\n",
                           "#include/**/<h.h>\n",
                           "%:include <h.h>\n",
                           "?\?=include <h.h>\n",
                           "#import <h.h>\n",
                           "#include_next <h.h>\n",
                           "#embed <h.h>\n",
                           "const char* s = R\"(/*)\";\n#include <h.h>\n//*/\n",
                           "\xef\xbb\xbf#include <h.h>\n",
                           "// x ?\?/\n\n#include <h.h>\n",
                           "#in\\ \nclude <h.h>\n",
                           "\\ \n#include <h.h>\n",
                           "#if __has_include(<h.h>)\n",
                           "#if defined(A) || \\\n __has_include( <h.h> )\n",
                           "#elif __has_include/**/(<h.h>)\n",
                           "#if __has_include_next(<h.h>)\n",
                           "#define HEADER <h.h>\n"}) {
    const auto bundle = read(text, {(root / "inc").string()});
    EXPECT_EQ(names(bundle), (Names{"", "h.h"})) << text;
    EXPECT_TRUE(bundle.complete()) << text;
  }
}

TEST_F(Bundle, LooksInEveryPlaceWhereAFileMayBeFound) {
  write("one/h.h", "int one;");
  write("two/h.h", "#include \"own.h\"\n");
  write("two/own.h", "int own;");
  EXPECT_EQ(names(read("#include <h.h>\n", {(root / "one").string(), (root / "two").string()})),
            (Names{"", "h.h", "h.h", "own.h"}));
}

TEST_F(Bundle, AFileThatAppearsMakesAnotherDigest) {
  for (const char* text : {"#include <late.h>\n", "#if __has_include(\"late.h\")\n#endif\n"}) {
    fs::remove(root / "late.h");
    const Digest before = read(text, {root.string()}).digest();
    write("late.h", "");
    EXPECT_FALSE(read(text, {root.string()}).digest() == before) << text;
  }
}

TEST_F(Bundle, KnowsWhatItCannotKnow) {
  EXPECT_EQ(read("# if __has_include(NAME)\n").gap(), "k.cu asks __has_include through a macro");
  EXPECT_FALSE(read("#define HAS(x) __has_include(x)\n").complete());
  EXPECT_FALSE(read("#define ASK __has_include\n").complete());
  EXPECT_TRUE(read("#if defined(__has_include)\n#ifdef __has_include\n").complete());
  EXPECT_FALSE(read("/* */ # /* */ import NAME\n").complete());
  EXPECT_TRUE(read("#include NAME\n").compiler_knows());
  EXPECT_FALSE(read("asm(\".incbin \\\"x\\\"\");\n").compiler_knows());
}

TEST_F(Bundle, LooksBesideALinkAndBesideTheFile) {
  write("real/h.h", "#include \"own.h\"\n");
  write("real/own.h", "int real;");
  write("sub/own.h", "int link;");
  fs::create_symlink("../real/h.h", root / "sub/h.h");
  EXPECT_EQ(names(read("#include \"sub/h.h\"\n")), (Names{"", "sub/h.h", "own.h", "own.h"}));
}

TEST_F(Bundle, DigestFollowsEveryByteOfEveryFileAndNoPlace) {
  write("a.h", "#include \"b.h\"\n");
  write("b.h", "int b = 1;\n");
  const std::string source = "#include \"a.h\"\n";
  const Digest before = read(source).digest();
  EXPECT_EQ(read(source).digest(), before);
  EXPECT_FALSE(read(source + " ").digest() == before);
  write("b.h", "int b = 2;\n");
  EXPECT_FALSE(read(source).digest() == before);
  write("elsewhere/a.h", "#include \"b.h\"\n");
  write("elsewhere/b.h", "int b = 1;\n");
  EXPECT_EQ(SourceBundle::read(source, (root / "elsewhere/k.cu").string(), {}).digest(), before);
}

TEST_F(Bundle, MentionsWholeWordsOfAllFiles) {
  write("a.h", "int x = TUNE_BK;");
  const auto bundle = read("#include \"a.h\"\nint y = TUNE_BM_2 + 3TUNE_TM; // TUNE_\\\nTN\n");
  EXPECT_TRUE(bundle.mentions("TUNE_BK"));
  EXPECT_TRUE(bundle.mentions("TUNE_BM_2"));
  EXPECT_TRUE(bundle.mentions("TUNE_TN"));  // joined by the preprocessor
  EXPECT_FALSE(bundle.mentions("TUNE_BM"));
  EXPECT_FALSE(bundle.mentions("TUNE_TM"));
}

TEST_F(Bundle, WherePiecesArePastedEveryWordMayBeMade) {
  EXPECT_TRUE(read("#define GLUE(a, b) a##b\n").mentions("TUNE_BM"));
  write("a.h", "#define GLUE(a, b) a#\\\n#b\n");
  EXPECT_TRUE(read("#include \"a.h\"\n").mentions("TUNE_BM"));
}

// ---- written out --------------------------------------------------------------------------------

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

// ---- in the place of the #include lines ---------------------------------------------------------

TEST_F(Bundle, IsWrittenInPlaceWithTheLinesOfEachFile) {
  const std::string a = write("a.h", "#pragma once\nint a;\n");
  const std::string b = write("sub/b.h", "#include \"../a.h\"\n#include \"b.h\"\nint b;");
  const std::string source = "#include <cmath>\n# include \"sub/b.h\"  // b\nint c;\n";
  const std::string k = (root / "k.cu").string();
  EXPECT_EQ(inlined_source(source, k, {}),
            "#include <cmath>\n"
            "#line 1 \"" +
                b +
                "\"\n"
                "#ifndef TUNER_INLINED_1\n#define TUNER_INLINED_1\n"
                "#line 1 \"" +
                a +
                "\"\n\nint a;\n\n#endif\n"
                "#line 2 \"" +
                b +
                "\"\n"
                "#line 3 \"" +
                b +
                "\"\n"
                "int b;\n"
                "#line 3 \"" +
                k + "\"// b\nint c;\n");
}

TEST_F(Bundle, IsNotWrittenInPlaceWhereThatHasNoEnd) {
  std::string again;
  for (int i = 0; i < 64; ++i) again += "#include \"leaf.h\"\n";
  write("leaf.h", std::string(10000, ' '));
  write("branch.h", again);
  std::string source;
  for (int i = 0; i < 64; ++i) source += "#include \"branch.h\"\n";
  EXPECT_EQ(inlined_source(source, (root / "k.cu").string(), {}), std::nullopt);
}

}  // namespace
}  // namespace tuner
