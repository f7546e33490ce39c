// Writes the exported table as JSON in a comment, reads it back, and reports what became of its
// sizes.

#include "tuner/deploy/table_text.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "tuner/base/text.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kBegin = "/* tuner-table\n";
constexpr const char* kEnd = "\ntuner-table */";

// Facts of a device that an exported table leaves out: no expression uses them.
constexpr std::array kLeftOut{"uuid", "reserved_shared_memory_per_block", "clock_khz", "max_block",
                              "max_grid"};

Json device_in_table(const DeviceFacts& device) {
  Json out = encoded<Json>(device);
  for (const char* name : kLeftOut) out.erase(name);
  return out;
}

Json json_of(const TunedEntry& entry) {
  Json size = Json::array();
  for (const auto& [name, extent] : entry.size.dims) size.push_back(extent);
  return {{"device", entry.device},
          {"configuration", entry.configuration},
          {"size", std::move(size)},
          {"time_ms", entry.shown.median_ms},
          {"ci_ms", {entry.shown.ci_low_ms, entry.shown.ci_high_ms}},
          {"samples", entry.shown.samples},
          {"basis", entry.shown.by_final ? "final" : "search"},
          {"slowdown", entry.slowdown},
          {"date", entry.date}};
}

TunedEntry entry_of(const Json& json, const ExportedTable& known) {
  TunedEntry entry;
  entry.device = json.at("device").get<std::size_t>();
  entry.configuration = json.at("configuration").get<std::size_t>();
  if (entry.device >= known.table.devices.size() ||
      entry.configuration >= known.table.configurations.size() ||
      json.at("size").size() != known.dimensions.size()) {
    throw std::out_of_range("an entry points nowhere");
  }
  for (std::size_t d = 0; d < known.dimensions.size(); ++d) {
    entry.size.dims.emplace_back(known.dimensions[d], json.at("size").at(d).get<std::int64_t>());
  }
  entry.shown.median_ms = json.at("time_ms").get<double>();
  entry.shown.ci_low_ms = json.at("ci_ms").at(0).get<double>();
  entry.shown.ci_high_ms = json.at("ci_ms").at(1).get<double>();
  entry.shown.by_final = json.value("basis", "search") == "final";
  entry.slowdown = json.value("slowdown", 1.0);
  entry.date = json.value("date", "");
  return entry;
}

std::string domain_json(const std::vector<ExtentRange>& domain) {
  Json ranges = Json::array();
  for (const auto& [name, low, high] : domain) ranges.push_back({low, high});
  return ranges.dump();
}

Json json_of(const Tiling& one) { return {{"count", one.count}, {"tiles", one.tiles}}; }

Json json_of(const Predictor& one) {
  return {{"device", one.device},          {"configuration", one.configuration},
          {"pieces", json_of(one.pieces)}, {"blocks", json_of(one.blocks)},
          {"resident", one.resident},      {"coefficients", one.coefficients}};
}

Tiling tiling_of(const Json& json) {
  return {json.at("count").get<std::int64_t>(), json.at("tiles").get<std::vector<std::int64_t>>()};
}

Predictor predictor_of(const Json& json, const ExportedTable& known) {
  const std::size_t dimensions = known.dimensions.size();
  if (!json.contains("pieces") || json.at("coefficients").size() < kPredictorTerms + dimensions) {
    throw std::out_of_range("its predictors are those of an earlier version: export it again");
  }
  Predictor one{json.at("device").get<std::size_t>(),
                json.at("configuration").get<std::size_t>(),
                tiling_of(json.at("pieces")),
                tiling_of(json.at("blocks")),
                json.at("resident").get<std::int64_t>(),
                json.at("coefficients").get<std::vector<double>>()};
  if (one.device >= known.table.devices.size() ||
      one.configuration >= known.table.configurations.size() ||
      one.pieces.tiles.size() != dimensions || one.blocks.tiles.size() != dimensions ||
      one.coefficients.size() != kPredictorTerms + dimensions || one.resident < 1) {
    throw std::out_of_range("a predictor does not fit the table");
  }
  return one;
}

// The domain and its predictors, where the file has them.
void read_domain(const Json& json, ExportedTable& out) {
  if (!json.contains("domain")) return;
  std::vector<ExtentRange>& domain = out.table.domain;
  for (const Json& range : json.at("domain")) {
    if (domain.size() == out.dimensions.size()) throw std::out_of_range("the domain is too wide");
    domain.push_back({out.dimensions[domain.size()], range.at(0).get<std::int64_t>(),
                      range.at(1).get<std::int64_t>()});
  }
  if (domain.size() != out.dimensions.size()) throw std::out_of_range("the domain is too narrow");
  if (!json.contains("predictors")) return;
  out.table.learned = LearnedSelector{domain, {}};
  for (const Json& one : json.at("predictors")) {
    out.table.learned->predictors.push_back(predictor_of(one, out));
  }
}

