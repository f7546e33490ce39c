// A complete advisor: proposes the largest value of each parameter. What it is asked is described
// in docs/study-file.md.

#include <nlohmann/json.hpp>

#include "tuner/plugin/sdk.h"

namespace {

using nlohmann::ordered_json;

struct Widest {
  static constexpr const char* kName = "widest";
  static constexpr const char* kSummary = "the largest value of each parameter";

  static std::string propose(std::string_view question) {
    ordered_json configuration;
    const ordered_json asked = ordered_json::parse(question);
    for (const auto& [name, values] : asked.at("parameters").items()) {
      ordered_json& largest = configuration[name] = values.at(0);
      for (const ordered_json& value : values) {
        if (value.is_number() && largest.is_number() && largest < value) largest = value;
      }
    }
    return ordered_json::array({configuration}).dump();
  }
};

}  // namespace

TUNER_PLUGIN("widest", "1.0", tuner::sdk::Advisors<Widest>);
