#pragma once
// A reader of the text between the parentheses of asm(): instructions, and expressions that are
// operands.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/cpu/host_compiler.h"

namespace tuner::cpu::inline_assembly {

struct Operand {
  std::string name;  // of "[name] "=r"(x)"; empty: it has none
  std::string expression;
};

struct Assembly {
  std::string text;  // of its instructions
  std::vector<Operand> operands;
  std::size_t outputs = 0;  // of the operands, the first
};

// The index behind what closes the parenthesis at `open`.
std::size_t behind_closing(const std::vector<Piece>& pieces, std::size_t open);

// Returns the line ends of a part of the text, with the line markers in it.
std::string lines_in(std::string_view part);

// Reads the assembly whose parenthesis is at `open` among the pieces of the text.
Assembly assembly_at(const std::string& text, const std::vector<Piece>& pieces, std::size_t open);

}  // namespace tuner::cpu::inline_assembly
