// The symbols of a compiled file.

#include "tuner/plugins/programs/elf_symbols.h"

namespace tuner::programs {
namespace {

std::string text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const std::string_view rest = file.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

std::optional<Elf64_Ehdr> elf_header(std::string_view file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return std::nullopt;
  }
  const auto holds = [&](std::uint64_t begin, std::uint64_t bytes) {
    return begin <= file.size() && bytes <= file.size() - begin;
  };
  const bool is_whole = holds(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)) &&
                        holds(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
  return is_whole ? header : std::nullopt;
}

std::vector<ElfSymbol> elf_symbols(std::string_view file) {
  const auto header = elf_header(file);
  if (!header) return {};
  std::vector<ElfSymbol> out;
  const auto section = [&](std::uint64_t number) {
    return read_at<Elf64_Shdr>(file, header->e_shoff + number * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB) continue;
    const auto names = section(table->sh_link);
    if (!names) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(file, table->sh_offset + at);
      if (!symbol) return out;
      out.push_back({text_at(file, names->sh_offset + symbol->st_name),
                     ELF64_ST_TYPE(symbol->st_info), symbol->st_size,
                     symbol->st_shndx != SHN_UNDEF});
    }
  }
  return out;
}

}  // namespace tuner::programs
