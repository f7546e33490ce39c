// Writes configurations as CSV.

#include "tuner/app/csv_rows.h"

namespace tuner {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_header(const std::vector<Parameter>& parameters) {
  std::string line;
  for (const Parameter& parameter : parameters) {
    line += (line.empty() ? "" : ",") + csv_field(parameter.name);
  }
  return line;
}

std::string csv_row(const Configuration& configuration) {
  std::string line;
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_field(to_text(configuration[i]));
  }
  return line;
}

}  // namespace tuner
