#pragma once
// What a page knows of one set, as JSON.

#include <nlohmann/json.hpp>

#include "tuner/report/report_data.h"

namespace tuner {

nlohmann::ordered_json json_of(const ReportSet& set);

}  // namespace tuner
