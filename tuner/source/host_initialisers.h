#pragma once
// Finds code that the host runs before anything of a source is called.

#include <string>
#include <vector>

namespace tuner {

// Names of variables at namespace scope, and static ones of classes, whose first value takes code
// of the host: a lambda, a call, a constructor. With attributes that have a function called when a
// program is loaded ("constructor"), and assembly outside of functions ("asm"). What is constexpr,
// a number, a list of numbers, or put together from these is none.
std::vector<std::string> host_initialisers_in(const std::string& source);

}  // namespace tuner
