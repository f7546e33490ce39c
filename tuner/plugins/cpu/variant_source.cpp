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

}  // namespace

std::string symbol_name(std::size_t number) { return "tuner_cpu_symbol_" + std::to_string(number); }

std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options) {
  std::string out = "#line 1 \"cuda_on_cpu.h\"\n";
  out += kRuntimeHeader;
  out += definitions(request, options);
  out += line_directive(request.source_name);
  out += request.source;
  out += line_directive("entry");
  out += "TUNER_CPU_EXPORT void tuner_cpu_entry(void** tuner_cpu_arguments) { tuner_cpu_enter((" +
         request.entry + "), tuner_cpu_arguments); }\n";
  out += "TUNER_CPU_EXPORT unsigned tuner_cpu_parameters(unsigned* tuner_cpu_out) {";
  out += " return tuner_cpu_sizes((" + request.entry + "), tuner_cpu_out); }\n";
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
