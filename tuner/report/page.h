#pragma once
// The HTML page of a report, one file that needs nothing else; and what it is made of.

#include <string>
#include <utility>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// One kernel on one device at one size.
struct ReportSet {
  std::string kernel;
  std::vector<std::string> parameters;
  RankedResults ranked;
  ObjectiveSpec objective;
  // Seconds since the first of ranked.trials, for each: when it was recorded at the latest. Empty
  // where that is not known; then neither is the order in which they came.
  std::vector<double> seconds;
  NamedTexts provenance;             // what exactly was measured: "driver", "compiler", ...
  std::vector<std::string> remarks;  // what to know before the figures are believed
  bool stale = false;                // of the study as it was
  std::vector<std::string> next;     // what to do with them: hints, and commands in backquotes
};

// Highest value of a metric on the device, given by the user.
struct MetricLimit {
  std::string metric;
  double value = 0;
};

struct ReportData {
  std::string title;
  std::string version;  // of the program
  std::vector<ReportSet> sets;
  std::vector<MetricLimit> limits;
};

// Texts of studies stand in it as data only: none of them can become markup or script.
std::string report_page(const ReportData& data);

}  // namespace tuner
