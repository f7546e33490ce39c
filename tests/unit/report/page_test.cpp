// The page holds the data as it is, and nothing in it becomes markup.

#include "tuner/report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/report/columns.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

Trial trial_of(std::int64_t bm, const std::string& form, double milliseconds) {
  Trial trial;
  trial.configuration = {bm, form};
  trial.timing.median = milliseconds;
  trial.timing.ci_low = milliseconds * 0.99;
  trial.timing.ci_high = milliseconds * 1.02;
  trial.timing.counted = 31;
  trial.objective = SearchFigure(milliseconds / 1000);
  trial.metrics = {{"gbps", 10 / milliseconds}};
  return trial;
}

ReportSet sample_set() {
  ReportSet set;
  set.kernel = "axpy";
  set.parameters = {"BM", "FORM"};
  set.ranked.device.name = "Device";
  set.ranked.size = {{{"n", 1000}}};
  set.ranked.trials = {trial_of(128, "b", 0.5), trial_of(8, "a", 1), trial_of(16, "a", 2)};
  FinalResult& final = set.ranked.trials[0].final.emplace();
  final.samples = {0.5, 0.5};
  final.metrics = std::exchange(set.ranked.trials[0].metrics, {});
  final.median_ms = FinalFigure(0.5);
  final.ci_low_ms = FinalFigure(0.5 * 0.99);
  final.ci_high_ms = FinalFigure(0.5 * 1.02);
  set.ranked.trials[0].timing.median = 0.4;
  set.ranked.trials[2].state = TrialState::kCompile;
  set.ranked.trials[2].message = "no";
  set.ranked.ranked = 2;
  set.ranked.tied = {true, false};
  return set;
}

// What the page's script reads.
Json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

Json first_set(const ReportSet& set) {
  return data_of(report_page({"title", "1", {set}, {}})).at("sets").at(0);
}

TEST(Page, SearchAndFinalFiguresStandApart) {
  const Json set = first_set(sample_set());
  EXPECT_EQ(set.at("search").at("value"), Json::array({0.4, 1, nullptr}));
  EXPECT_EQ(set.at("final").at("row"), Json::array({0}));
  EXPECT_EQ(set.at("final").at("value"), Json::array({0.5}));
  EXPECT_EQ(set.at("final").at("low"), Json::array({100}));  // hundredths of a percent
  EXPECT_EQ(set.at("final").at("high"), Json::array({200}));
}

TEST(Page, MetricsAreThoseOfTheFigureBesideThem) {
  const Json set = first_set(sample_set());
  EXPECT_EQ(set.at("final").at("metrics"), Json::parse(R"([{"name": "gbps", "rows": [20]}])"));
  EXPECT_EQ(set.at("metrics").at(0).at("rows").at(0), nullptr) << "the search's is not known";
  EXPECT_EQ(set.at("metrics").at(0).at("rows").at(1), 10);
}

TEST(Page, TheBestOverTheBaselineIsToldWhereItWasMeasured) {
  ReportSet set = sample_set();
  EXPECT_EQ(first_set(set).at("baseline"), nullptr);
  BaselineResult baseline{set.ranked.trials[1].configuration};
  baseline.speedups = {{2, 1.9, 2.1, true}, {1, 1, 1, true}};
  set.ranked.baseline = baseline;
  EXPECT_EQ(first_set(set).at("baseline"), nullptr) << "it is not among the results";
  set.ranked.baseline->at = 1;
  EXPECT_EQ(first_set(set).at("baseline"), Json::parse(R"({"ratio": 2.0, "low": 1.9, "high": 2.1,
      "by_final": true, "configuration": {"BM": 8, "FORM": "a"}})"));
}

TEST(Page, TheBestOverTheReferenceIsToldWhereThatWasTimedBesideIt) {
  ReportSet set = sample_set();
  EXPECT_EQ(first_set(set).at("reference"), nullptr);
  set.ranked.trials[1].reference_ms = 30;
  EXPECT_EQ(first_set(set).at("reference"), nullptr) << "that is not the best";
  set.ranked.trials[0].timing.median = 4;
  set.ranked.trials[0].reference_ms = 10;
  EXPECT_EQ(first_set(set).at("reference"), Json::parse(R"({"ms": 10.0, "ratio": 2.5})"));
}

TEST(Page, ColumnsAreCodesOfTheirSortedValues) {
  const Json set = first_set(sample_set());
  EXPECT_EQ(set.at("parameters").at(0).at("values"), Json::array({"8", "16", "128"}));
  EXPECT_EQ(set.at("parameters").at(0).at("codes"), "$!#");  // '"' is no letter
  EXPECT_EQ(set.at("columns").at("state").at("values"), Json::array({"compile", "ok"}));
  EXPECT_EQ(set.at("columns").at("marks").at("values"), Json::array({"", "="}));
}

TEST(Page, ManyValuesTakeMoreLettersForARow) {
  std::vector<std::string> rows;
  for (int i = 0; i < 91; ++i) rows.push_back(std::to_string(i));
  const Json column = coded_column(rows);
  EXPECT_EQ(column.at("width"), 2);
  EXPECT_EQ(column.at("codes").get<std::string>().size(), 182U);
  EXPECT_EQ(column.at("codes").get<std::string>().substr(178), "!~#!");
  rows.pop_back();
  EXPECT_FALSE(coded_column(rows).contains("width"));
}

TEST(Page, HostileTextsStayTexts) {
  const std::string hostile = "</script><img src=x onerror=alert(1)>\"'&<!--";
  ReportSet set = sample_set();
  set.kernel = set.ranked.device.name = hostile;
  set.parameters[1] = hostile;
  set.ranked.trials[0].configuration[1] = hostile;
  set.ranked.trials[2].message = hostile + "\xff";
  set.remarks = {hostile};
  const std::string page = report_page({hostile, hostile, {set}, {{hostile, 1}}});
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("onerror=alert(1)>\""), std::string::npos);
  const Json read = data_of(page);
  EXPECT_EQ(read.at("title"), hostile);
  EXPECT_EQ(read.at("sets").at(0).at("parameters").at(1).at("name"), hostile);
}

TEST(Page, WordsOfTheFrameInTextsAreNotFilledIn) {
  const std::string page = report_page({"TUNER_DATA TUNER_STYLE", "1", {sample_set()}, {}});
  EXPECT_NE(page.find("<h1>TUNER_DATA TUNER_STYLE</h1>"), std::string::npos);
}

TEST(Page, LoadsNothing) {
  const std::string page = report_page({"t", "1", {sample_set()}, {}});
  EXPECT_EQ(page.substr(0, page.find('\n')),
            "<!DOCTYPE html><!-- Made by tuner 1; do not edit. -->");
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* loader : {" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML"}) {
    EXPECT_EQ(page.find(loader), std::string::npos) << loader;
  }
}

}  // namespace
}  // namespace tuner
