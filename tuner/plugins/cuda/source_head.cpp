// Reads directives line by line; what it does not understand ends the head.

#include "tuner/plugins/cuda/source_head.h"

#include <algorithm>

namespace tuner::cuda {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

// Goes through a source from line to line.
class HeadReader {
 public:
  explicit HeadReader(std::string_view source) : source_(source) {}

  std::vector<LeadingInclude> includes() {
    std::vector<LeadingInclude> found;
    while (skip_to_text() && source_[at_] == '#') {
      const std::string_view line = directive();
      const std::string_view word = word_of(line);
      if (line.empty() || !follow(word)) break;
      if (word != "include" || depth_ > 0) continue;
      const auto lines = std::ranges::count(source_.substr(0, at_), '\n');
      found.push_back({name_in(line), at_, static_cast<std::size_t>(lines)});
    }
    return found;
  }

 private:
  // Passes over blank space and comments; false at the end of the source.
  bool skip_to_text() {
    while (at_ < source_.size()) {
      const std::string_view rest = source_.substr(at_);
      if (rest[0] == '\n' || is_blank(rest[0])) {
        ++at_;
      } else if (rest.starts_with("//")) {
        at_ += std::min(rest.find('\n'), rest.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = rest.find("*/", 2);
        if (end == std::string_view::npos) return false;
        at_ += end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  // Reads a whole line behind its '#'; empty where it is not all on one line and with its end.
  std::string_view directive() {
    const std::size_t end = source_.find('\n', at_);
    if (end == std::string_view::npos) return {};
    const std::string_view line = source_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const std::string_view kept = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    const bool goes_on =
        kept.ends_with('\\') || kept.ends_with("?\?/") || kept.find("/*") != std::string_view::npos;
    return goes_on ? std::string_view() : line;
  }

  static std::string_view word_of(std::string_view line) {
    std::size_t from = 0;
    while (from < line.size() && is_blank(line[from])) ++from;
    std::size_t to = from;
    while (to < line.size() && is_in_word(line[to])) ++to;
    return line.substr(from, to - from);
  }

  static std::string name_in(std::string_view line) {
    const std::size_t open = line.find_first_of("<\"");
    if (open == std::string_view::npos) return {};
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close == std::string_view::npos) return {};
    return std::string(line.substr(open + 1, close - open - 1));
  }

  // Whether more of the head may come after this directive.
  bool follow(std::string_view word) {
    if (word == "if" || word == "ifdef" || word == "ifndef") ++depth_;
    if (word == "endif") --depth_;
    constexpr std::string_view kKnown[] = {"include", "define", "undef", "pragma", "if",   "ifdef",
                                           "ifndef",  "elif",   "else",  "endif",  "error"};
    return depth_ >= 0 && std::ranges::find(kKnown, word) != std::end(kKnown);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<LeadingInclude> leading_includes(std::string_view source) {
  return HeadReader(source).includes();
}

std::size_t first_mention(std::string_view text, const WordSet& names) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_in_word(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_in_word(text[end])) ++end;
    if (starts_word(text[at]) && names.contains(text.substr(at, end - at))) return at;
    at = end;
  }
  return std::string_view::npos;
}

}  // namespace tuner::cuda
