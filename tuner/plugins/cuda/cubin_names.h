#pragma once
// Which symbol of a cubin a name expression means. nvcc does not say it, so the source that it gets
// has a marker for each expression: an empty kernel with the expression's address as its argument.

#include <cstddef>
#include <string>
#include <vector>

namespace tuner::cuda {

// The lines behind a source that make the marker of the number-th expression. What the expression
// names is instantiated by that. `expression` stands in line 1 of "entry".
std::string name_marker(std::size_t number, const std::string& expression);

// The names of all symbols in a 64-bit ELF image; empty where it is none.
std::vector<std::string> symbols_in(const std::string& image);

// The symbol that the number-th expression means; empty: there is none.
std::string marked_symbol(std::size_t number, const std::vector<std::string>& symbols);

}  // namespace tuner::cuda
