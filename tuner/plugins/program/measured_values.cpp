// Finds numbers in a JSON file or in what a program printed.

#include "tuner/plugins/program/measured_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>

namespace tuner::program {
namespace {

using nlohmann::json;

// Names of the time, each with what makes it milliseconds.
constexpr std::pair<const char*, double> kTimes[] = {
    {"time_ms", 1}, {"time_s", 1e3}, {"time_us", 1e-3}, {"time_ns", 1e-6}};

[[noreturn]] void missing(const std::string& message) {
  throw sdk::Error(TUNER_RUNTIME_FAULT, message);
}

double checked(const std::string& name, double value) {
  if (std::isfinite(value)) return value;
  missing("the program says that " + name + " is " + (std::isnan(value) ? "NaN" : "infinite"));
}

double number_in(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') {
    missing("the program says that " + name + " is '" + text + "', which is no number");
  }
  return checked(name, value);
}

// ---- JSON ---------------------------------------------------------------------------------------

// The value of a summary of nvbench's, in seconds, which stands there as a text.
std::optional<double> summary_of(const json& state, const std::string& tag) {
  for (const json& summary : state.value("summaries", json::array())) {
    if (summary.value("tag", "") != tag) continue;
    for (const json& datum : summary.value("data", json::array())) {
      if (datum.value("name", "") != "value" || !datum.contains("value")) continue;
      const json& value = datum["value"];
      return value.is_string() ? number_in(tag, value.get<std::string>()) : value.get<double>();
    }
  }
  return std::nullopt;
}

// Returns the seconds of nvbench's only measurement: the median of the GPU's time where there is
// one, else the mean.
double nvbench_seconds(const json& file, const std::string& name) {
  std::vector<json> states;
  for (const json& benchmark : file["benchmarks"]) {
    for (const json& state : benchmark.value("states", json::array())) {
      if (!state.value("is_skipped", false)) states.push_back(state);
    }
  }
  if (states.size() != 1) {
    missing("'" + name + "' of nvbench has " + std::to_string(states.size()) +
            " measurements, and a variant needs one (nvbench's --benchmark and --axis choose)");
  }
  for (const char* tag : {"nv/cold/time/gpu/median", "nv/cold/time/gpu/mean",
                          "nv/batch/time/gpu/mean", "nv/cold/time/cpu/mean"}) {
    if (const auto seconds = summary_of(states.front(), tag)) return *seconds;
  }
  missing("'" + name + "' of nvbench has no time");
}

std::map<std::string, double> numbers_of(const json& file, const std::string& name,
                                         const json& wanted) {
  std::map<std::string, double> found;
  if (file.is_object() && file.contains("benchmarks")) {
    found["time_s"] = nvbench_seconds(file, name);
    return found;
  }
  const auto take = [&](const std::string& key) {
    if (!file.is_object() || !file.contains(key)) return;
    if (!file[key].is_number()) {
      missing("'" + name + "': " + key + " is " + file[key].dump() + ", which is no number");
    }
    found[key] = checked(key, file[key].get<double>());
  };
  for (const auto& [key, factor] : kTimes) take(key);
  for (const json& key : wanted) take(key.get<std::string>());
  return found;
}

std::map<std::string, double> from_json(const std::string& name, const json& wanted,
                                        const std::filesystem::path& folder) {
  std::ifstream in(folder / name, std::ios::binary);
  if (!in) missing("the program did not write '" + name + "', which has its metrics");
  std::ostringstream text;
  text << in.rdbuf();
  try {
    return numbers_of(json::parse(text.str()), name, wanted);
  } catch (const json::exception& error) {
    missing("'" + name + "' is not JSON as it is expected: " + error.what());
  }
}

// ---- patterns -----------------------------------------------------------------------------------

// Line by line: std::regex goes one call deeper for each character. The last line that fits counts.
std::map<std::string, double> from_output(const json& patterns, const std::string& output) {
  constexpr std::size_t kLongestLine = 4096;
  std::map<std::string, double> found;
  for (const json& pattern : patterns) {
    const std::regex expression(pattern.at("regex").get<std::string>());
    std::smatch last;
    std::string fitting;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > kLongestLine || !std::regex_search(line, expression)) continue;
      fitting = line;
    }
    if (!std::regex_search(std::as_const(fitting), last, expression)) continue;
    std::size_t group = 1;
    for (const std::string name : pattern.at("names")) {
      const std::ssub_match part = last[group];
      if (!name.empty() && part.matched) found[name] = number_in(name, part.str());
      ++group;
    }
  }
  return found;
}

std::string shown(const std::string& output) {
  constexpr std::size_t kMost = 300;
  const std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "it printed nothing";
  const std::size_t begin = end + 1 > kMost ? end + 1 - kMost : 0;
  return "it printed:\n" + output.substr(begin, end + 1 - begin);
}

}  // namespace

SelfReport report_of(const json& metrics, const std::string& output,
                     const std::filesystem::path& folder, double clock_ms) {
  const json wanted = metrics.value("values", json::array());
  const bool is_file = metrics.contains("json");
  std::map<std::string, double> found;
  if (is_file) found = from_json(metrics["json"], wanted, folder);
  if (metrics.contains("patterns")) found = from_output(metrics["patterns"], output);
  const std::string where =
      is_file ? "'" + metrics["json"].get<std::string>() + "' has no " : "the program prints no ";
  const std::string rest = is_file ? "" : "; " + shown(output);
  SelfReport report;
  for (const json& name : wanted) {
    const auto value = found.find(name.get<std::string>());
    if (value == found.end()) missing(where + name.get<std::string>() + rest);
    report.values.insert(*value);
  }
  report.milliseconds = clock_ms;
  if (metrics.at("time") == "clock") return report;
  const auto time =
      std::ranges::find_if(kTimes, [&](const auto& one) { return found.contains(one.first); });
  if (time == std::end(kTimes)) {
    if (metrics.at("time") == "either") return report;
    missing(where + "time_ms" + rest);
  }
  report.milliseconds = found[time->first] * time->second;
  if (report.milliseconds > 0) return report;
  missing(std::string("the program says that ") + time->first + " is " +
          json(found[time->first]).dump() + ", which is no time");
}

LastReports& LastReports::instance() {
  static LastReports only;
  return only;
}

void LastReports::add(std::string_view image, const SelfReport& report) {
  const std::size_t hash = std::hash<std::string_view>{}(image);
  if (hash != image_) values_.clear();
  image_ = hash;
  for (const auto& [name, value] : report.values) values_[name].push_back(value);
}

double LastReports::median(std::string_view image, const std::string& value) const {
  const auto found = values_.find(value);
  if (found == values_.end() || std::hash<std::string_view>{}(image) != image_) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<double> all = found->second;
  std::sort(all.begin(), all.end());
  const std::size_t half = all.size() / 2;
  return all.size() % 2 == 1 ? all[half] : (all[half - 1] + all[half]) / 2;
}

}  // namespace tuner::program
