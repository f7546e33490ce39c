#pragma once
// JSON texts: values of parameters in them, infinities, and what is not UTF-8.

#include <nlohmann/json.hpp>
#include <string>

#include "tuner/expression/value.h"
#include "tuner/model/device_facts.h"

namespace tuner {

// A value as every text has it. JSON has no infinities and no NaN: they become {"float": "inf"}.
nlohmann::ordered_json value_to_json(const Value& value);
// Throws nlohmann::json::exception.
Value value_from_json(const nlohmann::ordered_json& json);

// A device's facts from a document that has its name and compute capability at least; whatever else
// is missing keeps its default. Throws nlohmann::json::exception.
DeviceFacts device_from_json(const nlohmann::ordered_json& json);

// A document whose numbers are read back exactly: infinities and NaN as value_to_json() writes
// them.
nlohmann::ordered_json exact(nlohmann::ordered_json json);
// Undoes exact().
nlohmann::ordered_json plain(nlohmann::ordered_json json);

// Bytes that are not UTF-8 (compilers print file names) are replaced, never an exception.
std::string dump(const nlohmann::ordered_json& json, int indent = -1);
// Throws nlohmann::json::exception. In one place, since every use of the library's parser compiles
// all of it once more.
nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace tuner
