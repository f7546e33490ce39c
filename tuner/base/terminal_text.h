#pragma once
// Text of studies, recordings and drivers made safe to show: files keep it as it is.

#include <string>
#include <string_view>

namespace tuner {

// With a blank for every character that a terminal would obey or that would tear a table apart:
// control characters (those of one byte, and U+0080 to U+009F), marks that turn the direction of
// writing, and bytes that are no UTF-8. Nothing else changes.
std::string for_terminal(std::string_view text);

// The same, but lines stay lines.
std::string lines_for_terminal(std::string_view text);

}  // namespace tuner
