// Splits a CUDA source into tokens.

#include "tuner/source/tokens.h"

#include <algorithm>
#include <set>
#include <string>

#include "tuner/base/text.h"

namespace tuner {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Splitter {
 public:
  Splitter(std::string_view source, Comments comments, std::set<std::string_view> defined)
      : source_(source), comments_(comments), defined_(std::move(defined)) {}

  std::vector<Token> all() {
    while (at_ < source_.size()) step();
    return std::move(tokens_);
  }

 private:
  struct Branch {
    bool taken = false;    // one of its branches has been looked at, or is now
    bool other = false;    // this one is not looked at
    bool absent = false;   // what has been looked at is there only if somebody defines a name
    std::size_t from = 0;  // its first token
  };

  char here(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  // A backslash at the end of a line joins it with the next; lines may end as those of Windows.
  bool joins_lines() const {
    return here() == '\\' && (here(1) == '\n' || (here(1) == '\r' && here(2) == '\n'));
  }

  // Counts the characters of one step: one, or a backslash and what it changes.
  std::size_t step_length() const {
    if (here() != '\\') return 1;
    return joins_lines() && here(1) == '\r' ? 3 : 2;
  }

  void step() {
    const char c = here();
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (is_blank(c) || joins_lines()) {
      at_ += step_length();
    } else if (begins_comment()) {
      const std::size_t from = at_;
      skip_comment();
      if (comments_ == Comments::kKeep) add(Token::Kind::kComment, from, at_);
    } else if (c == '#' && line_begins_) {
      take_directive();
    } else {
      line_begins_ = false;
      take_token(c);
    }
  }

  bool begins_comment() const { return here() == '/' && (here(1) == '/' || here(1) == '*'); }

  void skip_comment() {
    if (here(1) == '*') {
      const std::size_t end = source_.find("*/", at_ + 2);
      at_ = end == source_.npos ? source_.size() : end + 2;
      return;
    }
    while (at_ < source_.size() && here() != '\n') at_ += step_length();
  }

  void take_directive() {
    const std::size_t from = at_;
    while (at_ < source_.size() && here() != '\n') {
      const std::size_t before = at_;
      if (begins_comment()) {
        skip_comment();
        if (at_ < source_.size() && here() != '\n') continue;
        at_ = before;  // a comment at its end is not part of it
        break;
      }
      if (here() == '"') {
        skip_quoted('"');  // a comment's sign in it is none
      } else {
        at_ += step_length();
      }
    }
    at_ = std::min(at_, source_.size());
    add(Token::Kind::kDirective, from, at_);
    note_branch(tokens_.back());
  }

  // Notes which branch of an #if is looked at: the first, but the next one where the first needs a
  // name that nobody defines; of "#if 0" none but its #else.
  void note_branch(Token& directive) {
    const std::string_view name = directive_name(directive), rest = directive_rest(directive);
    const bool opens = name == "if" || name == "ifdef" || name == "ifndef";
    const bool goes_on = name == "else" || name == "elif";
    if (opens) {
      const bool never = name == "if" && rest == "0";
      branches_.push_back({!never, never, asks_for_nothing(name, rest), tokens_.size()});
      others_ += never ? 1 : 0;
    } else if (!branches_.empty() && goes_on) {
      others_ -= branches_.back().other ? 1 : 0;
      next_branch(branches_.back(), name == "elif" && asks_for_nothing("if", rest));
      others_ += branches_.back().other ? 1 : 0;
    } else if (!branches_.empty() && name == "endif") {
      others_ -= branches_.back().other ? 1 : 0;
      branches_.pop_back();
    } else if (name == "define" && !directive.other_branch) {
      defined_.insert(word_at(rest));
    }
    if (opens || goes_on || name == "endif") directive.other_branch = false;
  }

  void next_branch(Branch& now, bool absent) {
    if (now.taken && now.absent && !absent) {  // the branches until here are not compiled
      for (std::size_t i = now.from; i + 1 < tokens_.size(); ++i) tokens_[i].other_branch = true;
      now.taken = false;
    }
    now.other = now.taken || absent;
    if (now.other) return;
    now.taken = true;
    now.absent = false;
  }

  // Whether a condition wants a name that neither the source nor a compiler defines, or that a name
  // be missing that the source has defined.
  bool asks_for_nothing(std::string_view directive, std::string_view condition) const {
    if (directive == "ifndef") return defined_.contains(word_at(condition));
    if (directive == "if") {
      if (!condition.starts_with("defined")) return false;
      condition.remove_prefix(7);
      while (!condition.empty() && (is_blank(condition.front()) || condition.front() == '('))
        condition.remove_prefix(1);
    }
    const std::string_view name = word_at(condition);
    std::string_view behind = condition.substr(name.size());
    while (!behind.empty() && (is_blank(behind.front()) || behind.front() == ')'))
      behind.remove_prefix(1);
    if (name.empty() || !behind.empty()) return false;
    const bool of_another = name.find("HIP") != name.npos;  // which compiles no CUDA
    const bool of_a_compiler =
        name.front() == '_' || name.find("CUDA") != name.npos || name.find("WIN32") != name.npos;
    return (of_another || !of_a_compiler) && !defined_.contains(name);
  }

  void take_token(char c) {
    const std::size_t from = at_;
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      add(Token::Kind::kQuoted, from, at_);
    } else if (is_word_part(c) && !is_digit(c)) {
      at_ += word_at(source_, at_).size();
      if (here() == '"' && source_[at_ - 1] == 'R' && at_ - from <= 3) {
        skip_raw();
        add(Token::Kind::kQuoted, from, at_);
        return;
      }
      add(Token::Kind::kWord, from, at_);
    } else if (is_digit(c) || (c == '.' && is_digit(here(1)))) {
      take_number(from);
    } else {
      at_ += sign_length();
      add(Token::Kind::kSign, from, at_);
    }
  }

