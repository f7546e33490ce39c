#pragma once
// NVRTC's options in the words of the host compiler.

#include <string>
#include <utility>
#include <vector>

namespace tuner::cpu {

// A study's compiler options, which are NVRTC's, in the host compiler's words.
struct HostOptions {
  std::vector<std::string> arguments;                        // for the host compiler
  std::vector<std::pair<std::string, std::string>> defines;  // name, replacement
  std::vector<std::string> undefines;
  std::vector<std::string> dropped;  // without a meaning here
};

HostOptions translate_options(const std::vector<std::string>& options);

}  // namespace tuner::cpu
