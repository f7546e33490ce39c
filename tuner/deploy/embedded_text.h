#pragma once
// The texts that exports are made of, the files of the folders cpp, and how what depends on a study
// is filled into them.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// A file of these folders as it was when the program was built ("choice.hpp"), or numbers.hpp of
// expression.
std::string_view embedded_text(std::string_view name);

// Texts that replace the words and lists of a text.
struct Filling {
  std::map<std::string, std::string, std::less<>> words{};
  std::map<std::string, std::vector<Filling>, std::less<>> lists{};
};

// Fills in `text`: TUNER_ before one of the words stands for it, others stay as they are. These
// lines are no text:
//   //each LIST ... //end          once for each item, whose words and lists go before those around
//   //if NAME ... //else ... //end where the word or the list NAME is not empty
//   //part FILE                    that text, filled likewise
// A backslash at the end of a line of text takes away the end.
std::string filled(std::string_view text, const Filling& with);

// Joins what `spell` makes of each of the values, with `between` between them.
template <typename Values, typename Spell>
std::string joined(const Values& values, const Spell& spell, std::string_view between = ", ") {
  std::string out;
  for (const auto& value : values) {
    if (!out.empty()) out += between;
    out += spell(value);
  }
  return out;
}

}  // namespace tuner
