#include "tuner/expression/expression.h"

#include <gtest/gtest.h>

#include <string>

namespace tuner {
namespace {

Value value_of(const std::string& text, const Bindings& names = {}) {
  const auto parsed = Expression::parse(text);
  if (!parsed) {
    ADD_FAILURE() << text << ": " << parsed.error().message;
    return {};
  }
  const auto value = parsed->evaluate(names);
  if (!value) {
    ADD_FAILURE() << text << ": " << value.error().message;
    return {};
  }
  return *value;
}

EvaluationError error_of(const std::string& text, const Bindings& names = {}) {
  const auto value = Expression::parse_or_throw(text).evaluate(names);
  if (!value) return value.error();
  ADD_FAILURE() << text << " is " << to_text(*value);
  return {};
}

Complaint complaint_of(const std::string& text, const Position& origin = {}) {
  const auto parsed = Expression::parse(text, origin);
  if (!parsed) return parsed.error();
  ADD_FAILURE() << text << " was accepted";
  return {};
}

struct Case {
  std::string text;
  Value value;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.text; }

std::int64_t operator""_i(unsigned long long n) { return static_cast<std::int64_t>(n); }

class PythonMeaning : public testing::TestWithParam<Case> {};

// The expected values were computed by CPython.
INSTANTIATE_TEST_SUITE_P(
    Expressions, PythonMeaning,
    testing::Values(
        Case{"7 / 2", 3.5}, Case{"6 / 2", 3.0}, Case{"7 // 2", 3_i}, Case{"-7 // 2", -4_i},
        Case{"7 // -2", -4_i}, Case{"-7 % 3", 2_i}, Case{"7 % -3", -2_i}, Case{"-6 % 3", 0_i},
        Case{"7.5 % -2", -0.5}, Case{"-7.5 // 2", -4.0}, Case{"7.5 // 2", 3.0},
        Case{"2 ** 10", 1024_i}, Case{"2 ** -1", 0.5}, Case{"-2 ** 2", -4_i},
        Case{"2 ** 3 ** 2", 512_i}, Case{"2 ** -1 ** 2", 0.5}, Case{"4 ** 0.5", 2.0},
        Case{"(-8) ** 3", -512_i}, Case{"1 + 2 * 3", 7_i}, Case{"(1 + 2) * 3", 9_i},
        Case{"10 - 4 - 3", 3_i}, Case{"100 // 7 // 2", 7_i}, Case{"2 * 7 % 4", 2_i},
        Case{"1 < 2 < 3", true}, Case{"1 < 3 < 2", false}, Case{"3 > 2 >= 2 == 2", true},
        Case{"1 < 2 != 3", true}, Case{"(1 < 2) == True", true}, Case{"1 == 1.0", true},
        Case{"True == 1", true}, Case{"True + True", 2_i}, Case{"2 * (3 == 3)", 2_i},
        Case{"not 0", true}, Case{"not 1 == 2", true}, Case{"not not 3", true}, Case{"0 or 5", 5_i},
        Case{"3 or 5", 3_i}, Case{"3 and 5", 5_i}, Case{"0 and 5", 0_i}, Case{"1 or 1 // 0", 1_i},
        Case{"False and 1 % 0 == 0", false}, Case{"1 or 0 and 0", 1_i},
        Case{"'' or 'x'", std::string("x")}, Case{"1 if 2 > 1 else 1 // 0", 1_i},
        Case{"1 if 0 else 2 if 0 else 3", 3_i}, Case{"(1 if True else 2) + 1", 2_i},
        Case{"3 in [1, 2, 3]", true}, Case{"3 not in (1, 2, 3)", false}, Case{"3.0 in [3]", true},
        Case{"4 in []", false}, Case{"'a' in ['a', \"b\"]", true}, Case{"'a' == \"a\"", true},
        Case{"'a' < 'b'", true}, Case{"'a' == 1", false}, Case{"'1' != 1", true},
        Case{"min(3, 1, 2)", 1_i}, Case{"max(3, 1.5)", 3_i}, Case{"max([4, 5])", 5_i},
        Case{"max((1 + 2) * 3, 4)", 9_i}, Case{"min(1, 1.0)", 1_i}, Case{"abs(-3)", 3_i},
        Case{"abs(-2.5)", 2.5}, Case{"ceil_div(7, 2)", 4_i}, Case{"ceil_div(-7, 2)", -3_i},
        Case{"ceil_div(8, 2)", 4_i}, Case{"ceil(2.1)", 3_i}, Case{"floor(-2.1)", -3_i},
        Case{"floor(5)", 5_i}, Case{"log2(8)", 3.0}, Case{"int(-2.7)", -2_i}, Case{"float(3)", 3.0},
        Case{"round(2.5)", 2_i}, Case{"round(3.5)", 4_i}, Case{"pow(2, 5)", 32_i},
        Case{"true and not false", true}, Case{"1e3", 1000.0}, Case{".5 + 1.", 1.5},
        Case{"0x10", 16_i}, Case{"1_000", 1000_i}, Case{"+3", 3_i}, Case{"--3", 3_i},
        Case{"9007199254740993 == 9007199254740992.0", false},
        Case{"9223372036854775807 < 9223372036854775808.0", true},
        Case{"9223372036854775807 // 1", 9223372036854775807_i}, Case{"0.1 + 0.2 == 0.3", false},
        Case{"1 < 2\n  and 3 < 4", true}, Case{"1e308 * 10 > 1", true}, Case{"6 & 3", 2_i},
        Case{"6 | 3", 7_i}, Case{"6 ^ 3", 5_i}, Case{"~6", -7_i}, Case{"~-1 ** 2", 0_i},
        Case{"1 << 4", 16_i}, Case{"-7 >> 1", -4_i}, Case{"5 >> 100", 0_i}, Case{"-5 >> 100", -1_i},
        Case{"0 << 100", 0_i}, Case{"-1 << 63 == -9223372036854775807 - 1", true},
        Case{"48 & 48 - 1 == 32", true}, Case{"(48 & (48 - 1)) == 0", false},
        Case{"32 & (32 - 1) == 0", true}, Case{"1 | 6 ^ 5 & 12 << 1", 7_i}, Case{"1 + 1 << 2", 8_i},
        Case{"2 < 1 | 4 < 6", true}, Case{"True & False", false}, Case{"True ^ False", true},
        Case{"True | 2", 3_i}, Case{"True << 1", 2_i}, Case{"~True", -2_i},
        Case{"-6 & 0xFF", 250_i}, Case{"not 2 & 1", true}, Case{"3 & 1 in [1]", true},
        Case{"sqrt(1024)", 32.0}, Case{"sqrt(2) ** 2 == 2", false}, Case{"exp(0)", 1.0},
        Case{"log(1)", 0.0}, Case{"log(8, 2)", 3.0}, Case{"exp(log(1)) + sqrt(0.25)", 1.5},
        Case{"0b101", 5_i}, Case{"0o17 + 0B1", 16_i}, Case{"any([0, 2])", true},
        Case{"any([0, 0.0, ''])", false}, Case{"any([])", false}, Case{"all([1, 'a'])", true},
        Case{"all([1, 0])", false}, Case{"all([])", true}, Case{"all((1 < 2, 2 < 3)) + 1", 2_i},
        Case{"(1, 2) in [(1, 2), (3, 4)]", true}, Case{"(1, 4) in [(1, 2), (3, 4)]", false},
        Case{"(1, 4) not in ((1, 2), (3, 4))", true}, Case{"(1, 'a') in [[1.0, 'a']]", true},
        Case{"(1, 2) == (1, 2)", true}, Case{"(1, 2) != (1, 3)", true}, Case{"(1,) == (1,)", true},
        Case{"(1, 2) in []", false}, Case{"max((1, 5))", 5_i},
        Case{"(1 + 1, 3 % 2) in [(2, 1)] and not (1, 2) == (2, 1)", true}));

TEST_P(PythonMeaning, IsKept) {
  const Value got = value_of(GetParam().text);
  EXPECT_EQ(got, GetParam().value) << "got " << to_text(got);
}

TEST(Expression, BindsDottedNamesAsOne) {
  const Bindings names{{"device.max_threads_per_block", std::int64_t{1024}},
                       {"BM", std::int64_t{32}}};
  EXPECT_EQ(value_of("BM * 2 <= device.max_threads_per_block", names), Value(true));
}

TEST(Expression, ListsNamesOnceInOrderWithOffsets) {
  const auto e = Expression::parse_or_throw("b + a.x * b - min(c, 1)");
  EXPECT_EQ(e.names(), (std::vector<std::string>{"b", "a.x", "c"}));
  EXPECT_EQ(e.name_offsets(), (std::vector<std::size_t>{0, 4, 18}));
}

TEST(Expression, FaultsCarryTheOffsetOfTheOperator) {
  const Bindings names{{"x", std::int64_t{0}}};
  EXPECT_EQ(error_of("1 + 4 % x", names).offset, 6U);
  EXPECT_EQ(error_of("1 + 4 % x", names).message, "division by zero");
  EXPECT_EQ(error_of("4 // x", names).message, "division by zero");
  EXPECT_EQ(error_of("4 / x", names).message, "division by zero");
  EXPECT_EQ(error_of("1 + y", names).offset, 4U);
}

TEST(Expression, OverflowIsAFaultNotAWrap) {
  for (const char* text :
       {"9223372036854775807 + 1", "-9223372036854775807 - 2", "3037000500 * 3037000500", "2 ** 63",
        "-(-9223372036854775807 - 1)", "abs(-9223372036854775807 - 1)",
        "(-9223372036854775807 - 1) // -1", "1 << 63", "3 << 62", "1 << 1000000000000",
        "ceil(1e300)", "int(1e19)", "10.0 ** 400"}) {
    EXPECT_EQ(error_of(text).message, "the result does not fit in 64 bits") << text;
  }
}

TEST(Expression, TextAndNumbersDoNotMix) {
  EXPECT_NE(error_of("'a' < 1").message.find("no order"), std::string::npos);
  EXPECT_NE(error_of("'a' + 1").message.find("takes numbers"), std::string::npos);
  EXPECT_NE(error_of("-'a'").message.find("takes numbers"), std::string::npos);
  EXPECT_NE(error_of("log2(0)").message.find("not positive"), std::string::npos);
  EXPECT_NE(error_of("(-1) ** 0.5").message.find("not a real number"), std::string::npos);
}

TEST(Expression, BitsAreThoseOfIntegers) {
  EXPECT_EQ(error_of("6.0 & 3").message, "'&' takes integers, not the float 6.0");
  EXPECT_EQ(error_of("6 << 1.0").message, "'<<' takes integers, not the float 1.0");
  EXPECT_EQ(error_of("~0.5").message, "'~' takes integers, not the float 0.5");
  EXPECT_EQ(error_of("'a' | 1").message, "'|' takes numbers, not the text 'a'");
  EXPECT_EQ(error_of("1 << -1").message, "a shift by a negative number");
  EXPECT_EQ(error_of("1 >> -1").message, "a shift by a negative number");
}

// As in Python: any(), all() and tuples look at every value before they decide.
TEST(Expression, ListsHaveNoValueWhereAnItemHasNone) {
  for (const char* text : {"any([1, 1 % 0])", "all([0, 1 % 0])", "(1, 1 % 0) in [(2, 2)]",
                           "(1, 2) not in [(2, 1 % 0)]", "(1, 1 % 0) != (2, 2)"}) {
    EXPECT_EQ(error_of(text).message, "division by zero") << text;
  }
  EXPECT_EQ(error_of("sqrt(-1)").message, "sqrt of a negative number");
  EXPECT_EQ(error_of("log(0)").message, "log of a number that is not positive");
  EXPECT_EQ(error_of("log(4, 1)").message, "division by zero");
  EXPECT_EQ(error_of("exp(1000)").message, "the result does not fit in 64 bits");
  EXPECT_EQ(error_of("sqrt('a')").message, "'sqrt' takes numbers, not the text 'a'");
}

struct Refused {
  const char* text;
  int column;
  const char* message;
  const char* suggestion;
};

void expect_refused(const std::vector<Refused>& all) {
  for (const Refused& one : all) {
    const Complaint complaint = complaint_of(one.text, {"s.yaml", 1, 1});
    EXPECT_EQ(complaint.message, one.message) << one.text;
    EXPECT_EQ(complaint.where.column, one.column) << one.text;
    EXPECT_EQ(complaint.suggestion, one.suggestion) << one.text;
  }
}

TEST(Expression, MisplacedListsAreRefusedAtTheirPlace) {
  expect_refused(
      {{"(A, B) in [(1, 2), (3, 4, 5)]", 20, "expected a tuple of 2 values", ""},
       {"(A, B) in [1, 2]", 12, "expected a tuple of 2 values", ""},
       {"A in [(1, 2)]", 7, "only a tuple is compared with a tuple, as in (A, B) in [(1, 2)]", ""},
       {"(A, B) < (1, 2)", 1, "a tuple is compared with tuples, by 'in', 'not in', '==' or '!='",
        ""},
       {"(A, B) == (C, D) == (1, 2)", 1, "a tuple is compared with one other or one list", ""},
       {"(A, B) + 1", 1, "a list may only follow 'in'", ""},
       {"A == [1, 2]", 6, "a list may only follow 'in'", ""},
       {"((A, B), C) in [((1, 2), 3)]", 2, "a list may only follow 'in'", ""},
       {"(A, B)", 1, "a list may only follow 'in'", ""},
       {"any(A > 1, B > 1)", 1, "any() takes a list, as in any([A > 1, B > 1])", ""},
       {"all([A, (B, C)])", 9, "a list may only follow 'in'", ""},
       {"sqrt(1, 2)", 1, "sqrt() takes 1 value(s), not 2", ""}});
}

TEST(Expression, TuplesOfTuplesDoNotGrowWithoutEnd) {
  std::string text = "(a, b) in [(1, 2), (3, 4), (5, 6), (7, 8)]";
  for (int i = 0; i < 12; ++i) text = "(" + text + ", b) in [(1, 2), (3, 4), (5, 6), (7, 8)]";
  EXPECT_NE(complaint_of(text).message.find("these are too many tuples"), std::string::npos);
}

TEST(Expression, PastedLambdasMeanWhatTheyMeanInPython) {
  const Bindings names{{"X", std::int64_t{32}}, {"Y", std::int64_t{8}}, {"PAD", true}};
  for (const char* text :
       {"lambda p: p[\"X\"] * p[\"Y\"] <= 256", "lambda p: p['X'] * p.Y == 256",
        "lambda config: config.get('X') // config[\"Y\"] == 4", "lambda p: p['PAD'] is True",
        "lambda p: p['PAD'] is not False and p['X'] is 32", "lambda X, Y: X > Y",
        "lambda p: math.sqrt(p['X'] * 2) == Y and math.log(p.X, 2) == math.log2(32)",
        "lambda p: (p['X'], p['Y']) in [(32, 8)]", "PAD is not -1", "lambda p: True"}) {
    EXPECT_EQ(value_of(text, names), Value(true)) << text;
  }
  EXPECT_EQ(Expression::parse_or_throw("lambda p: p['X'] + p.Y").name_offsets(),
            (std::vector<std::size_t>{13, 21}));
  // Names of their own keep their meaning.
  EXPECT_EQ(value_of("lambda + is", {{"lambda", std::int64_t{1}}, {"is", std::int64_t{2}}}),
            Value(std::int64_t{3}));
}

TEST(Expression, WhatOtherPythonSaysIsRefusedWithWhatToWrite) {
  expect_refused(
      {{"lambda p: p['X'] is p['Y']", 18, "'is' compares objects, not values", "write '=='"},
       {"A is not B", 3, "'is not' compares objects, not values", "write '!='"},
       {"A is None", 3, "'is None': no parameter is None", ""},
       {"lambda p: p[X] > 1", 13, "'p' takes the name of a parameter in quotes", "p[\"X\"]"},
       {"lambda p: p['X' + 'Y'] > 1", 13, "'p' takes the name of a parameter in quotes",
        "p[\"X\"]"},
       {"lambda: True", 1, "this lambda takes no configuration", "the expression alone does"},
       {"lambda p, *r: True", 11, "after 'lambda' come names and ':'",
        "the expression alone does, as in X * Y <= 1024"},
       {"A > 1 and lambda p: p.X", 11, "'lambda' may only begin an expression", ""},
       {"math.sin(A) > 0", 1, "there is no 'math.sin' here",
        "only math.sqrt, exp, log, log2, ceil and floor"},
       {"math.pow(A, 2) > 0", 1, "math.pow returns a float even for whole numbers",
        "write a ** b, or float(a) ** b"},
       {"q['X'] > 1", 1, "'q[' is not known here, and has no elements",
        "a parameter's name alone is its value"},
       {"A > 1: B", 6, "':' is not expected here", ""}});
}

TEST(Expression, SyntaxErrorsPointAtTheFault) {
  const Position origin{"s.yaml", 7, 5};
  EXPECT_EQ(complaint_of("a + ", origin).where, (Position{"s.yaml", 7, 9}));
  EXPECT_EQ(complaint_of("a + * b", origin).where, (Position{"s.yaml", 7, 9}));
  EXPECT_EQ(complaint_of("a b", origin).where, (Position{"s.yaml", 7, 7}));
  EXPECT_EQ(complaint_of("(a", origin).where, (Position{"s.yaml", 7, 7}));
  EXPECT_NE(complaint_of("a + ").message.find("column 5"), std::string::npos);
}

TEST(Expression, FamiliarSlipsGetAHint) {
  EXPECT_EQ(complaint_of("a && b").suggestion, "write 'and'");
  EXPECT_EQ(complaint_of("a || b").suggestion, "write 'or'");
  EXPECT_EQ(complaint_of("a || b").message.substr(0, 27), "'||' is not an operator her");
  EXPECT_EQ(complaint_of("!a").suggestion, "write 'not'");
  EXPECT_EQ(complaint_of("a = b").suggestion, "write '=='");
  EXPECT_EQ(complaint_of("ceildiv(a, b)").suggestion, "did you mean 'ceil_div'?");
}

TEST(Expression, MalformedTextIsRefused) {
  for (const char* text :
       {"",        " ",      "1 2",   "'abc",      "1.2.3",  "12ab", "99999999999999999999",
        "a in b",  "[1, 2]", "min()", "abs(1, 2)", "a if b", "f(",   ")",
        "a not b", "a @ b",  "0x",    "1e",        "a..b",   "in",   "1 <",
        "not",     "()"}) {
    EXPECT_FALSE(Expression::parse(text)) << text;
  }
}

// As Python has it: in C this would be octal.
TEST(Expression, NumbersDoNotBeginWithAZero) {
  EXPECT_NE(complaint_of("n + 0777").message.find("the number 0777 begins with a zero (column 5"),
            std::string::npos)
      << complaint_of("n + 0777").message;
  EXPECT_EQ(complaint_of("00_7").suggestion, "write 7");
  EXPECT_EQ(value_of("0 + 00 + 0_0"), Value(std::int64_t{0}));
  EXPECT_EQ(value_of("007.5"), Value(7.5));
  EXPECT_EQ(value_of("0x0F"), Value(std::int64_t{15}));
}

TEST(Expression, ANulIsRefusedAtItsPlace) {
  EXPECT_NE(complaint_of(std::string("x == 'a\0b'", 10)).message.find("NUL"), std::string::npos);
  EXPECT_EQ(complaint_of(std::string("x == 'a\0b'", 10), {"s.yaml", 1, 1}).where.column, 8);
  EXPECT_NE(complaint_of(std::string("x\0", 2)).message.find("NUL"), std::string::npos);
}

TEST(Expression, DeepNestingIsAnErrorWithPosition) {
  for (const std::string& open : {std::string("("), std::string("not "), std::string("-"),
                                  std::string("2 ** "), std::string("abs(")}) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += open;
    text += "1";
    if (open.back() == '(') text += std::string(1000, ')');
    EXPECT_NE(complaint_of(text).message.find("nested deeper than 200"), std::string::npos) << open;
  }
}

TEST(Expression, LongFlatConditionsAreNotDeep) {
  std::string text = "0 == 1";
  for (int i = 0; i < 5000; ++i) text += " or 0 == 1";
  EXPECT_EQ(value_of(text), Value(false));
}

TEST(Value, TextReadsBackAsTheSameValue) {
  EXPECT_EQ(to_text(Value(true)), "true");
  EXPECT_EQ(to_text(Value(std::int64_t{-5})), "-5");
  EXPECT_EQ(to_text(Value(2.0)), "2.0");
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(1e30)), "1e+30");
  EXPECT_EQ(to_text(Value(std::string("static"))), "static");
}

}  // namespace
}  // namespace tuner
