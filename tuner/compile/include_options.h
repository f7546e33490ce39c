#pragma once
// Compiler options that say which files are read.

#include <string>
#include <vector>

namespace tuner {

// The same options with "-I DIR" and its like, which may come as two words, as one. Compilers are
// given this form, so that they and the scan of the source see the same folders.
std::vector<std::string> joined_include_options(const std::vector<std::string>& options);

// The folders that options in any form add to where includes are looked up.
std::vector<std::string> include_dirs_in(const std::vector<std::string>& options);

// How far files that an option brings in are known.
enum class Reach {
  kScanned,   // the scan of the source finds all
  kReported,  // it takes the compiler's own word: a forced include, an #include named by a macro
  kUnknown,   // nobody says
};
Reach reach_of(const std::vector<std::string>& options);

}  // namespace tuner
