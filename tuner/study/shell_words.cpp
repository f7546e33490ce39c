// Splits command lines without a shell.

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

class WordReader {
 public:
  WordReader(Reader& reader, const YamlNode& node, std::string what)
      : reader_(reader), node_(node), what_(std::move(what)), text_(node.text) {}

  std::vector<std::string> read() {
    for (; at_ < text_.size() && !failed_; ++at_) next();
    end_word();
    return failed_ ? std::vector<std::string>() : std::move(words_);
  }

 private:
  void next() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n') {
      end_word();
      const bool more = text_.find_first_not_of(" \t\n", at_) != std::string::npos;
      if (c == '\n' && !words_.empty() && more) complain("a second line is a second command, and");
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '\\') {
      if (at_ + 1 >= text_.size()) return complain("'\\' at the end");
      ++at_;
      if (text_[at_] != '\n') put(text_[at_]);  // a line that goes on
    } else if (const std::string_view sign = sign_of_shells(); !sign.empty()) {
      complain(fmt::format("'{}'", sign));
    } else {
      put(c);
    }
  }

  // Up to the other quote. In double ones a shell puts values in, too.
  void quoted(char quote) {
    const std::size_t begin = at_;
    if (!word_) word_.emplace();
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      const char c = text_[at_];
      const bool is_double = quote == '"';
      if (is_double && (c == '$' || c == '`')) return complain(fmt::format("'{}'", c));
      const bool escapes = is_double && c == '\\' && at_ + 1 < text_.size() &&
                           std::string_view("\\\"$`").find(text_[at_ + 1]) != std::string::npos;
      if (escapes) ++at_;
      *word_ += text_[at_];
    }
    if (at_ < text_.size()) return;
    failed_ = true;
    reader_.error(node_.where(begin), fmt::format("{}: this quote has no partner", what_));
  }

  // Returns the sign at this place that has a meaning to shells alone; empty: there is none.
  std::string_view sign_of_shells() const {
    const std::string_view rest = std::string_view(text_).substr(at_);
    for (const std::string_view sign : {"&&", "||", ">>", "<<", "$("}) {
      if (rest.starts_with(sign)) return sign;
    }
    if (std::string_view("|&;<>()$`*?[").find(rest.front()) != std::string::npos) {
      return rest.substr(0, 1);
    }
    const bool begins_word = !word_;
    if (begins_word && (rest.front() == '~' || rest.front() == '#')) return rest.substr(0, 1);
    return {};
  }

  void complain(const std::string& what) {
    failed_ = true;
    reader_.error(node_.where(at_),
                  fmt::format("{}: {} needs a shell, and none is started", what_, what),
                  "\"sh -c '...'\" starts one; in quotes a sign stands for itself");
  }

  void put(char c) {
    if (!word_) word_.emplace();
    *word_ += c;
  }

  void end_word() {
    if (word_) words_.push_back(std::move(*word_));
    word_.reset();
  }

  Reader& reader_;
  const YamlNode& node_;
  const std::string what_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  std::vector<std::string> words_;
  bool failed_ = false;
};

}  // namespace

std::vector<std::string> read_words(Reader& reader, const YamlNode& node, const std::string& what) {
  const auto text = read_text(node, what);
  if (!text) return {};
  check_placeholders(reader, node, kSpaceNames, what);
  std::vector<std::string> words = WordReader(reader, node, what).read();
  if (words.empty() && text->find_first_not_of(" \t\n") == std::string::npos) {
    node.error(what + " is empty");
  }
  return words;
}

}  // namespace tuner
