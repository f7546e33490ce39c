// Writes and reads CSV.

#include "tuner/results/csv.h"

#include <utility>

namespace tuner {
namespace {

// Goes through a CSV text: `field(text, where)` for each field, `row()` after each
// row; where = position of its first character.
template <typename Field, typename Row>
void walk(const std::string& text, const Field& field, const Row& row) {
  std::string now;
  bool quoted = false;
  bool any = false;  // of this row
  int line = 1;
  std::size_t line_start = 0;
  Position start{"", 1, 1};
  const auto end_field = [&](std::size_t next) {
    field(std::exchange(now, {}), start);
    start = {"", line, static_cast<int>(next - line_start) + 1};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = i + 1;
    }
    if (quoted) {
      if (c != '"') {
        now += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        now += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      end_field(i + 1);
      any = c == ',';
      if (c == '\n') row();
    } else if (c != '\r') {
      now += c;
    }
  }
  if (now.empty() && !any) return;
  end_field(text.size());
  row();
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
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

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  walk(
      text, [&](std::string field, const Position&) { row.push_back(std::move(field)); },
      [&] { rows.push_back(std::exchange(row, {})); });
  return rows;
}

Position csv_position(const std::string& text, std::size_t row, std::size_t column) {
  std::size_t now = 0;
  std::size_t at = 0;
  Position found;
  walk(
      text,
      [&](const std::string&, const Position& where) {
        if (now == row && at++ == column) found = where;
      },
      [&] { ++now; });
  return found;
}

}  // namespace tuner
