// Repairs the JSON of other tuners before it is parsed.

#include "tuner/store/recording_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tuner {
namespace {

// Python writes NaN and Infinity, which JSON does not know. An empty string of the same length
// takes their place: as a measurement it counts as "failed", anywhere else it is not looked at.
void replace_python_constants(std::string& text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == 'N' || c == 'I') {
      const std::string_view word = c == 'N' ? "NaN" : "Infinity";
      if (text.compare(i, word.size(), word) != 0) continue;
      const std::size_t from = c == 'I' && i > 0 && text[i - 1] == '-' ? i - 1 : i;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(from),
                text.begin() + static_cast<std::ptrdiff_t>(i + word.size()), ' ');
      text[from] = text[from + 1] = '"';
      i += word.size() - 1;
    }
  }
}

// White space, and the first digits of a number that was cut off and would read as another number.
void trim_torn_end(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    const bool of_number = std::isalnum(last) != 0 || last == '.' || last == '-' || last == '+';
    if (std::isspace(last) == 0 && !of_number) break;
    text.pop_back();
  }
}

}  // namespace

void repair_recording_text(std::string& text) {
  trim_torn_end(text);
  replace_python_constants(text);
}

}  // namespace tuner
