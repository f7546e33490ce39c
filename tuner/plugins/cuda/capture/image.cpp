// Reads symbols of cubins.

#include "tuner/plugins/cuda/capture/image.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace tuner::capture {
namespace {

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}

std::vector<Elf64_Shdr> sections_of(std::string_view bytes) {
  std::vector<Elf64_Shdr> out;
  const auto head = read_at<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return out;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    const auto one = read_at<Elf64_Shdr>(bytes, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!one) return {};
    out.push_back(*one);
  }
  return out;
}

std::string text_at(std::string_view bytes, const Elf64_Shdr& names, std::size_t place) {
  if (names.sh_offset > bytes.size() || place >= bytes.size() - names.sh_offset) return {};
  const std::string_view rest = bytes.substr(names.sh_offset + place);
  return std::string(rest.substr(0, rest.find('\0')));
}

// Each kernel has a section of its own: symbols of those in a namespace without a name are local.
std::vector<std::string> kernels_of(std::string_view bytes,
                                    const std::vector<Elf64_Shdr>& sections) {
  constexpr std::string_view kBegin = ".text.";
  std::vector<std::string> out;
  const auto head = read_at<Elf64_Ehdr>(bytes, 0);
  if (!head || head->e_shstrndx >= sections.size()) return out;
  for (const Elf64_Shdr& section : sections) {
    const std::string name = text_at(bytes, sections[head->e_shstrndx], section.sh_name);
    if (name.starts_with(kBegin)) out.push_back(name.substr(kBegin.size()));
  }
  return out;
}

}  // namespace

Image image_of(std::string bytes) {
  Image out{std::move(bytes), {}, {}};
  const std::vector<Elf64_Shdr> sections = sections_of(out.bytes);
  out.kernels = kernels_of(out.bytes, sections);
  for (const Elf64_Shdr& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[table.sh_link];
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(out.bytes, table.sh_offset + at);
      if (!symbol) return out;
      const bool is_object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
      if (is_object && symbol->st_size > 0) {
        out.variables.push_back(text_at(out.bytes, names, symbol->st_name));
      }
    }
  }
  return out;
}

}  // namespace tuner::capture
