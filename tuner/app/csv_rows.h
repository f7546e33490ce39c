#pragma once
// Configurations as CSV (RFC 4180).

#include <string>
#include <vector>

#include "tuner/space/parameter.h"

namespace tuner {

// Quoted where it must be.
std::string csv_field(const std::string& text);
std::string csv_header(const std::vector<Parameter>& parameters);
std::string csv_row(const Configuration& configuration);

}  // namespace tuner
