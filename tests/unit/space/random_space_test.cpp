// Random spaces with random constraints, compared with plain evaluation of every combination.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "tuner/space/search_space.h"

namespace tuner {
namespace {

class RandomSpace {
 public:
  explicit RandomSpace(std::uint32_t seed) : random_(seed) {}

  SpaceDefinition make() {
    SpaceDefinition definition;
    const int parameters = pick(1, 5);
    for (int p = 0; p < parameters; ++p) definition.parameters.push_back(parameter(p));
    definition.facts["N"] = std::int64_t{pick(0, 16)};
    for (int d = pick(0, 2); d > 0; --d) {
      const std::string name = "d" + std::to_string(d);
      definition.derived.push_back({name, Expression::parse_or_throw(number(2))});
      numbers_.push_back(name);
    }
    for (int c = pick(0, 4); c > 0; --c) {
      definition.constraints.push_back(Expression::parse_or_throw(condition(3)));
    }
    if (pick(0, 3) == 0) definition.constraints.push_back(list_of(definition.parameters));
    return definition;
  }

 private:
  // (p0, p1) in [(1, 2), ...] with values of the parameters.
  Expression list_of(const std::vector<Parameter>& parameters) {
    std::string names;
    for (const Parameter& parameter : parameters) names += parameter.name + ", ";
    std::string rows;
    for (int row = pick(1, 40); row > 0; --row) {
      rows += "(";
      for (const Parameter& parameter : parameters) {
        const auto last = static_cast<int>(parameter.values.size()) - 1;
        const Value& value = parameter.values[static_cast<std::size_t>(pick(0, last))];
        const bool text = std::holds_alternative<std::string>(value);
        rows += text ? "'" + to_text(value) + "', " : to_text(value) + ", ";
      }
      rows += "), ";
    }
    return Expression::parse_or_throw("(" + names + ") in [" + rows + "]");
  }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::string one_of(const std::vector<std::string>& all) {
    return all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))];
  }

  Parameter parameter(int number) {
    Parameter out;
    out.name = "p" + std::to_string(number);
    const int kind = pick(0, 9);
    std::set<int> chosen;
    for (int i = pick(1, 6); i > 0; --i) chosen.insert(pick(-2, 12));
    if (kind == 0) {
      out.values = {Value(false), Value(true)};
    } else if (kind == 1) {
      out.values = {Value(std::string("a")), Value(std::string("")), Value(std::string("b"))};
      texts_.push_back(out.name);
      return out;
    } else if (kind == 2) {
      out.values = {Value(std::string("auto")), Value(std::int64_t{4}), Value(0.5)};
    } else if (kind <= 4) {
      for (int v : chosen) out.values.emplace_back(v / 2.0);
    } else {
      for (int v : chosen) out.values.emplace_back(std::int64_t{v});
      if (kind == 9) out.values.emplace_back(std::int64_t{5'000'000'000'000'000'000});
      std::shuffle(out.values.begin(), out.values.end(), random_);
    }
    numbers_.push_back(out.name);
    return out;
  }

  std::string number(int depth) {
    if (depth == 0 || pick(0, 3) == 0) {
      if (numbers_.empty() || pick(0, 2) == 0) return one_of({"0", "1", "2", "3", "0.5", "8", "N"});
      return one_of(numbers_);
    }
    const std::string a = number(depth - 1);
    const std::string b = number(depth - 1);
    switch (pick(0, 11)) {
      case 0:
        return "min(" + a + ", " + b + ")";
      case 1:
        return "max(" + a + ", " + b + ", 1)";
      case 2:
        return "ceil_div(" + a + ", " + b + ")";
      case 3:
        return "(" + a + " if " + condition(depth - 1) + " else " + b + ")";
      case 4:
        return one_of({"abs", "-", "~", "floor", "ceil", "log2", "log", "exp", "sqrt", "int",
                       "round", "float"}) +
               "(" + a + ")";
      case 5:
        return "(" + condition(depth - 1) + ")";
      case 6:
        return "(" + a + " or " + b + ")";
      default:
        return "(" + a +
               one_of({" + ", " - ", " * ", " * ", " / ", " // ", " % ", " ** ", " & ", " | ",
                       " ^ ", " << ", " >> "}) +
               b + ")";
    }
  }

  std::string condition(int depth) {
    const std::string compare = one_of({" == ", " != ", " < ", " <= ", " > ", " >= "});
    if (depth == 0 || pick(0, 4) == 0) {
      if (!texts_.empty() && pick(0, 2) == 0) {
        return one_of(texts_) + compare + one_of({"'a'", "'b'", "''", "'c'", "1"});
      }
      return number(1) + compare + number(1);
    }
    switch (pick(0, 9)) {
      case 8:
        return one_of({"any([", "all(["}) + condition(depth - 1) + ", " + number(1) + ", " +
               condition(depth - 1) + "])";
      case 9:
        return "(" + number(1) + ", " + number(1) + ")" + one_of({" in ", " not in "}) + "[(" +
               number(1) + ", 2), (1, " + number(0) + "), (4, 8)]";
      case 0:
        return "(" + condition(depth - 1) + " and " + condition(depth - 1) + ")";
      case 1:
        return "(" + condition(depth - 1) + " or " + condition(depth - 1) + ")";
      case 2:
        return "not (" + condition(depth - 1) + ")";
      case 3:
        return "(" + number(1) + compare + number(depth - 1) + compare + number(1) + ")";
      case 4:
        return number(1) + one_of({" in ", " not in "}) + "[" + number(1) + ", 2, 4]";
      case 5:
        return number(depth);
      case 6:
        return "(" + condition(depth - 1) + " if " + condition(depth - 1) + " else " +
               condition(depth - 1) + ")";
      default:
        return number(depth - 1) + compare + number(depth - 1);
    }
  }

  std::mt19937 random_;
  std::vector<std::string> numbers_;
  std::vector<std::string> texts_;
};

