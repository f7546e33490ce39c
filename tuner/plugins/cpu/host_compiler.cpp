// Speaks with the host's C++ compiler: translates options and source for it, and reads its
// messages.

#include "tuner/plugins/cpu/host_compiler.h"

#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cpu {

// ---- options ------------------------------------------------------------------------------------

namespace {

// Returns the value that follows `prefix`: in the same word, after '=', or the next word.
std::optional<std::string> value_after(std::string_view prefix,
                                       const std::vector<std::string>& options, std::size_t& i) {
  std::string_view option = options[i];
  if (!option.starts_with(prefix)) return std::nullopt;
  option.remove_prefix(prefix.size());
  const bool is_long = prefix.starts_with("--") || prefix == "-std" || prefix == "-include";
  if (option.empty()) return i + 1 < options.size() ? options[++i] : std::string();
  if (is_long) {
    if (option.front() != '=') return std::nullopt;
    option.remove_prefix(1);
  }
  return std::string(option);
}

std::optional<std::string> value_of(std::initializer_list<std::string_view> prefixes,
                                    const std::vector<std::string>& options, std::size_t& i) {
  for (const std::string_view prefix : prefixes) {
    if (auto value = value_after(prefix, options, i)) return value;
  }
  return std::nullopt;
}

bool is_one_of(std::string_view option, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (option == name) return true;
  }
  return false;
}

// Its own words, as they are.
bool is_host_compilers(std::string_view option) {
  if (option.starts_with("-march=") || option.starts_with("-mtune=")) return true;
  return is_one_of(
      option, {"-O0", "-O1", "-O2", "-O3", "-ffast-math", "-fno-fast-math", "-fno-finite-math-only",
               "-ffp-contract=off", "-ffp-contract=on", "-ffp-contract=fast"});
}

}  // namespace

HostOptions translate_options(const std::vector<std::string>& options) {
  HostOptions out;
  bool has_standard = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (const auto name = value_of({"--std", "-std"}, options, i)) {
      out.arguments.push_back("-std=" + *name);
      has_standard = true;
    } else if (const auto define = value_of({"--define-macro", "-D"}, options, i)) {
      const auto equals = define->find('=');
      out.defines.emplace_back(define->substr(0, equals),
                               equals == std::string::npos ? "1" : define->substr(equals + 1));
    } else if (const auto undefine = value_of({"--undefine-macro", "-U"}, options, i)) {
      out.undefines.push_back(*undefine);
    } else if (const auto directory =
                   value_of({"--include-path", "--include-directory", "--system-include", "-I",
                             "-isystem", "-iquote", "-idirafter"},
                            options, i)) {
      out.arguments.push_back("-I" + *directory);
    } else if (is_one_of(option, {"--use_fast_math", "-use_fast_math"})) {
      // Infinities keep their meaning, as they do on a GPU.
      out.arguments.insert(out.arguments.end(), {"-ffast-math", "-fno-finite-math-only"});
    } else if (is_one_of(option, {"--fmad=false", "-fmad=false"})) {
      out.arguments.emplace_back("-ffp-contract=off");
    } else if (const auto header = value_of({"--pre-include", "-include"}, options, i)) {
      out.headers.push_back(*header);
    } else if (is_host_compilers(option)) {
      out.arguments.push_back(option);
    } else if (is_one_of(option, {"-w", "--disable-warnings", "--fmad=true", "-fmad=true"})) {
      // So it is without them.
    } else {
      out.dropped.push_back(option);
    }
  }
  if (!has_standard) out.arguments.emplace_back("-std=c++17");  // NVRTC's own
  return out;
}

// ---- the source ---------------------------------------------------------------------------------

