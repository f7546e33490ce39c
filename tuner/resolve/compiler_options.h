#pragma once
// The compiler options that a study may name. They are nvcc's, and some of the host's compilers.
// All others are refused: a study is data, so its options write no file, load nothing and run
// nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/expression/expression.h"
#include "tuner/model/study.h"

namespace tuner {

struct OptionFault {
  std::size_t text = 0;  // which of the texts
  std::string message;   // what is wrong
  std::string allowed;
};

std::string to_text(const OptionFault& fault);  // in one line

using CompilerOptions = Expected<std::vector<std::string>, OptionFault>;

// Options as compilers read them, one a word and spelled as they were. A text may hold several of
// them, or none, and the value of one may be the next text.
CompilerOptions compiler_options(const std::vector<std::string>& texts);

// The study's compiler options with these names (bindings_of()), one a word. The error names what
// no study may say.
Expected<std::vector<std::string>, std::string> resolved_options(const Study& study,
                                                                 const Bindings& names);

// Splits options like compiler_options(), but before {NAME} is put in: what a name stands for is
// not judged.
CompilerOptions unresolved_options(const std::vector<std::string>& texts);

// Words as above: those that mean something to a compiler that reads such options, and those that
// do not. A compiler with options of its own gets all.
std::vector<std::string> meant_options(std::vector<std::string> words, std::uint32_t dialect,
                                       bool is_launcher = false);
std::vector<std::string> idle_options(std::vector<std::string> words, std::uint32_t dialect,
                                      bool is_launcher = false);

}  // namespace tuner
