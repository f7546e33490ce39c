// Joins runtime header, definitions and source into what the host compiler sees.

#include "tuner/plugins/cpu/variant_source.h"

#include <algorithm>

namespace tuner::cpu {
namespace {

std::string line_directive(const std::string& name) {
  std::string out = "\n#line 1 \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out + "\"\n";
}

// A definition is one line, whatever its replacement holds.
std::string definition(const std::string& name, std::string replacement) {
  std::replace(replacement.begin(), replacement.end(), '\n', ' ');
  return "#define " + name + " " + replacement + "\n";
}

// Definitions stand behind the header, which they therefore cannot change.
std::string definitions(const sdk::CompileRequest& request, const HostOptions& options) {
  std::string out = line_directive("definitions");
  for (const auto& [name, replacement] : options.defines) out += definition(name, replacement);
  for (const std::string& name : options.undefines) out += "#undef " + name + "\n";
  for (const auto& [name, replacement] : request.defines) out += definition(name, replacement);
  return out;
}

std::string entry(std::size_t number, const std::string& kernel) {
  std::string out = "TUNER_CPU_EXPORT void " + entry_name(number);
  out +=
      "(void** tuner_cpu_arguments) { tuner_cpu_enter((" + kernel + "), tuner_cpu_arguments); }\n";
  out +=
      "TUNER_CPU_EXPORT unsigned " + entry_name(number) + "_parameters(unsigned* tuner_cpu_out) {";
  out += " return tuner_cpu_sizes((" + kernel + "), tuner_cpu_out); }\n";
  return out;
}

}  // namespace

std::string entry_name(std::size_t number) { return "tuner_cpu_entry_" + std::to_string(number); }

std::string symbol_name(std::size_t number) { return "tuner_cpu_symbol_" + std::to_string(number); }

std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options) {
  std::string out = "#line 1 \"cuda_on_cpu.h\"\n";
  out += kRuntimeHeader;
  out += definitions(request, options);
  out += line_directive(request.source_name);
  out += request.source;
  out += line_directive("entry");
  out += entry(0, request.entry);
  for (std::size_t i = 0; i < request.next_entries.size(); ++i) {
    out += line_directive("entry " + request.next_entries[i]);
    out += entry(i + 1, request.next_entries[i]);
  }
  for (std::size_t i = 0; i < request.symbols.size(); ++i) {
    const std::string& symbol = request.symbols[i];
    out += line_directive("symbol " + symbol);
    out += "TUNER_CPU_EXPORT tuner_cpu_symbol ";
    out += symbol_name(i);
    out += " = {(void*)&(";
    out += symbol;
    out += "), sizeof(";
    out += symbol;
    out += ")};\n";
  }
  return out;
}

}  // namespace tuner::cpu
