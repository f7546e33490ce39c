#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/space/search_space.h"

namespace tuner {

// Reads the space of a JSON file. Two forms are recognised by their keys:
//   neutral  {"parameters": {NAME: [values]}, "constraints": ["Python expression", ...]}
//   T1       {"ConfigurationSpace": {"TuningParameters": [{"Name", "Type", "Values", "Default"}],
//                                    "Conditions": [{"Expression", "Parameters"}]}}
// T1 values may be Python lists in text ("[2**i for i in range(0, 6)]"): they are parsed, never
// run. Throws InputError with every complaint; positions are those of syntax errors only.
SpaceDefinition read_space_json(const std::filesystem::path& path);

// The same for text that is at hand; `file` is for messages.
SpaceDefinition parse_space_json(const std::string& text, const std::string& file);

// A list of values written as Python: a list literal, range(...), list(...) around one of these, or
// [expression for name in list if condition]. Throws InputError.
std::vector<Value> parse_value_list(const std::string& text, const Position& where = {});

}  // namespace tuner