  void take_number(std::size_t from) {
    while (is_word_part(here()) || here() == '.' || (here() == '\'' && is_word_part(here(1))) ||
           ((here() == '+' || here() == '-') && is_exponent(source_[at_ - 1], from))) {
      ++at_;
    }
    add(Token::Kind::kNumber, from, at_);
  }

  bool is_exponent(char c, std::size_t from) const {
    const bool hexadecimal = source_.substr(from, 2) == "0x" || source_.substr(from, 2) == "0X";
    return hexadecimal ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
  }

  std::size_t sign_length() const {
    for (const std::string_view sign : {"<<<", ">>>", "::", "->"}) {
      if (source_.substr(at_, sign.size()) == sign) return sign.size();
    }
    return 1;
  }

  void skip_quoted(char quote) {
    ++at_;
    while (at_ < source_.size() && here() != quote && here() != '\n') at_ += step_length();
    at_ = std::min(at_ + (here() == quote ? 1 : 0), source_.size());
  }

  void skip_raw() {
    const std::size_t open = source_.find('(', at_);
    if (open == source_.npos) {
      at_ = source_.size();
      return;
    }
    const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t found = source_.find(end, open);
    at_ = found == source_.npos ? source_.size() : found + end.size();
  }

  void add(Token::Kind kind, std::size_t from, std::size_t to) {
    to = std::min(to, source_.size());
    tokens_.push_back({kind, source_.substr(from, to - from), from, others_ > 0});
  }

  std::string_view source_;
  Comments comments_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<Branch> branches_;
  std::size_t others_ = 0;              // of branches_, that are not looked at
  std::set<std::string_view> defined_;  // by the source itself, or before it
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source, Comments comments,
                             const std::set<std::string_view>& defined) {
  return Splitter(source, comments, defined).all();
}

bool is_one_of(std::string_view words, std::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (auto at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

std::string_view directive_name(const Token& directive) {
  std::string_view text = directive.text;
  text.remove_prefix(std::min<std::size_t>(1, text.size()));
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return word_at(text);
}

std::string_view directive_rest(const Token& directive) {
  const std::string_view name = directive_name(directive);
  std::string_view text = directive.text;
  text.remove_prefix(static_cast<std::size_t>(name.data() - text.data()) + name.size());
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

void blank(std::string& text, std::size_t from, std::size_t to, const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kDirective || token.at < from || token.at >= to) continue;
    blank(text, from, token.at, {});
    from = token.at + token.text.size();
  }
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

}  // namespace tuner
