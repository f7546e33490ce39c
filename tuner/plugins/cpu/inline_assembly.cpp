// Reads the pieces of a text that are an assembly.

#include "tuner/plugins/cpu/inline_assembly.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tuner::cpu::inline_assembly {
namespace {

std::string decoded(std::string_view literal) {
  std::string out;
  const bool is_raw = literal.front() == 'R';
  const std::size_t open = literal.find(is_raw ? '(' : '"');
  const std::size_t close = literal.rfind(is_raw ? ')' : '"');
  if (open == literal.npos || close <= open) return out;
  const std::string_view inside = literal.substr(open + 1, close - open - 1);
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (is_raw || inside[at] != '\\' || at + 1 == inside.size()) {
      out += inside[at];
    } else {
      const char escaped = inside[++at];
      out += escaped == 'n' || escaped == 't' || escaped == 'r' || escaped == '\n' ? '\n' : escaped;
    }
  }
  return out;
}

}  // namespace

std::size_t behind_closing(const std::vector<Piece>& pieces, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < pieces.size(); ++at) {
    const std::string_view piece = pieces[at].text;
    depth += piece == "(" || piece == "[" || piece == "{";
    depth -= piece == ")" || piece == "]" || piece == "}";
    if (depth == 0) return at + 1;
  }
  return pieces.size();
}

std::string lines_in(std::string_view part) {
  std::string out;
  for (std::size_t at = part.find('\n'); at != part.npos; at = part.find('\n', at + 1)) {
    out += '\n';
    if (part.substr(at + 1, 2) == "# ") {
      out += part.substr(at + 1, std::min(part.find('\n', at + 1), part.size()) - at - 1);
    }
  }
  return out;
}

Assembly assembly_at(const std::string& text, const std::vector<Piece>& pieces, std::size_t open) {
  Assembly out;
  const std::size_t end = behind_closing(pieces, open) - 1;
  std::size_t section = 0;  // instructions, outputs, inputs, clobbers
  std::string name;
  for (std::size_t at = open + 1; at < end; ++at) {
    const std::string_view piece = pieces[at].text;
    if (piece == ":") {
      ++section;
    } else if (section == 0) {
      out.text += decoded(piece);
    } else if (piece == "[" && section < 3) {
      name = pieces[at + 1].text;
      at = behind_closing(pieces, at) - 1;
    } else if (piece == "(" && section < 3) {
      const std::size_t close = behind_closing(pieces, at) - 1, from = pieces[at].at + 1;
      out.operands.push_back({std::exchange(name, {}), text.substr(from, pieces[close].at - from)});
      if (section == 1) ++out.outputs;
      at = close;
    }
  }
  return out;
}

}  // namespace tuner::cpu::inline_assembly
