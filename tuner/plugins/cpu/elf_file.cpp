// Reads sections and symbols of thread-local variables from object files.

#include "tuner/plugins/cpu/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tuner/plugin/sdk.h"

namespace tuner::cpu {
namespace {

constexpr std::array<std::string_view, 6> kBuiltIns{
    "threadIdx", "blockIdx",           "blockDim",
    "gridDim",   "tuner_cpu_services", "tuner_cpu_dynamic_shared"};

template <typename T>
T at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) {
    throw sdk::Error(TUNER_INVALID, "the image is cut short");
  }
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

Elf64_Ehdr header_of(std::string_view file) {
  if (file.size() < sizeof(Elf64_Ehdr) || file.substr(0, SELFMAG) != ELFMAG ||
      file[EI_CLASS] != ELFCLASS64) {
    throw sdk::Error(TUNER_INVALID, "the image is not a 64-bit ELF file");
  }
  return at<Elf64_Ehdr>(file, 0);
}

void collect(std::string_view file, const Elf64_Shdr& table, const Elf64_Shdr& names,
             std::vector<ThreadLocalSymbol>& out) {
  for (std::uint64_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = at<Elf64_Sym>(file, table.sh_offset + i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS) continue;
    at<char>(file, names.sh_offset + symbol.st_name);
    const std::string_view rest = file.substr(names.sh_offset + symbol.st_name);
    out.push_back({std::string(rest.substr(0, rest.find('\0'))), symbol.st_size,
                   symbol.st_shndx != SHN_UNDEF});
  }
}

}  // namespace

std::vector<ThreadLocalSymbol> thread_local_symbols(std::string_view file) {
  const Elf64_Ehdr header = header_of(file);
  std::vector<ThreadLocalSymbol> out;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto names = at<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    collect(file, section, names, out);
  }
  return out;
}

std::uint64_t thread_local_bytes(std::string_view file) {
  const Elf64_Ehdr header = header_of(file);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_TLS) return segment.p_memsz;
  }
  return 0;
}

std::uint64_t static_shared_bytes(const std::vector<ThreadLocalSymbol>& symbols) {
  std::uint64_t total = 0;
  for (const ThreadLocalSymbol& symbol : symbols) {
    if (!symbol.defined ||
        std::find(kBuiltIns.begin(), kBuiltIns.end(), symbol.name) != kBuiltIns.end()) {
      continue;
    }
    total += (symbol.bytes + 15) / 16 * 16;
  }
  return total;
}

}  // namespace tuner::cpu
