// The published spaces of tests/data/spaces: counts and sets as their sources state them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tuner/base/atomic_file.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

const std::filesystem::path kSpaces = std::filesystem::path(TUNER_SOURCE_DIR) / "tests/data/spaces";

std::vector<std::string> space_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSpaces)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class PublishedSpace : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, PublishedSpace, testing::ValuesIn(space_names()),
                         [](const auto& about) { return about.param; });

TEST_P(PublishedSpace, HasThePublishedSizeAndSet) {
  const auto file = kSpaces / (GetParam() + ".json");
  const auto facts = nlohmann::json::parse(read_file(file));
  const auto space = SearchSpace::build(read_space_json(file));
  EXPECT_EQ(space.report().valid, facts["valid_size"].dump());
  if (facts["cartesian_size"].is_number_integer()) {
    EXPECT_EQ(space.report().cartesian, facts["cartesian_size"].dump());
  }
  if (facts.contains("valid_hash") && facts["valid_hash"].is_string()) {
    const auto hash = space.valid_hash();
    ASSERT_TRUE(hash.has_value());
    EXPECT_EQ(fmt::format("{:016x}", *hash), facts["valid_hash"].get<std::string>());
  }
}

}  // namespace
}  // namespace tuner
