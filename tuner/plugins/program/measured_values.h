#pragma once
// Values that a program reports: its time, and other numbers that are metrics of the study.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::program {

// The values that one run reports.
struct SelfReport {
  double milliseconds = 0;
  std::map<std::string, double> values;  // by the metric's name
};

// `metrics`: as the study's reader writes them. `clock_ms`: what the run took from outside, which
// counts where the program is not asked for its time. Throws sdk::Error (TUNER_RUNTIME_FAULT) where
// what is asked for is missing, or is no number.
SelfReport report_of(const nlohmann::json& metrics, const std::string& output,
                     const std::filesystem::path& folder, double clock_ms);

// Reports from the runs of the variant that was timed last, for the observer, which lives in the
// same process.
class LastReports {
 public:
  static LastReports& instance();
  void add(std::string_view image, const SelfReport& report);
  double median(std::string_view image, const std::string& value) const;  // NaN: there is none

 private:
  std::size_t image_ = 0;  // a hash
  std::map<std::string, std::vector<double>> values_;
};

// An observer that makes a metric of a number that the program reports: the median of the timed
// runs.
class MetricObserver : public sdk::Observer {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "a number that a program of 'command' says of itself";
  static constexpr tuner_option_info kOptions[] = {
      {"key", "", "its name in the JSON or the pattern", nullptr}};
  static constexpr tuner_value_info kValues[] = {
      {"value", "", "the median of what the timed runs said"}};

  explicit MetricObserver(const sdk::Options& options) : key_(options.text_of("key")) {}
  std::vector<double> end(const tuner_observed& variant) override {
    return {LastReports::instance().median(sdk::view(variant.image), key_)};
  }

 private:
  std::string key_;
};

}  // namespace tuner::program
