// Compiles a variant to the binary of its device.

#include "tuner/plugins/opencl/opencl_compiler.h"

#include <cstdlib>
#include <sstream>

namespace tuner::opencl {
namespace {

bool mentions(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) {
      return true;
    }
  }
  return false;
}

// "3.0" of "OpenCL C 3.0 ...", "1.2" of "CL1.2"; 0 where there is none.
double version_in(const std::string& text) {
  const std::size_t digit = text.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::strtod(text.c_str() + digit, nullptr);
}

std::string hint_for(const sdk::CompileRequest& request, const Device& device) {
  std::string hint = "note: " + device.name + " compiles " + device.c_version;
  if (!device.has_doubles && mentions(request.source, "double")) {
    hint += " and has no double precision";
  }
  return hint;
}

std::string name_of_source(const sdk::CompileRequest& request) {
  std::string name = request.source_name.empty() ? "kernel.cl" : request.source_name;
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\') c = '?';
  }
  return name;
}

}  // namespace

OpenClCompiler::OpenClCompiler() { cl_api(); }

std::string OpenClCompiler::identity() { return "OpenCL drivers, image 1"; }

OpenClCompiler::Target& OpenClCompiler::target(const std::string& arch) {
  if (const auto known = targets_.find(arch); known != targets_.end()) return known->second;
  for (Device& device : all_devices()) {
    // Without a device's facts, as for a check, the first will do.
    if (device.facts.arch != arch && arch.starts_with("opencl-")) continue;
    Context context = make_context(device);
    return targets_.emplace(arch, Target{std::move(device), std::move(context)}).first->second;
  }
  throw sdk::Error(TUNER_DEVICE_LOST, "the device that is compiled for is not here: " + arch);
}

std::string source_with_defines(const sdk::CompileRequest& request) {
  std::string out;
  for (const auto& [name, value] : request.defines) {
    out.append("#define ").append(name).append(" ").append(value).append("\n");
  }
  return out + "#line 1 \"" + name_of_source(request) + "\"\n" + request.source;
}

std::string with_places_in_source(const std::string& log, const sdk::CompileRequest& request) {
  const std::string text_name = "<kernel>:";
  const auto lines_before = static_cast<std::int64_t>(request.defines.size()) + 1;  // and #line
  std::istringstream lines(log);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(text_name)) {
      char* rest = nullptr;
      const std::int64_t number = std::strtoll(line.c_str() + text_name.size(), &rest, 10);
      if (number > lines_before) {
        line = name_of_source(request) + ":" + std::to_string(number - lines_before) + rest;
      }
    }
    out += line + '\n';
  }
  return out;
}

std::string build_options(const sdk::CompileRequest& request, const Device& device) {
  std::vector<std::string> words{"-cl-kernel-arg-info"};
  if (device.has_verbose_compiler) words.emplace_back("-cl-nv-verbose");
  words.insert(words.end(), request.options.begin(), request.options.end());
  for (const std::string& folder : request.include_dirs) words.push_back("-I" + folder);
  std::string out;
  for (const std::string& word : words) {
    const bool quoted = word.find(' ') != std::string::npos;
    out += (out.empty() ? "" : " ") + (quoted ? "\"" + word + "\"" : word);
  }
  return out;
}

std::string refusal_of(const sdk::CompileRequest& request, const Device& device) {
  if (!request.units.empty()) return "OpenCL C is compiled from one source, and these are several";
  if (!request.symbols.empty()) {
    return "OpenCL's '__constant' variables cannot be set: make '" + request.symbols.front() +
           "' an argument, '__constant T*'";
  }
  for (const std::string& option : request.options) {
    if (!option.starts_with("-cl-std=")) continue;
    if (version_in(option) <= version_in(device.c_version)) continue;
    return "the study asks for '" + option + "', and " + device.name + " compiles " +
           device.c_version;
  }
  return {};
}

std::int64_t registers_in(const std::string& log, const std::string& kernel) {
  const std::size_t entry = log.find("'" + kernel + "'");
  const std::size_t used = entry == std::string::npos ? entry : log.find("Used ", entry);
  if (used == std::string::npos) return -1;
  char* end = nullptr;
  const std::int64_t count = std::strtoll(log.c_str() + used + 5, &end, 10);
  return std::string_view(end).starts_with(" registers") ? count : -1;
}

std::string without_statistics(const std::string& log) {
  std::istringstream lines(log);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const bool counts = line.find("ptxas info") != std::string::npos ||
                        line.find(" bytes stack frame, ") != std::string::npos;
    if (!counts) out += line + '\n';
  }
  return out;
}

sdk::CompileResult OpenClCompiler::compile(const sdk::CompileRequest& request) {
  const Target& meant = target(request.arch);
  const Device& device = meant.device;
  sdk::CompileResult result;
  result.log = refusal_of(request, device);
  if (!result.log.empty()) return result;
  const Build build = build_source(meant.context.get(), device, source_with_defines(request),
                                   build_options(request, device));
  result.log = with_places_in_source(without_statistics(build.log), request);
  if (build.code != CL_SUCCESS) {
    if (classify(build.code, Phase::kCall) == TUNER_OUT_OF_MEMORY) {
      throw sdk::Error(TUNER_OUT_OF_MEMORY, describe(build.code, "clBuildProgram"));
    }
    if (result.log.empty()) result.log = describe(build.code, "clBuildProgram");
    result.log += (result.log.ends_with('\n') ? "" : "\n") + hint_for(request, device);
    return result;
  }
  Image image;
  const auto add = [&](const std::string& name) {
    const Kernel kernel = make_kernel(build.program.get(), name);
    image.kernels.push_back({name, arguments_of(kernel.get())});
    tuner_resources resources = resources_of(kernel.get(), device);
    resources.registers = registers_in(build.log, name);
    return resources;
  };
  result.entry = request.entry;
  result.resources = add(request.entry);
  for (const std::string& next : request.next_entries) result.next.push_back({next, add(next)});
  image.binary = binary_of(build.program.get());
  result.image = packed(image);
  result.compiled = true;
  return result;
}

}  // namespace tuner::opencl
