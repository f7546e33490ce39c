#pragma once
// Studies and spaces in JSON. T1 files are the auto-tuning community's description of a benchmark,
// as BAT, KTT and Kernel Tuner write it; docs/exchange.md says what each key becomes.

#include <filesystem>
#include <string>

#include "tuner/study/yaml_reader.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

// Whether a text is JSON with a "ConfigurationSpace".
bool is_t1(const std::string& text);

// Translates a T1 file into the tree of a study, whose paths are relative to `folder`, or whole
// where that is empty. What keeps
// it from being run (another language, a kernel file that is not there) is a warning, and the tree
// is then a space alone. Expressions and lists of values written in Python are parsed, never run.
// Null with errors where something is wrong with the file.
YamlRef t1_as_study(const YamlNode& root, const std::filesystem::path& folder);

// How a study is written down.
enum class FileForm { kYaml, kT1 };
FileForm form_of(const std::filesystem::path& path);

// Parses the text of a study's file as its tree; a T1 file as the tree that it becomes. Null with
// errors. Throws InputError for JSON that is no study, such as a recording.
YamlRef parse_study_tree(Diagnostics& diagnostics, FileForm form);

// A space in JSON, {"parameters": {NAME: [values]}, "constraints": ["A % B == 0", ...]}, with other
// keys beside these. Throws one InputError with every mistake of the file.
SpaceDefinition read_space_json(const std::filesystem::path& path);
// Parses the text of such a space; `file` is for messages.
SpaceDefinition parse_space_json(const std::string& text, const std::string& file);

}  // namespace tuner
