// A complete exporter: the best configurations of each size as a table that a wiki shows. What it
// reads is described in docs/exchange.md.

#include <nlohmann/json.hpp>
#include <sstream>

#include "tuner/plugin/sdk.h"

namespace {

using nlohmann::ordered_json;

struct Markdown {
  static constexpr const char* kName = "markdown";
  static constexpr const char* kSummary = "a table of the best configurations of each size";
  static constexpr tuner_option_info kOptions[] = {
      {"rows", "10", "configurations of each size", "integer 1..1000"}};

  static std::string write(std::string_view results, const tuner::sdk::Options& options) {
    const ordered_json document = ordered_json::parse(results);
    const auto rows = static_cast<std::size_t>(options.integer("rows", 1, 1000));
    std::ostringstream out;
    out << "# " << document.at("kernel").at("name").get<std::string>() << "\n";
    for (const ordered_json& size : document.at("results")) write_size(size, rows, out);
    return out.str();
  }

 private:
  static void write_size(const ordered_json& size, std::size_t rows, std::ostringstream& out) {
    out << "\n## " << size.at("label").get<std::string>() << " on "
        << size.at("device").at("name").get<std::string>() << "\n\n";
    bool has_head = false;
    for (const ordered_json& trial : size.at("trials")) {
      if (trial.at("rank").is_null() || trial.at("rank") > rows) continue;
      const ordered_json& configuration = trial.at("configuration");
      if (!has_head) write_head(configuration, out);
      has_head = true;
      out << "| " << trial.at("rank") << " |";
      for (const ordered_json& value : configuration) {
        out << " " << (value.is_string() ? value.get<std::string>() : value.dump()) << " |";
      }
      out << " " << trial.at("time_ms") << " |\n";
    }
  }

  static void write_head(const ordered_json& configuration, std::ostringstream& out) {
    std::string rule = "|--|--|";
    out << "| rank |";
    for (const auto& [name, value] : configuration.items()) {
      out << " " << name << " |";
      rule += "--|";
    }
    out << " time in ms |\n" << rule << "\n";
  }
};

}  // namespace

TUNER_PLUGIN("markdown", "1.0", tuner::sdk::Exporters<Markdown>);
