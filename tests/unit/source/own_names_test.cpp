// Definitions that a compiler's option does not change.

#include "tuner/source/own_names.h"

#include <gtest/gtest.h>

namespace tuner {
namespace {

// "A:1 B:3" of those that are not guarded and in a branch that is looked at.
std::string own(const std::string& source, const std::set<std::string, std::less<>>& given = {}) {
  const std::vector<Token> tokens = tokens_of(source);
  std::string out;
  for (const MacroDefinition& one : macro_definitions(tokens, given)) {
    if (one.is_guarded || one.directive->other_branch) continue;
    out += (out.empty() ? "" : " ") + std::string(one.name) + ":" +
           std::to_string(line_in(source, *one.directive));
  }
  return out;
}

TEST(MacroDefinitions, AGuardKeepsWhatTheCompilerIsTold) {
  EXPECT_EQ(own("#define A 4\n"), "A:1");
  EXPECT_EQ(own("#ifndef A\n#define A 4\n#endif\n#define B A\n"), "B:4");
  EXPECT_EQ(own("#if !defined(A) || A < 1\n# define A 4\n#endif"), "");
  EXPECT_EQ(own("#ifdef A\nint a;\n#else\n#define A 4\n#endif"), "");
  EXPECT_EQ(own("#ifndef K_H\n#define K_H\n#define A 4\n#endif"), "A:3") << "of a header";
  EXPECT_EQ(own("#ifndef A\n#endif\n#define A 4\n"), "A:3") << "behind it";
  EXPECT_EQ(own("#ifndef A  // here\n#if 1\n#define A(x) 4\n#endif\n#endif"), "");
  EXPECT_EQ(own("#if 0\n#define A 4\n#endif\n// #define A 4\n/*\n#define A 4\n*/"), "");
}

TEST(MacroDefinitions, WhatIsUndefinedIsTheSourcesOwn) {
  EXPECT_EQ(own("#undef A\n#define A 4\n"), "A:2");
  EXPECT_EQ(own("#undef A\n#ifndef A\n#define A 4\n#endif"), "A:3");
  EXPECT_EQ(own("#ifdef A\n#undef A\n#endif\n#ifndef A\n#define A 4\n#endif\n"), "A:5");
  EXPECT_EQ(own("#ifndef A\n#define A 4\n#endif\n#if A > 8\n#undef A\n#define A 8\n#endif"), "")
      << "a bound";
}

TEST(MacroDefinitions, ConditionsOnGivenNamesAreNotJudged) {
  EXPECT_EQ(own("#if WIDE\n#define A 4\n#endif", {"WIDE"}), "");
  EXPECT_EQ(own("#if WIDE\n#define A 4\n#endif", {"A"}), "A:2");
}

int line_of_declaration(const std::string& source) {
  const std::vector<Token> tokens = tokens_of(source);
  const Token* found = declaration_of(tokens, "BLOCK");
  return found == nullptr ? 0 : line_in(source, *found);
}

TEST(Declarations, OfAVariableOrTemplateParameter) {
  EXPECT_EQ(line_of_declaration("int a;\nconst int BLOCK = 16;"), 2);
  EXPECT_EQ(line_of_declaration("static constexpr unsigned BLOCK{16};"), 1);
  EXPECT_EQ(line_of_declaration("template <int BLOCK>\nvoid f();"), 1);
  EXPECT_EQ(line_of_declaration("template <class T, int BLOCK = 4> void f();"), 1);
  EXPECT_EQ(line_of_declaration("#ifndef BLOCK\nconst int BLOCK = 16;\n#endif"), 0);
  EXPECT_EQ(line_of_declaration("int f() { return BLOCK; }"), 0);
  EXPECT_EQ(line_of_declaration("__shared__ float s[BLOCK]; if (i == BLOCK) {}"), 0);
  EXPECT_EQ(line_of_declaration("// int BLOCK = 4;\n#if 0\nint BLOCK = 4;\n#endif"), 0);
}

}  // namespace
}  // namespace tuner
