#pragma once
// Typed values out of YAML nodes. `what` names the place in messages: "'seconds'".

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tuner/expression/value.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

// "a list", "a map", "text", "a number", "nothing".
std::string kind_of(const YamlNode& node);

// An unquoted true/false, integer (decimal, 0x, 0o) or float is what it looks like; all else is
// text. Anything but a finite scalar is an error.
std::optional<Value> read_value(Diagnostics& diagnostics, const YamlNode& node,
                                const std::string& what);
std::optional<std::int64_t> read_integer(Diagnostics& diagnostics, const YamlNode& node,
                                         const std::string& what);
std::optional<double> read_number(Diagnostics& diagnostics, const YamlNode& node,
                                  const std::string& what);
// The text of any scalar, as it was written.
std::optional<std::string> read_text(Diagnostics& diagnostics, const YamlNode& node,
                                     const std::string& what);

bool expect_list(Diagnostics& diagnostics, const YamlNode& node, const std::string& what);
bool expect_map(Diagnostics& diagnostics, const YamlNode& node, const std::string& what);

// A readable regular file named relative to `directory`; absolute and normal.
std::optional<std::filesystem::path> read_file_name(Diagnostics& diagnostics, const YamlNode& node,
                                                    const std::filesystem::path& directory,
                                                    const std::string& what);

}  // namespace tuner
