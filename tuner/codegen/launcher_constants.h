#pragma once
// Constants in an exported launcher: given in each call, or set once and kept.

#include <cstddef>
#include <string>

#include "tuner/codegen/header_model.h"
#include "tuner/codegen/launcher_signature.h"

namespace tuner {

// In the header: the functions that set constants, and what they promise.
std::string constant_declarations(const LauncherSignature& signature);

// In the header's namespace: their bytes, as far as the names of a size decide them or nothing
// does.
std::string constant_numbers(const HeaderModel& model, const LauncherSignature& signature);

// Within the unnamed namespace: what writes the constant memory of each variant.
std::string constant_functions(const HeaderModel& model, const LauncherSignature& signature,
                               std::size_t variants);

// In the launcher's function: puts them into the stream, or returns with what is wrong.
std::string set_constants(const LauncherSignature& signature);

// The functions that the header declares.
std::string set_functions(const LauncherSignature& signature);

// In a function: `of`, the addresses of a function that each variant has.
std::string table_of_variants(const HeaderModel& model, std::size_t variants,
                              const std::string& type, const std::string& function);

}  // namespace tuner
