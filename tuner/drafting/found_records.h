#pragma once
// Structs of a source, member by member.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

struct FoundMember {
  std::string name;
  std::string type;        // as a study says it: "float32", "float4", a struct's name, "pointer"
  std::string pointee;     // of a pointer: its elements' type in C
  std::int64_t count = 1;  // of an array's elements; 1: it is none
  bool is_number = false;  // neither a pointer nor a struct
  int lanes = 1;           // of a vector
};

using FoundRecord = std::vector<FoundMember>;

struct NamesOfTypes {
  const std::map<std::string, std::string>& aliases;
  const std::map<std::string, std::int64_t>& numbers;         // that extents may be
  const std::map<std::string, std::vector<Token>>& computed;  // of them
  const std::map<std::string, FoundRecord>& records;          // those above
};

// Of the body of a struct. None where its layout is not seen: unions, bits, virtual functions,
// members of types that are not known.
std::optional<FoundRecord> record_of(Tokens body, const NamesOfTypes& names);

}  // namespace tuner
