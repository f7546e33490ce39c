#pragma once
// Search spaces in JSON.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/space/search_space.h"

namespace tuner {

// Reads the space of a JSON file, {"parameters": {NAME: [values]}, "constraints": ["Python
// expression", ...]}. Throws InputError with every complaint; positions are those of syntax errors
// only.
SpaceDefinition read_space_json(const std::filesystem::path& path);

// The same for text that is at hand; `file` is for messages.
SpaceDefinition parse_space_json(const std::string& text, const std::string& file);

// A list of values written as Python: a list literal, range(...), list(...) around one of these,
// [expression for name in list if condition], or several of these with + between them. It is
// parsed, never run. Throws InputError.
std::vector<Value> parse_value_list(const std::string& text, const Position& where = {});

}  // namespace tuner
