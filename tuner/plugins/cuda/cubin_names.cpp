// Finds the symbols that markers point at, by their demangled names.

#include "tuner/plugins/cuda/cubin_names.h"

#include <cxxabi.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

namespace tuner::cuda {
namespace {

std::string marker_name(std::size_t number) { return "tuner_name_" + std::to_string(number); }

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

// nvcc puts static variables into a namespace of the file where they are arguments of templates,
// and nowhere else: "_INTERNAL_fc3cd7b4_4_k_cu_plain::limit".
std::string without_file_scope(std::string text) {
  constexpr std::string_view kScope = "_INTERNAL_";
  for (std::size_t at = text.find(kScope); at != std::string::npos; at = text.find(kScope, at)) {
    const std::size_t end = text.find("::", at);
    if (end == std::string::npos) break;
    text.erase(at, end + 2 - at);
  }
  return text;
}

// Reads structures from an image that may be cut short or foreign.
class Image {
 public:
  explicit Image(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T out;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return out;
  }

  std::string text_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    return bytes_.substr(offset, bytes_.find('\0', offset) - offset);
  }

 private:
  const std::string& bytes_;
};

}  // namespace

std::string name_marker(std::size_t number, const std::string& expression) {
  const std::string name = marker_name(number);
  return "\ntemplate <typename tuner_type, tuner_type tuner_value> __global__ void " + name +
         "() {}\n#line 1 \"entry\"\ntemplate __global__ void " + name + "<decltype(&(" +
         expression + ")), &(" + expression + ")>();\n";
}

std::vector<std::string> symbols_in(const std::string& bytes) {
  const Image image(bytes);
  const auto head = image.at<Elf64_Ehdr>(0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return {};
  std::vector<std::string> out;
  const auto section = [&](std::uint64_t number) {
    return image.at<Elf64_Shdr>(head->e_shoff + number * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB) continue;
    const auto names = section(table->sh_link);
    if (!names) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = image.at<Elf64_Sym>(table->sh_offset + at);
      if (!symbol) return out;
      const bool named = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ||
                         ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
      if (named) out.push_back(image.text_at(names->sh_offset + symbol->st_name));
    }
  }
  return out;
}

std::string marked_symbol(std::size_t number, const std::vector<std::string>& symbols) {
  const std::string name = marker_name(number);
  const std::string head = "_Z" + std::to_string(name.size()) + name + "I";
  std::string marker;
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with(head)) marker = without_file_scope(demangled(symbol));
  }
  if (marker.empty()) return {};
  std::string as_c;  // one that is extern "C" has no types in its own name
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with(head)) continue;
    const std::string own = demangled(symbol);
    if (marker.ends_with(", &(" + own + ")>()") || marker.ends_with(", &" + own + ">()")) {
      return symbol;
    }
    if (own == symbol && marker.find(", &(" + own + "(") != std::string::npos) as_c = symbol;
  }
  return as_c;
}

}  // namespace tuner::cuda
