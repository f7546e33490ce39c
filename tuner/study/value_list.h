#pragma once
// Lists of values, written as in Python.

#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/expression/value.h"

namespace tuner {

// A list literal, range(...), list(...) around one of these, [expression for name in list if
// condition], or several of these with + between them. It is parsed, never run. Throws InputError.
std::vector<Value> parse_value_list(const std::string& text, const Position& where = {});

}  // namespace tuner
