#pragma once
// The command line of `tuner report`.

#include <string>

#include "tuner/app/options.h"
#include "tuner/report/report_data.h"

namespace tuner {

struct ReportOptions {
  // A study file; or results folders, ranked CSV files or folders of these, together on one page.
  Words targets;
  std::string output;
  std::string results = "results";
  std::string title;  // empty: the kernels' names
  std::string size;
  std::string device;
  std::vector<MetricLimit> limits;
  bool force = false;
};

ReportOptions parse_report(const Words& words);

}  // namespace tuner
