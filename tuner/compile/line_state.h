#pragma once
// Where comments and raw strings reach over several lines.

#include <string>

namespace tuner {

class LineState {
 public:
  // Whether the next line begins as code.
  bool is_code() const { return end_.empty(); }
  void read(const std::string& line);

 private:
  std::size_t skip_quoted(const std::string& line, std::size_t at) const;

  std::string end_;  // of the comment or raw string that is open: "*/" or ")name\""
};

}  // namespace tuner
