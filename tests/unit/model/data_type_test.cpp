// Rows of the element types, and what is said of them where no compiler looks.

#include "tuner/model/data_type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tuner {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(TUNER_SOURCE_DIR) + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

// The first line of the guide that begins so.
std::string guide_line(const std::string& begin) {
  for (const std::string& line : split(text_of("docs/study-arguments.md"), '\n')) {
    if (line.starts_with(begin)) return line;
  }
  return {};
}

// "| `a`, `b` | 0.13, 0.26 | 2e-3 |": number `at` of a cell, the last one where there are fewer.
double number_in(const std::string& cell, std::size_t at) {
  const auto numbers = split(cell, ',');
  return std::stod(numbers.at(std::min(at, numbers.size() - 1)));
}

TEST(DataTypes, HaveTwoNamesEach) {
  for (const TypeFacts& one : kDataTypes) {
    EXPECT_EQ(data_type_named(one.name), one.type);
    EXPECT_EQ(data_type_named(one.alias), one.type) << one.name;
    EXPECT_EQ(scalar_bytes(one.type, std::int64_t{1}).size(), one.bytes) << one.name;
    EXPECT_EQ(scalar_bytes(one.type, 1.0), scalar_bytes(one.type, std::int64_t{1})) << one.name;
  }
  EXPECT_EQ(data_type_named("float128"), std::nullopt);
}

TEST(DataTypes, LargeIntegersAreRoundedOnceToFloats) {
  const std::int64_t just_above_half = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  EXPECT_EQ(scalar_bytes(DataType::kFloat32, just_above_half),
            scalar_bytes(DataType::kFloat32, 0x1.000002p60));
}

TEST(DataTypes, TheGuideNamesEach) {
  const std::string listed = split(guide_line("| `type` | `float32 "), '`').at(3);
  std::size_t count = 0;
  for (const std::string& name : split(listed, ' ')) {
    EXPECT_TRUE(data_type_named(name)) << name;
    ++count;
  }
  EXPECT_EQ(count, kDataTypes.size());
}

TEST(DataTypes, TheGuideAndPythonSayTheUsualTolerances) {
  const auto lines = split(text_of("docs/study-arguments.md"), '\n');
  const std::string python = text_of("python/tuner/_arrays.py");
  for (const TypeFacts& one : kDataTypes) {
    if (!is_floating(one.type)) continue;
    const std::string quoted = "`" + std::string(one.name) + "`";
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const std::string& text) {
      return text.starts_with("| `") && split(text, '|').at(1).find(quoted) != text.npos &&
             split(text, '|').size() == 4;
    });
    ASSERT_NE(line, lines.end()) << one.name;
    const auto cells = split(*line, '|');
    const auto before = split(cells[1].substr(0, cells[1].find(quoted)), ',');
    const std::size_t at = before.empty() ? 0 : before.size() - 1;
    EXPECT_EQ(number_in(cells[2], at), one.as_float.usual.rtol) << *line;
    EXPECT_EQ(number_in(cells[3], at), one.as_float.usual.atol) << *line;
    const std::size_t said = python.find("\"" + std::string(one.name));
    ASSERT_NE(said, python.npos) << one.name;
    EXPECT_EQ(std::stod(python.substr(python.find('(', said) + 1)), one.as_float.usual.rtol)
        << one.name;
  }
}

}  // namespace
}  // namespace tuner
