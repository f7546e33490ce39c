// Writes and reads JSON texts.

#include "tuner/model/json_text.h"

#include <cmath>
#include <limits>
#include <utility>

#include "tuner/model/json.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFloat = "float";

double special_number(const std::string& text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Json value_to_json(const Value& value) {
  return exact(std::visit([](const auto& held) { return Json(held); }, value));
}

Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return special_number(json.at(kFloat).get<std::string>());
}

DeviceFacts device_from_json(const Json& json) {
  for (const char* name : {"name", "compute_capability"}) static_cast<void>(json.at(name));
  DeviceFacts device;
  decode(json, device, Missing::kKept);
  return device;
}

Json exact(Json json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    return {{kFloat, to_text(Value(json.get<double>()))}};
  }
  if (json.is_structured()) {
    for (Json& one : json) one = exact(std::move(one));
  }
  return json;
}

Json plain(Json json) {
  if (json.is_object() && json.size() == 1 && json.contains(kFloat)) {
    return special_number(json[kFloat].get<std::string>());
  }
  if (json.is_structured()) {
    for (Json& one : json) one = plain(std::move(one));
  }
  return json;
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(const std::string& text) { return Json::parse(text); }

}  // namespace tuner
