// Overwrites a part of a source.

#include "tuner/source/blanks.h"

namespace tuner {

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
