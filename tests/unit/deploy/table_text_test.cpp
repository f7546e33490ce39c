#include "tuner/deploy/table_text.h"

#include <gtest/gtest.h>

#include "compiled.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/base/error.h"
#include "tuner/deploy/header.h"

namespace tuner {
namespace {

TEST(TableText, TheTableOfAnExportedHeaderReadsBack) {
  const Study study = sample_study();
  HeaderOptions options;
  options.source_text = "kernel";
  const TunedTable table = tuned_table(study, sample_results());
  const ExportedTable back =
      read_table_comment(export_header(study, sample_results(), options), "x.h");
  EXPECT_EQ(back.kernel, "matmul");
  EXPECT_EQ(back.source_hash, source_hash(options));
  EXPECT_EQ(back.parameters, (std::vector<std::string>{"BM", "VEC", "SHARED", "SCALE", "FAST"}));
  EXPECT_EQ(back.dimensions, (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(back.table.configurations, table.configurations);
  ASSERT_EQ(back.table.devices.size(), 2U);
  EXPECT_EQ(back.table.devices[0].bindings(), table.devices[0].bindings());
  ASSERT_EQ(back.table.entries.size(), table.entries.size());
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    EXPECT_EQ(back.table.entries[i].size, table.entries[i].size);
    EXPECT_EQ(back.table.entries[i].configuration, table.entries[i].configuration);
    EXPECT_EQ(back.table.entries[i].shown.median_ms, table.entries[i].shown.median_ms);
    EXPECT_EQ(back.table.entries[i].shown.ci_low_ms, table.entries[i].shown.ci_low_ms);
  }
}

// What a file selects is judged by the weights that it was made with.
TEST(TableText, WeightsReadBack) {
  Study study = sample_study();
  EXPECT_TRUE(
      read_table_comment(export_header(study, sample_results()), "x.h").table.weights.empty());
  study.exports.weights = {{"N", 0.25}};
  const std::string header = export_header(study, sample_results());
  EXPECT_EQ(read_table_comment(header, "x.h").table.weights, (std::vector<double>{1, 0.25}));
  EXPECT_NE(header.find("// weights of the dimensions, for what is near: M 1 N 0.25\n"),
            std::string::npos);
}

// Texts that would end the comment, begin one, or be a trigraph.
TEST(TableText, NoTextBreaksTheComment) {
  Study study = sample_study();
  study.parameters[2].values = {"static", "dynamic", "*/ int x; /* ?\?/ \\ \xC3\xA9"};
  auto results = sample_results();
  results[0].trials[0].configuration[2] = study.parameters[2].values[2];
  results[0].device.name = "a */ device";
  study.constraints.clear();
  const std::string header = export_header(study, results);
  const HeaderFolder folder(header);
  const auto out = folder.run(
      "g++ -std=c++17 -Wall -Wextra -Wpedantic -Wcomment -Wtrigraphs -Werror -fsyntax-only -x c++ "
      "tuned.h");
  EXPECT_EQ(out.status, 0) << out.text;
  const auto back = read_table_comment(header, "x.h");
  EXPECT_EQ(back.table.configurations, tuned_table(study, results).configurations);
}

std::string complaint(const std::string& text) {
  try {
    read_table_comment(text, "x.h");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(TableText, OtherFilesAreRefusedWithTheReason) {
  EXPECT_NE(complaint("int main() {}").find("x.h: holds no table"), std::string::npos);
  EXPECT_NE(complaint("/* tuner-table\n{\"schema\": 1\ntuner-table */").find("makes no sense"),
            std::string::npos);
  std::string header = export_header(sample_study(), sample_results());
  const auto at = header.find("{\"device\":0,\"configuration\":");
  ASSERT_NE(at, std::string::npos);
  header.insert(at + 28, "99");
  EXPECT_NE(complaint(header).find("an entry points nowhere"), std::string::npos);
}

}  // namespace
}  // namespace tuner
