#pragma once
// What the host compiler gets to see of a variant.

#include <string>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cpu/host_options.h"

namespace tuner::cpu {

// The CUDA-on-CPU header as one text without inclusions.
extern const char* const kRuntimeHeader;

std::string entry_name(std::size_t number);   // lowered name of the number-th kernel, from 0
std::string symbol_name(std::size_t number);  // lowered name of the number-th asked symbol

// What the host compiler gets to see: the header, the definitions, the source with its own name
// and line numbers, and the entries.
std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options);

}  // namespace tuner::cpu
