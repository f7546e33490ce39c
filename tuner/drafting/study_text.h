#pragma once
// C expressions in the words of a study.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/source/declarations.h"

namespace tuner {

// What a name of the source stands for in the study; nothing when it has no meaning there.
using Meaning = std::function<std::optional<std::string>(const std::string& name)>;

// Whether a study has a function for what C sources call by this name.
bool has_study_function(std::string_view name);

// Nothing for what a study cannot say: members, bits, calls of unknown functions.
std::optional<std::string> study_expression(Tokens expression, const Meaning& meaning);

// Of an expression of numbers only.
std::optional<std::int64_t> constant_value(const std::string& expression);

}  // namespace tuner
