// Finds the symbols that markers point at, by their demangled names.

#include "tuner/plugins/cuda/cubin_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "tuner/plugins/programs/elf_symbols.h"

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

// Whether the marker's argument is this function. One of a namespace may come without parameters,
// which then stand in its type only: "<void (*)(float*), &ns::k>()" is "ns::k(float*)".
bool points_at(const std::string& marker, const std::string& function) {
  if (marker.ends_with(", &(" + function + ")>()") || marker.ends_with(", &" + function + ">()")) {
    return true;
  }
  for (auto at = function.find('('); at != std::string::npos; at = function.find('(', at + 1)) {
    const std::string type = "<void (*)" + function.substr(at);
    if (marker.ends_with(type + ", &" + function.substr(0, at) + ">()")) return true;
  }
  return false;
}

}  // namespace

std::string name_marker(std::size_t number, const std::string& expression) {
  const std::string name = marker_name(number);
  return "\ntemplate <typename tuner_type, tuner_type tuner_value> __global__ void " + name +
         "() {}\n#line 1 \"entry\"\ntemplate __global__ void " + name + "<decltype(&(" +
         expression + ")), &(" + expression + ")>();\n";
}

std::vector<std::string> symbols_in(const std::string& bytes) {
  std::vector<std::string> out;
  for (programs::ElfSymbol& symbol : programs::elf_symbols(bytes)) {
    const bool named = symbol.type == STT_FUNC || symbol.type == STT_OBJECT;
    if (named) out.push_back(std::move(symbol.name));
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
    if (points_at(marker, own)) return symbol;
    if (own == symbol && marker.find(", &(" + own + "(") != std::string::npos) as_c = symbol;
  }
  return as_c;
}

}  // namespace tuner::cuda
