#pragma once
// What the host's C++ compiler is told of a variant, and what it says: its options, the source
// that it gets to see, and the files that it has read.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cpu {

using programs::dependencies_in;
using programs::lies_in;

// A study's compiler options, which are NVRTC's, in the host compiler's words.
struct HostOptions {
  std::vector<std::string> arguments;                        // for the host compiler
  std::vector<std::pair<std::string, std::string>> defines;  // name, replacement
  std::vector<std::string> undefines;
  std::vector<std::string> headers;        // included before the source
  std::set<std::string> system_headers{};  // before the definitions, too
  std::vector<std::string> dropped;        // without a meaning here
};

HostOptions translate_options(const std::vector<std::string>& options);

// Those of the options and of the request. They stand behind the header, which they therefore
// cannot change.
std::string definitions(const sdk::CompileRequest& request, const HostOptions& options);

std::string entry_name(std::size_t number);   // lowered name of the number-th kernel, from 0
std::string symbol_name(std::size_t number);  // lowered name of the number-th asked symbol

// What the host compiler gets to see: the header, the definitions, the source with its own name
// and line numbers, and the entries.
std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options);

// The system's headers that define what a compilation has missed. nvcc knows these names without an
// include, because it includes such headers by itself.
std::set<std::string> headers_missed_in(const std::string& log);

// The folders of its own headers, from what it prints for -v: those where it looks without being
// told to, except /usr/local/include, where users put theirs.
std::vector<std::filesystem::path> system_folders_in(const std::string& messages);

}  // namespace tuner::cpu