ExportedTable table_of(const Json& json) {
  ExportedTable out;
  out.kernel = json.at("kernel").get<std::string>();
  out.source_hash = json.at("source_hash").get<std::string>();
  out.parameters = json.at("parameters").get<std::vector<std::string>>();
  out.dimensions = json.at("dimensions").get<std::vector<std::string>>();
  for (const Json& one : json.at("devices")) out.table.devices.push_back(device_from_json(one));
  for (const Json& one : json.at("configurations")) {
    Configuration configuration;
    for (const Json& value : one) configuration.push_back(value_from_json(value));
    if (configuration.size() != out.parameters.size()) {
      throw std::out_of_range("a configuration does not have one value for each parameter");
    }
    out.table.configurations.push_back(std::move(configuration));
  }
  for (const Json& one : json.at("entries")) out.table.entries.push_back(entry_of(one, out));
  out.table.weights = json.value("weights", std::vector<double>());
  if (!out.table.weights.empty() && out.table.weights.size() != out.dimensions.size()) {
    throw std::out_of_range("the weights are not one for each dimension");
  }
  if (out.table.configurations.empty()) throw std::out_of_range("there are no configurations");
  read_domain(json, out);
  return out;
}

Json values_of(const Configuration& configuration) {
  Json values = Json::array();
  for (const Value& value : configuration) values.push_back(value_to_json(value));
  return values;
}

// One element a line, so that two exports can be compared.
std::string lines_of(const Json& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    out += (i > 0 ? ",\n  " : "\n  ") + list[i].dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  return out + "]";
}

}  // namespace

std::string table_comment(const Study& study, const TunedTable& table,
                          const std::string& source_hash) {
  const Json parameters = parameter_names(study.parameters);
  const Json dimensions = dimension_names(table.entries.front().size);
  Json devices = Json::array();
  for (const DeviceFacts& one : table.devices) devices.push_back(device_in_table(one));
  Json configurations = Json::array();
  for (const Configuration& one : table.configurations) configurations.push_back(values_of(one));
  Json entries = Json::array();
  for (const TunedEntry& one : table.entries) entries.push_back(json_of(one));
  std::string domain;
  if (!table.domain.empty()) domain = "\"domain\": " + domain_json(table.domain) + ",\n";
  if (table.learned) {
    Json predictors = Json::array();
    for (const Predictor& one : table.learned->predictors) predictors.push_back(json_of(one));
    domain += "\"predictors\": " + lines_of(predictors) + ",\n";
  }
  const std::string weights =
      table.weights.empty() ? "" : "\"weights\": " + Json(table.weights).dump() + ",\n";
  std::string text = fmt::format(
      "{{\"schema\": 1, \"kernel\": {}, \"source_hash\": \"{}\",\n\"parameters\": {},\n"
      "\"dimensions\": {},\n{}\"devices\": {},\n\"configurations\": {},\n\"entries\": {}}}",
      Json(study.kernel.name).dump(), source_hash, parameters.dump(-1, ' ', true),
      dimensions.dump(-1, ' ', true), weights + domain, lines_of(devices), lines_of(configurations),
      lines_of(entries));
  // Nothing in a text may begin or end a comment, or be a trigraph. These characters occur in texts
  // only, where JSON has other spellings for them.
  std::string safe;
  for (const char c : text) {
    const bool plain = c != '/' && c != '*' && c != '?';
    safe += plain ? std::string(1, c) : fmt::format("\\u00{:02x}", static_cast<unsigned>(c));
  }
  return kBegin + safe + kEnd + "\n";
}

ExportedTable read_table_comment(const std::string& text, const std::string& file) {
  const auto begin = text.find(kBegin);
  const auto end = text.find(kEnd, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) {
    reject(file, "holds no table: it is not a header or launcher that 'tuner export' wrote");
  }
  const auto first = begin + std::string(kBegin).size();
  try {
    return table_of(Json::parse(text.substr(first, end - first)));
  } catch (const std::exception& error) {
    reject(file, std::string("its table makes no sense: ") + error.what());
  }
}

std::string values_json(const Configuration& configuration) {
  return values_of(configuration).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string asked_head(const Study& study, const TunedTable& table,
                       const std::string& source_hash) {
  const Json parameters = parameter_names(study.parameters);
  const Json dimensions = dimension_names(table.entries.front().size);
  return fmt::format(
      "{{\"asked\": 1, \"kernel\": {}, \"source_hash\": \"{}\",\n\"parameters\": {},\n"
      "\"dimensions\": {},\n\"configurations\": [",
      dump(study.kernel.name), source_hash, parameters.dump(-1, ' ', true),
      dimensions.dump(-1, ' ', true));
}

std::string kept_report(const Study& study, const TunedTable& table) {
  std::string out;
  for (const TunedEntry& entry : table.entries) {
    if (!entry.kept_before) continue;
    const std::string now = configuration_text(study.parameters, *entry.kept_before);
    const std::string why = entry.slowdown > 1
                                ? fmt::format("measured {:.2g} % faster: their intervals overlap",
                                              100 * (1 - 1 / entry.slowdown))
                                : "ranks first now: it is not faster";
    out += fmt::format(
        "{} {}: kept {} although {} {}\n", table.devices[entry.device].name, entry.size.label(),
        configuration_text(study.parameters, table.configurations[entry.configuration]), now, why);
  }
  return out;
}

std::string loss_report(const TunedTable& table) {
  std::set<std::size_t> used;
  for (const TunedEntry& entry : table.entries) used.insert(entry.configuration);
  std::string out = count_text(used.size(), "configuration") + " for " +
                    count_text(table.entries.size(), "size") + "\n";
  for (const TunedEntry& entry : table.entries) {
    out += fmt::format("{} {}: configuration {}, {:.1f} % slower than the best\n",
                       table.devices[entry.device].name, entry.size.label(), entry.configuration,
                       100 * (entry.slowdown - 1));
  }
  return out;
}

}  // namespace tuner
