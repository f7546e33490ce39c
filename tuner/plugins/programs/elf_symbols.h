#pragma once
// The symbols of a compiled file.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::programs {

// Reads the value at an offset of a file, which may be cut short or foreign; nothing: the file ends
// before it.
template <typename T>
std::optional<T> read_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

struct ElfSymbol {
  std::string name;
  int type = 0;  // STT_FUNC, STT_OBJECT, STT_TLS, ...
  std::uint64_t bytes = 0;
  bool defined = false;
};

// The header of a 64-bit ELF file; none of anything else, or of one that its tables stand out of.
std::optional<Elf64_Ehdr> elf_header(std::string_view file);

// None where it is no 64-bit ELF file. Where a table is cut short, those before the cut.
std::vector<ElfSymbol> elf_symbols(std::string_view file);

}  // namespace tuner::programs
