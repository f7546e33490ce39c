// Reads the symbols of cubins, which are ELF files.

#include "tuner/apply/module_variables.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace tuner {
namespace {

class Image {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {
    const auto head = read<Elf64_Ehdr>(0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
    names_ = head->e_shstrndx;
    for (unsigned i = 0; i < head->e_shnum; ++i) {
      const auto one = read<Elf64_Shdr>(head->e_shoff + i * sizeof(Elf64_Shdr));
      if (!one) break;
      sections_.push_back(*one);
    }
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }
  // The text at this place of a section of names.
  std::string_view text(std::size_t section, std::size_t place) const {
    if (section >= sections_.size()) return {};
    const std::size_t begin = sections_[section].sh_offset + place;
    if (begin >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(begin);
    return rest.substr(0, rest.find('\0'));
  }
  template <typename T>
  std::optional<T> read(std::size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return std::nullopt;
    T out;
    std::memcpy(&out, bytes_.data() + at, sizeof out);
    return out;
  }
  // Whether there are zeros alone, as where the file has no bytes at all.
  bool is_zero(const Elf64_Shdr& section, const Elf64_Sym& symbol) const {
    const std::size_t begin = section.sh_offset + symbol.st_value;
    if (section.sh_type == SHT_NOBITS || begin > bytes_.size()) return true;
    return std::ranges::all_of(bytes_.substr(begin, symbol.st_size), [](char c) { return c == 0; });
  }

 private:
  std::string_view bytes_;
  std::size_t names_ = 0;
  std::vector<Elf64_Shdr> sections_;
};

// Names that the compiler makes begin with '$' or '.'. Variables of C++'s and the toolkit's
// libraries are empty objects and constants.
bool is_of_source(std::string_view name) {
  constexpr std::string_view kOfLibraries[] = {"4cuda3std", "N4cuda3__4", "6thrust", "3cub",
                                               "18cooperative_groups"};
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return !name.empty() && name.front() != '$' && name.front() != '.' &&
         !name.starts_with("_ZNSt") && std::ranges::none_of(kOfLibraries, has);
}

}  // namespace

std::string unset_variable(const std::string& bytes) {
  const Image image(bytes);
  for (const Elf64_Shdr& table : image.sections()) {
    if (table.sh_type != SHT_SYMTAB) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = image.read<Elf64_Sym>(table.sh_offset + at);
      if (!symbol) return {};
      const bool is_object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size > 0;
      if (!is_object || symbol->st_shndx >= image.sections().size()) continue;
      const Elf64_Shdr& section = image.sections()[symbol->st_shndx];
      const std::string_view place = image.name(section);
      if (place != ".nv.constant3" && !place.starts_with(".nv.global")) continue;
      const std::string_view name = image.text(table.sh_link, symbol->st_name);
      if (is_of_source(name) && image.is_zero(section, *symbol)) return std::string(name);
    }
  }
  return {};
}

}  // namespace tuner
