// Compiles variants with the host's C++ compiler.

#include "tuner/plugins/cpu/cpu_compiler.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "tuner/plugins/cpu/host_compiler.h"
#include "tuner/plugins/cpu/image.h"
#include "tuner/plugins/programs/host_backend.h"
#include "tuner/plugins/programs/host_function.h"

namespace tuner::cpu {
namespace {

// Floating point: products and sums may become one operation, as on a GPU; nothing sets errno.
// Sources reinterpret buffers freely (float4 from float, int from float), hence no strict aliasing.
const std::vector<std::string> kFlags = programs::words_of(
    "-O2 -march=native -fPIC -w -fvisibility=hidden -ffunction-sections -fno-rtti "
    "-fdata-sections -fno-exceptions -pipe -fno-strict-aliasing "
    "-fno-asynchronous-unwind-tables -fmax-errors=20 -fno-math-errno -fno-trapping-math "
    "-ffp-contract=fast");
// Only the entries are called from outside, and shared memory has no constructors.
const std::vector<std::string> kGccFlags = programs::words_of(
    "-fwhole-program -fno-extern-tls-init -fno-gnu-unique -fdiagnostics-color=never");
// Clang uses another assembler: its own does not report the files that it reads.
const std::vector<std::string> kClangFlags{"-fno-integrated-as"};
const std::vector<std::string> kLinkFlags =
    programs::words_of("-shared -nostdlib -Wl,--gc-sections -Wl,-z,defs -Wl,--build-id=none");

// A function of the host is as its author compiles it.
const std::vector<std::string> kFunctionFlags = programs::words_of(
    "-O2 -march=native -fPIC -pthread -fvisibility=hidden -pipe -fmax-errors=20");

// The file into which the compiler writes, as a make rule, what it has read.
constexpr const char* kRule = "variant.d";
constexpr const char* kPreprocessed = "variant.ii";
// And that of the assembler, which reads files, too.
constexpr const char* kAssemblersRule = "assembled.d";

std::vector<std::string> rule_options(const ScratchDirectory& scratch) {
  return {"-MF", scratch.file(kRule), "-MT", "variant"};
}

std::string find_compiler() {
  if (const char* chosen = std::getenv("TUNER_HOST_CXX"); chosen != nullptr && *chosen != '\0') {
    std::string path = find_program(chosen);
    if (!path.empty()) return path;
    throw sdk::Error(TUNER_UNSUPPORTED,
                     "TUNER_HOST_CXX is '" + std::string(chosen) + "', which cannot be executed");
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    std::string path = find_program(name);
    if (!path.empty()) return path;
  }
  throw sdk::Error(TUNER_UNSUPPORTED,
                   "no C++ compiler in PATH (c++, g++, clang++), and TUNER_HOST_CXX is not set");
}

void append(std::vector<std::string>& to, const std::vector<std::string>& what) {
  to.insert(to.end(), what.begin(), what.end());
}

// Storage for `extern __shared__` arrays, whatever their names and types: one area, the size of
// which is only known at launch.
std::string dynamic_shared_assembly(const std::set<std::string>& names) {
  std::string out = "\t.section .tbss,\"awT\",%nobits\n\t.balign 1024\n";
  for (const std::string& name : names) {
    out += "\t.globl ";
    out += name;
    out += "\n\t.hidden ";
    out += name;
    out += "\n\t.type ";
    out += name;
    out += ", %object\n";
    out += name;
    out += ":\n";
  }
  out += "\t.globl tuner_cpu_dynamic_shared\n\t.type tuner_cpu_dynamic_shared, %object\n";
  out += "tuner_cpu_dynamic_shared:\n\t.zero " + std::to_string(kMaxSharedBytes) + "\n";
  return out + "\t.section .note.GNU-stack,\"\",%progbits\n";
}

bool is_about_assembly(const std::string& log) {
  return log.find("asm") != std::string::npos || log.find("Assembler") != std::string::npos;
}

constexpr int kMostRounds = 12;  // in which declarations are left out

std::string text_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = text.size();
  for (const char c : text) hash = sdk::elements::splitmix(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

CpuCompiler::CpuCompiler() : path_(find_compiler()), flags_(kFlags) {
  remove_abandoned_scratch();
  ScratchDirectory scratch;
  if (run_child({path_, "--version"}, scratch, "version") != 0) {
    throw sdk::Error(TUNER_UNSUPPORTED, "'" + path_ + " --version' fails");
  }
  version_ = scratch.read("version");
  version_ = version_.substr(0, version_.find('\n'));
  append(flags_, version_.find("clang") == std::string::npos ? kGccFlags : kClangFlags);
  find_system_folders();
}

void CpuCompiler::find_system_folders() {
  const ScratchDirectory scratch;
  run_child({path_, "-E", "-v", scratch.write("empty.cpp", "")}, scratch, "search.log");
  system_folders_ = system_folders_in(scratch.read("search.log"));
}

std::string CpuCompiler::identity() {
  std::string all = stand_in_texts();
  for (const std::string& flag : flags_) all += " " + flag;
  for (const std::string& flag : kLinkFlags) all += " " + flag;
  for (const std::string& flag : kFunctionFlags) all += " " + flag;
  all += programs::host_function_source("", {});
  // -march=native: images of one processor need not run on another.
  return path_ + ", " + version_ + ", for " + programs::host_facts().name + ", runtime " +
         std::to_string(hash_of(all));
}

sdk::CompileResult CpuCompiler::compile(const sdk::CompileRequest& request) {
  sdk::CompileResult result;
  try {
    const ScratchDirectory scratch;
    if (request.is_host_function) {
      result.compiled = compile_host_function(request, scratch, result);
      result.entry = programs::kHostEntry;
      if (!result.compiled) excuse(result.log);
      return result;
    }
    if (!compile_object(request, scratch, result) || !link_image(scratch, result)) {
      excuse(result.log);
      return result;
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw sdk::Error(TUNER_DEVICE_LOST, std::string("temporary files: ") + error.what());
  }

  const std::uint64_t shared = static_shared_bytes(thread_local_symbols(result.image));
  if (shared > kMaxStaticSharedBytes) {
    result.log += "error: " + request.entry +
                  " uses too much static shared memory: " + std::to_string(shared) + " bytes, " +
                  std::to_string(kMaxStaticSharedBytes) + " are allowed\n";
    return result;
  }
  result.compiled = true;
  result.entry = entry_name(0);
  result.resources.static_shared_bytes = static_cast<std::int64_t>(shared);
  result.resources.max_threads = kMaxThreads;
  for (std::size_t i = 0; i < request.next_entries.size(); ++i) {
    result.next.push_back({entry_name(i + 1), result.resources});
  }
  for (std::size_t i = 0; i < request.symbols.size(); ++i) {
    result.symbols.emplace_back(request.symbols[i], symbol_name(i));
  }
  return result;
}

bool CpuCompiler::compile_host_function(const sdk::CompileRequest& request,
                                        const ScratchDirectory& scratch,
                                        sdk::CompileResult& result) const {
  const HostOptions options = translate_options(request.options);
  std::vector<std::string> arguments{path_};
  append(arguments, kFunctionFlags);
  append(arguments, options.arguments);
  for (const std::string& directory : request.include_dirs) arguments.push_back("-I" + directory);
  arguments.push_back(scratch.write(
      "variant.cpp", programs::host_function_source(definitions(request, options), request)));
  std::vector<std::string> command = arguments;
  for (const std::string& option : options.dropped) {
    if (programs::is_library(option) || option == "-fopenmp") {
      command.push_back(option);
    } else {
      result.log += "note: option '" + option + "' has no meaning for the cpu backend\n";
    }
  }
  append(command, {"-shared", "-o", scratch.file("variant.so"), "-MD"});
  append(command, rule_options(scratch));
  std::optional<std::vector<std::string>> linked(std::in_place);
  const int status = programs::link_function(
      command, scratch.file("variant.so"), scratch, "compiler.log",
      [&](const auto& words) { return run_child(words, scratch, "compiler.log"); }, linked);
  result.opened = opened_files(scratch, std::move(arguments));
  if (result.opened && linked) append(*result.opened, *linked);
  if (!linked) result.opened.reset();
  result.log += scratch.read("compiler.log");
  if (status == 0) result.image = scratch.read("variant.so");
  return status == 0;
}

bool CpuCompiler::compile_object(const sdk::CompileRequest& request,
                                 const ScratchDirectory& scratch,
                                 sdk::CompileResult& result) const {
  HostOptions options = translate_options(request.options);
  for (const std::string& option : options.dropped) {
    result.log += "note: option '" + option + "' has no meaning for the cpu backend\n";
  }
  std::string names = request.source;
  for (const std::string& header : options.headers) names += "\ninclude \"" + header;
  write_stand_ins(scratch, names, false);
  std::string log;
  bool compiled = compile_with_empty_headers(request, options, scratch, result.opened, log);
  // Only now, because a source may define these names in its own way, and most have no use for
  // them.
  while (!compiled && may_be_cured(log)) {
    const std::size_t before = options.system_headers.size();
    options.system_headers.insert(
        {kAnythingHeader, kMoreFunctionsHeader, kTexturesHeader, "utility"});
    if (is_about_assembly(log)) options.system_headers.emplace(kInlinePtxHeader);
    options.system_headers.merge(headers_missed_in(log));
    if (options.system_headers.size() == before) break;
    if (before == 0) write_stand_ins(scratch, names, true);
    compiled = compile_with_empty_headers(request, options, scratch, result.opened, log);
  }
  // Host code that nobody calls, in headers and around kernels, need not compile.
  std::string later = log;
  for (int round = 0; !compiled && round < kMostRounds; ++round) {
    const std::size_t before = options.broken.size();
    options.broken.merge(places_of_errors(later));
    if (options.broken.size() == before) break;
    compiled = compile_source(request, options, scratch, result.opened, later);
  }
  if (compiled || !options.missing.empty()) log = later;
  if (!compiled) log = in_one_sentence(options, std::move(log));
  result.log += log;
  return compiled;
}

// Headers of the toolkit's libraries are often included for host code alone.
bool CpuCompiler::compile_with_empty_headers(const sdk::CompileRequest& request,
                                             HostOptions& options, const ScratchDirectory& scratch,
                                             std::optional<std::vector<std::string>>& opened,
                                             std::string& log) const {
  for (std::set<std::string> known;;) {
    if (compile_source(request, options, scratch, opened, log)) return true;
    const std::string header = missing_header_in(log);
    if (header.empty() || !known.insert(header).second) return false;
    if (options.missing.empty()) options.missing = header;
    write_empty_headers(scratch, header, request.source);
  }
}

namespace {

// A second attempt reads what host code there is, which may throw and ask for types.
bool is_second(const HostOptions& options) { return !options.system_headers.empty(); }

}  // namespace

std::vector<std::string> CpuCompiler::arguments_for(const sdk::CompileRequest& request,
                                                    const HostOptions& options,
                                                    const ScratchDirectory& scratch) const {
  std::vector<std::string> arguments{path_};
  append(arguments, flags_);
  if (is_second(options)) append(arguments, {"-fexceptions", "-frtti"});
  append(arguments, options.arguments);
  append(arguments, stand_in_options(scratch));
  for (const std::string& directory : request.include_dirs) arguments.push_back("-I" + directory);
  arguments.push_back(scratch.write("variant.cpp", variant_source(request, options)));
  return arguments;
}

std::string CpuCompiler::preprocessed(std::vector<std::string> arguments,
                                      const ScratchDirectory& scratch) const {
  append(arguments, {"-E", "-o", scratch.file(kPreprocessed), "-MD"});
  append(arguments, rule_options(scratch));
  if (run_child(arguments, scratch, "compiler.log") != 0) return "";
  return scratch.read(kPreprocessed);
}

bool CpuCompiler::compile_source(const sdk::CompileRequest& request, const HostOptions& options,
                                 const ScratchDirectory& scratch,
                                 std::optional<std::vector<std::string>>& opened,
                                 std::string& log) const {
  std::vector<std::string> arguments = arguments_for(request, options, scratch);
  std::vector<std::string> command = arguments;
  const bool is_read = is_second(options) || !options.broken.empty();
  const std::string text = is_read ? preprocessed(arguments, scratch) : "";
  const auto text_of = [&](const std::string& file) {
    if (lies_in(file, scratch.path())) return std::string();  // a stand-in
    return file == request.source_name ? request.source : text_of_file(file);
  };
  std::string changed = with_host_code(without_declarations(text, options.broken, text_of));
  if (options.system_headers.contains(kInlinePtxHeader)) changed = with_inline_ptx(changed);
  if (changed != text) {  // its rule is there already
    command.back() = scratch.write(kPreprocessed, changed);
  } else {  // has better messages
    append(command, {"-MD"});
    append(command, rule_options(scratch));
  }
  append(command, {"-c", "-o", scratch.file("variant.o")});
  append(command, {"-Xassembler", "--MD", "-Xassembler", scratch.file(kAssemblersRule)});
  const int status = run_child(command, scratch, "compiler.log");
  opened = opened_files(scratch, std::move(arguments));
  log = scratch.read("compiler.log");
  if (status > 128) {
    log += "error: the compiler was ended by signal " + std::to_string(status - 128) + "\n";
  }
  return status == 0;
}

// Shortens a log to one sentence if the kernel needs a header, or an instruction of PTX, that there
// is none of here.
std::string CpuCompiler::in_one_sentence(const HostOptions& options, std::string log) {
  const std::string refusal = refusal_for(options.missing, log);
  if (!refusal.empty()) return "error: " + refusal + "\n";
  const std::size_t found = log.find(kNoInstruction);
  if (found == std::string::npos) return log;
  const std::size_t line = log.rfind('\n', found) + 1, place = log.find(": error:", line);
  const std::string sentence = log.substr(found, log.find('\n', found) - found);
  if (line > found || place > found) return "error: " + sentence + "\n";
  const std::string where = log.substr(line, log.rfind(':', place - 1) - line);
  return "error: " + sentence + " (" + where + ")\n";
}

std::optional<std::vector<std::string>> CpuCompiler::opened_files(
    const ScratchDirectory& scratch, std::vector<std::string> arguments) const {
  std::string rule = scratch.read(kRule);
  const std::vector<std::string> given = arguments;
  if (rule.empty()) {  // there is none for a source with errors, which may lie behind the includes
    append(arguments, {"-M"});
    append(arguments, rule_options(scratch));
    if (run_child(arguments, scratch, "dependencies.log") != 0) return std::nullopt;
    rule = scratch.read(kRule);
  }
  std::vector<std::string> out;
  for (std::string& file : dependencies_in(rule)) {
    if (!is_its_own(file, scratch, given)) out.push_back(std::move(file));
  }
  for (std::string& file : dependencies_in(scratch.read(kAssemblersRule))) {
    const bool is_there = std::filesystem::exists(file);  // unlike what lay between the two
    if (is_there && !is_its_own(file, scratch, given)) out.push_back(std::move(file));
  }
  if (rule.empty()) return std::nullopt;
  return out;
}

// A folder that was asked for is no system folder, wherever it lies.
bool CpuCompiler::is_its_own(const std::filesystem::path& file, const ScratchDirectory& scratch,
                             const std::vector<std::string>& arguments) const {
  if (lies_in(file, scratch.path())) return true;
  for (const std::string& argument : arguments) {
    if (argument.starts_with("-I") && lies_in(file, argument.substr(2))) return false;
  }
  return std::any_of(system_folders_.begin(), system_folders_.end(),
                     [&](const std::filesystem::path& folder) { return lies_in(file, folder); });
}

bool CpuCompiler::link_image(const ScratchDirectory& scratch, sdk::CompileResult& result) const {
  std::vector<std::string> arguments{path_};
  append(arguments, kLinkFlags);
  append(arguments, {"-o", scratch.file("variant.so"), (scratch.path() / "variant.o").string()});
  std::set<std::string> dynamic;
  for (const ThreadLocalSymbol& symbol : thread_local_symbols(scratch.read("variant.o"))) {
    if (!symbol.defined) dynamic.insert(symbol.name);
  }
  if (!dynamic.empty()) {
    arguments.push_back(scratch.write("dynamic.s", dynamic_shared_assembly(dynamic)));
  }
  // Host code may have objects of the C++ library, which are made before a kernel runs.
  const bool has_host_code = std::filesystem::exists(scratch.file(kPreprocessed));
  if (has_host_code) append(arguments, {"-Wl,--as-needed", "-lstdc++"});
  append(arguments, {"-lm", "-lc", "-lgcc"});
  const int status = run_child(arguments, scratch, "linker.log");
  result.log += scratch.read("linker.log");
  if (status == 0) result.image = scratch.read("variant.so");
  return status == 0;
}

}  // namespace tuner::cpu
