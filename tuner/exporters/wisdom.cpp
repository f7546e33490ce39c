// Writes wisdom files of Kernel Launcher.

#include "tuner/exporters/wisdom.h"

#include <fmt/format.h>

#include "tuner/base/error.h"
#include "tuner/codec/json_text.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// One document is one line.
std::string line_of(const Json& json) { return dump(json) + "\n"; }

Json record_of(const RankedResults& results) {
  const Trial& best = results.trials.front();
  Json config = Json::array();
  for (const Value& value : best.configuration) config.push_back(value_to_json(value));
  Json size = Json::array();
  for (const auto& [name, extent] : results.size.dims) size.push_back(extent);
  if (size.empty()) size.push_back(1);
  return {{"config", std::move(config)},
          {"problem_size", std::move(size)},
          {"time", best.timing.median},
          {"environment",
           {{"device_name", results.device.name},
            {"driver_version", results.device.driver},
            {"compiler", results.compiler},
            {"date", results.date}}}};
}

}  // namespace

std::string export_wisdom(const Study& study, const std::vector<RankedResults>& results) {
  Json names = Json::array();
  for (const Parameter& parameter : study.parameters) names.push_back(parameter.name);
  std::string out = line_of({{"generator", "tuner"},
                             {"version", "1.0"},
                             {"key", study.kernel.name},
                             {"objective", "time"},
                             {"tunable_parameters", std::move(names)}});
  bool any = false;
  for (const RankedResults& one : results) {
    if (one.ranked == 0) continue;
    if (one.size.dims.size() > 3) {
      throw InputError(Complaint{
          {},
          fmt::format("a wisdom file has at most three dimensions, not {}", one.size.label()),
          ""});
    }
    out += line_of(record_of(one));
    any = true;
  }
  if (!any) {
    throw InputError(Complaint{{}, "there is nothing to export: no configuration was valid", ""});
  }
  return out;
}

}  // namespace tuner
