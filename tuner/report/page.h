#pragma once
// The HTML page of a report: one file that needs nothing else.

#include <string>

#include "tuner/report/report_data.h"

namespace tuner {

// Begins the first line of every report.
inline constexpr const char* kReportMark = "<!DOCTYPE html><!-- Made by tuner ";

// Texts of studies stand in it as data only: none of them can become markup or script.
std::string report_page(const ReportData& data);

}  // namespace tuner
