#pragma once
// Names that other tuners give to search strategies that are here, too.

#include <string>

namespace tuner {

// "genetic" for Kernel Tuner's "genetic_algorithm"; any other name is its own.
std::string strategy_named(const std::string& name);

}  // namespace tuner