using Positions = std::vector<std::uint32_t>;

// Every combination, by the exact evaluator.
std::set<Positions> brute_force(const SpaceDefinition& definition) {
  std::set<Positions> valid;
  Positions at(definition.parameters.size(), 0);
  for (;;) {
    Bindings names = definition.facts;
    for (std::size_t p = 0; p < at.size(); ++p) {
      names[definition.parameters[p].name] = definition.parameters[p].values[at[p]];
    }
    for (const NamedExpression& derived : definition.derived) {
      if (auto value = derived.expression.evaluate(names)) names[derived.name] = *value;
    }
    const bool holds = std::all_of(definition.constraints.begin(), definition.constraints.end(),
                                   [&](const Expression& rule) {
                                     const auto value = rule.evaluate(names);
                                     return value && truth(*value);
                                   });
    if (holds) valid.insert(at);
    std::size_t p = at.size();
    while (p > 0 && ++at[p - 1] == definition.parameters[p - 1].values.size()) at[--p] = 0;
    if (p == 0) return valid;
  }
}

std::string describe(const SpaceDefinition& definition) {
  std::string out;
  for (const Parameter& parameter : definition.parameters) {
    out += parameter.name + ":";
    for (const Value& value : parameter.values) out += " " + to_text(value);
    out += "\n";
  }
  out += "N = " + to_text(definition.facts.at("N")) + "\n";
  for (const auto& derived : definition.derived) {
    out += derived.name + " = " + derived.expression.text() + "\n";
  }
  for (const Expression& rule : definition.constraints) out += "rule " + rule.text() + "\n";
  return out;
}

std::size_t distance(const Positions& a, const Positions& b) {
  std::size_t different = 0;
  for (std::size_t p = 0; p < a.size(); ++p) different += a[p] != b[p] ? 1 : 0;
  return different;
}

void check_queries(const SearchSpace& space, const std::set<Positions>& valid,
                   const Positions& from) {
  std::set<Positions> expected;
  for (const Positions& other : valid) {
    if (distance(from, other) == 1) expected.insert(other);
  }
  std::vector<ConfigIndex> near;
  space.neighbours(from, Neighbourhood::kHamming, near);
  std::set<Positions> got;
  for (ConfigIndex index : near) {
    Positions positions(from.size());
    space.positions(index, positions);
    got.insert(positions);
  }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(near.size(), expected.size());
}

void check(const SpaceDefinition& definition) {
  const auto valid = brute_force(definition);
  const auto space = SearchSpace::build(definition);
  ASSERT_EQ(space.report().valid, std::to_string(valid.size()));
  ASSERT_EQ(space.size(), valid.size());
  SpaceCursor cursor(space);
  for (ConfigIndex index = 0; index < space.size(); ++index, cursor.next()) {
    Positions positions(definition.parameters.size());
    space.positions(index, positions);
    ASSERT_TRUE(valid.count(positions));
    ASSERT_EQ(space.index_of(positions), index);
    ASSERT_TRUE(cursor.valid());
    ASSERT_TRUE(std::equal(positions.begin(), positions.end(), cursor.positions().begin()));
  }
  EXPECT_FALSE(cursor.valid());
  Positions corner(definition.parameters.size(), 0);
  EXPECT_EQ(space.contains(corner), valid.count(corner) == 1);
  EXPECT_EQ(space.index_of(corner).has_value(), valid.count(corner) == 1);
  if (space.size() > 0) check_queries(space, valid, corner);
  if (space.size() > 0)
    check_queries(space, valid, *std::next(valid.begin(), static_cast<long>(valid.size() / 2)));
  EXPECT_EQ(space.size() == 0, !space.why_empty().empty());
}

TEST(RandomSpaces, AgreeWithBruteForce) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const auto definition = RandomSpace(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(definition));
    check(definition);
    if (testing::Test::HasFailure()) return;
  }
}

// One constraint after another, sizes multiplied out by hand: what each removes alone.
TEST(RandomSpaces, ConstraintReportsAgreeWithBruteForce) {
  for (std::uint32_t seed = 10000; seed < 10300; ++seed) {
    auto definition = RandomSpace(seed).make();
    const auto space = SearchSpace::build(definition);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(definition));
    const auto all = definition.constraints;
    definition.constraints.clear();
    const std::size_t cartesian = brute_force(definition).size();
    for (std::size_t c = 0; c < all.size(); ++c) {
      definition.constraints = {all[c]};
      const auto& report = space.constraint_reports()[c];
      ASSERT_TRUE(report.exact);
      ASSERT_EQ(report.removed, std::to_string(cartesian - brute_force(definition).size()));
    }
  }
}

}  // namespace
}  // namespace tuner
