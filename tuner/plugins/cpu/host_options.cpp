// Translates a study's compiler options for the host compiler.

#include "tuner/plugins/cpu/host_options.h"

#include <optional>
#include <string_view>

namespace tuner::cpu {
namespace {

// What follows `prefix`: in the same word, after '=', or the next word.
std::optional<std::string> value_after(std::string_view prefix,
                                       const std::vector<std::string>& options, std::size_t& i) {
  std::string_view option = options[i];
  if (!option.starts_with(prefix)) return std::nullopt;
  option.remove_prefix(prefix.size());
  const bool is_long = prefix.starts_with("--") || prefix == "-std";
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
    } else if (const auto directory = value_of({"--include-path", "-I"}, options, i)) {
      out.arguments.push_back("-I" + *directory);
    } else if (is_one_of(option, {"--use_fast_math", "-use_fast_math"})) {
      // Infinities keep their meaning, as they do on a GPU.
      out.arguments.insert(out.arguments.end(), {"-ffast-math", "-fno-finite-math-only"});
    } else if (is_one_of(option, {"--fmad=false", "-fmad=false"})) {
      out.arguments.emplace_back("-ffp-contract=off");
    } else if (is_one_of(option, {"-O0", "-O1", "-O2", "-O3"})) {
      out.arguments.push_back(option);
    } else {
      out.dropped.push_back(option);
    }
  }
  if (!has_standard) out.arguments.emplace_back("-std=c++17");  // NVRTC's own
  return out;
}

}  // namespace tuner::cpu
