#pragma once
// Blanks in place of a part of a source, so that no line or column moves.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/source/tokens.h"

namespace tuner {

// Blanks for [from, to) of `text`; its line ends stay, and the directives among `tokens`.
void blank(std::string& text, std::size_t from, std::size_t to, const std::vector<Token>& tokens);

}  // namespace tuner
