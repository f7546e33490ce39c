#pragma once
// The parts of the page that are the same for every report: the files of the folder page, embedded
// when the program is built. In page.html, words that begin with TUNER_ stand for the other parts.

#include <string_view>

namespace tuner {

extern const std::string_view kPageText;    // page.html
extern const std::string_view kStyleText;   // style.css
extern const std::string_view kScriptText;  // all .js files, in the order in which they run

}  // namespace tuner
