// Follows comments and raw strings from line to line.

#include "tuner/compile/line_state.h"

#include <cctype>

namespace tuner {

// Behind the quote that ends the literal begun at `at`.
std::size_t LineState::skip_quoted(const std::string& line, std::size_t at) const {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) at += line[at] == '\\' ? 2 : 1;
  return at + 1;
}

void LineState::read(const std::string& line) {
  std::size_t at = 0;
  while (at < line.size()) {
    if (!end_.empty()) {
      const auto found = line.find(end_, at);
      if (found == std::string::npos) return;
      at = found + end_.size();
      end_.clear();
    } else if (line.compare(at, 2, "//") == 0) {
      return;
    } else if (line.compare(at, 2, "/*") == 0) {
      end_ = "*/";
      at += 2;
    } else if (line.compare(at, 2, "R\"") == 0) {
      const auto open = line.find('(', at);
      if (open == std::string::npos) return;
      end_ = ")" + line.substr(at + 2, open - at - 2) + "\"";
      at = open + 1;
    } else if (line[at] == '"') {
      at = skip_quoted(line, at);
    } else if (line[at] == '\'') {
      const bool separator = at > 0 && std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0;
      at = separator ? at + 1 : skip_quoted(line, at);  // 1'000
    } else {
      ++at;
    }
  }
}

}  // namespace tuner
