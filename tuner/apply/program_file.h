#pragma once
// The file of a program: can an object be preloaded into it?

#include <string>

namespace tuner {

// Why the loader preloads nothing into the program of this word, as a shell finds it; empty:
// nothing in the file is against it.
std::string why_not_preloaded(const std::string& word);

}  // namespace tuner