namespace {

using programs::definition;
using programs::line_directive;

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

std::string definitions(const sdk::CompileRequest& request, const HostOptions& options) {
  std::string out = line_directive("definitions");
  for (const auto& [name, replacement] : options.defines) out += definition(name, replacement);
  for (const std::string& name : options.undefines) out += "#undef " + name + "\n";
  for (const auto& [name, replacement] : request.defines) out += definition(name, replacement);
  for (const std::string& header : options.headers) out += "#include \"" + header + "\"\n";
  return out;
}

std::string entry_name(std::size_t number) { return "tuner_cpu_entry_" + std::to_string(number); }

std::string symbol_name(std::size_t number) { return "tuner_cpu_symbol_" + std::to_string(number); }

std::string variant_source(const sdk::CompileRequest& request, const HostOptions& options) {
  std::string out = "#line 1 \"cuda_on_cpu.h\"\n";
  out += kRuntimeHeader;
  for (const std::string& header : options.system_headers) out += "#include <" + header + ">\n";
  out += definitions(request, options);
  out += line_directive(request.source_name);
  out += request.source;
  for (const std::string& unit : request.units) {
    out += line_directive("sources") + "#include \"" + unit + "\"\n";
  }
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

// ---- what it misses -----------------------------------------------------------------------------

namespace {

struct SystemHeader {
  std::string_view file;
  std::string_view names;
};

constexpr SystemHeader kSystemHeaders[] = {
    {"sys/types.h",
     "uint ushort ulong u_char u_short u_int u_long u_int8_t u_int16_t u_int32_t u_int64_t ssize_t "
     "off_t"},
    {"stdint.h",
     "intmax_t uintmax_t INT8_MAX INT8_MIN UINT8_MAX INT16_MAX INT16_MIN UINT16_MAX INT32_MAX "
     "INT32_MIN UINT32_MAX INT64_MAX INT64_MIN UINT64_MAX SIZE_MAX"},
    {"cstdint", "uintptr_t intptr_t"},
    {"limits.h",
     "CHAR_BIT SCHAR_MAX UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX INT_MAX INT_MIN UINT_MAX LONG_MAX "
     "LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX"},
    {"float.h", "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON"},
    {"cmath",
     "INFINITY NAN HUGE_VAL HUGE_VALF MAXFLOAT M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 "
     "M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 abs sqrt fabs floor ceil exp log pow fmod "
     "sin cos tan tanh isnan isinf isfinite round trunc fma fmin fmax"},
    {"type_traits", "is_same enable_if conditional is_integral is_floating_point"},
    {"cstddef", "size_t ptrdiff_t nullptr_t offsetof"},
    {"stdlib.h", "EXIT_SUCCESS EXIT_FAILURE RAND_MAX exit malloc free"},
    {"stdio.h", "FILE EOF stdin stdout stderr fprintf"},
    {"string.h", "memcmp memmove strcmp strlen"},
    {"limits", "numeric_limits"},
    {"utility", "forward move swap pair make_pair"},
    {"algorithm", "min max"},
    {"vector", "vector"},
    {"string", "string to_string"},
    {"iostream", "cout cerr endl"},
    {kThrustHeader, "thrust"},
};

// Between quotation marks of any kind, as compilers name what is not there.
bool is_quoted(const std::string& log, std::string_view name) {
  for (auto at = log.find(name); at != std::string::npos; at = log.find(name, at + 1)) {
    const std::string_view before = std::string_view(log).substr(0, at);
    const std::string_view behind = std::string_view(log).substr(at + name.size());
    const bool opens = before.ends_with('\'') || before.ends_with("\u2018");
    if (opens && (behind.starts_with('\'') || behind.starts_with("\u2019"))) return true;
  }
  return false;
}

}  // namespace

std::set<std::string> headers_missed_in(const std::string& log) {
  std::set<std::string> headers;
  for (const SystemHeader& header : kSystemHeaders) {
    std::istringstream names{std::string(header.names)};
    for (std::string name; names >> name;) {
      if (is_quoted(log, name)) headers.emplace(header.file);
    }
  }
  return headers;
}

// ---- the files that it has read -----------------------------------------------------------------

namespace fs = std::filesystem;

std::vector<fs::path> system_folders_in(const std::string& messages) {
  std::vector<fs::path> folders;
  std::istringstream lines(messages);
  bool listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("End of search list")) listed = false;
    if (listed && line.starts_with(" ")) {
      std::error_code failed;
      const fs::path folder = fs::canonical(line.substr(1), failed);
      if (!failed && folder != "/usr/local/include") folders.push_back(folder);
    }
    if (line.starts_with("#include <...>")) listed = true;
  }
  return folders;
}

}  // namespace tuner::cpu
