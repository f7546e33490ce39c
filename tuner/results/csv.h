#pragma once
// CSV after RFC 4180, written and read.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/space/parameter.h"

namespace tuner {

// The text as a field: quoted where it must be.
std::string csv_field(std::string_view text);

// The parameters' names, and a configuration's values, without the end of the line.
std::string csv_header(const std::vector<Parameter>& parameters);
std::string csv_row(const Configuration& configuration);

// The fields of a text, row by row.
std::vector<std::vector<std::string>> read_csv(const std::string& text);

// Where a field of the text begins, both counted from 0. Asked for the one that is at fault: the
// positions of all fields would take more memory than the fields.
Position csv_position(const std::string& text, std::size_t row, std::size_t column);

}  // namespace tuner
