// Finds nvcc, runs it, and reads its messages and the list of files that it has read.

#include "tuner/plugins/cuda/nvcc_compiler.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/plugins/cuda/cubin_names.h"
#include "tuner/plugins/cuda/nvcc_words.h"
#include "tuner/plugins/cuda/ptxas_log.h"
#include "tuner/plugins/cuda/toolkit.h"
#include "tuner/plugins/programs/host_function.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cuda {

// ---- the compiler -------------------------------------------------------------------------------

namespace {

namespace filesystem = std::filesystem;

std::string find_nvcc() {
  std::vector<std::string> places;
  for (const filesystem::path& toolkit : toolkits()) {
    places.push_back((toolkit / "bin" / "nvcc").string());
  }
  places.insert(places.end() - 1, "nvcc");  // PATH comes before the customary place
  for (const std::string& place : places) {
    std::string path = programs::find_program(place);
    if (!path.empty()) return path;
  }
  throw sdk::Error(TUNER_UNSUPPORTED,
                   "no nvcc in $CUDA_HOME/bin, $CUDA_PATH/bin, PATH and /usr/local/cuda/bin");
}

// The host's compiler, whose preprocessor and headers nvcc takes.
std::string host_compiler() {
  const char* chosen = std::getenv("NVCC_CCBIN");
  std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "gcc";
  std::error_code ignored;
  if (filesystem::is_directory(name, ignored)) name += "/gcc";
  return programs::find_program(name);
}

std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) != std::string::npos) return line;
  }
  return {};
}

// Runs a program with --version and returns the line that has `word`; empty: there is none.
std::string version_of(const std::string& program, const std::string& word) {
  const programs::ScratchDirectory scratch;
  if (programs::run_child({program, "--version"}, scratch, "version") != 0) return {};
  return line_with(scratch.read("version"), word);
}

// Messages speak of the source, not of a file that is gone when they are read.
std::string in_the_users_words(const std::string& log, const std::string& file,
                               const std::string& source_name) {
  std::string out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (auto at = line.find(file); at != std::string::npos; at = line.find(file, at)) {
      line.replace(at, file.size(), source_name);
      at += source_name.size();
    }
    out += line + "\n";
  }
  return out;
}

bool is_a_systems(const std::string& path) {
  for (const char* folder : {"/usr/include", "/usr/lib", "/usr/lib64"}) {
    if (programs::lies_in(path, folder)) return true;
  }
  return false;
}

std::vector<std::string> all_names(const sdk::CompileRequest& request) {
  std::vector<std::string> names{request.entry};
  names.insert(names.end(), request.next_entries.begin(), request.next_entries.end());
  names.insert(names.end(), request.symbols.begin(), request.symbols.end());
  return names;
}

// Adds the options for which a message of nvcc asks by their names: a build file that was not read
// may have them. Whether there was any.
bool add_asked_options(const std::string& log, NvccOptions& options) {
  bool added = false;
  for (const std::string option : {"--extended-lambda", "--expt-relaxed-constexpr"}) {
    const bool is_there = std::ranges::count(options.arguments, option) > 0;
    if (is_there || log.find(option) == std::string::npos) continue;
    options.arguments.push_back(option);
    added = true;
  }
  return added;
}

std::string marked_source(const sdk::CompileRequest& request, const NvccOptions& options) {
  std::string text =
      options.definitions + programs::line_directive(request.source_name) + request.source + "\n";
  const std::vector<std::string> names = all_names(request);
  for (std::size_t i = 0; i < names.size(); ++i) text += name_marker(i, names[i]);
  return text;
}

}  // namespace

NvccCompiler::NvccCompiler() : path_(find_nvcc()) {
  programs::remove_abandoned_scratch();
  std::error_code ignored;
  const filesystem::path real = filesystem::canonical(path_, ignored);
  toolkit_ = (ignored ? filesystem::path(path_) : real).parent_path().parent_path().string();
  const std::string own = version_of(path_, "release");
  if (own.empty()) throw sdk::Error(TUNER_UNSUPPORTED, "'" + path_ + " --version' fails");
  const std::string host = host_compiler();
  if (host.empty()) {
    throw sdk::Error(TUNER_UNSUPPORTED,
                     "nvcc needs a host compiler: there is no gcc in PATH, and "
                     "NVCC_CCBIN names none");
  }
  const auto number = own.find(", V");
  const programs::ScratchDirectory scratch;
  require_harmless("nvcc is", path_);
  require_harmless("nvcc's host compiler is", host);
  require_harmless("the folder for temporary files is", scratch.path().string());
  identity_ = "nvcc " + (number == std::string::npos ? own : own.substr(number + 3)) + ", host " +
              version_of(host, "");
}

sdk::CompileResult NvccCompiler::compile(const sdk::CompileRequest& request) {
  sdk::CompileResult result;
  result.opened.emplace();
  NvccOptions options = nvcc_options(request);
  try {
    const Scratch scratch;
    if (request.is_host_function) return host_function(request, options, scratch);
    bool good = build(request, options, scratch, result);
    if (!good && add_asked_options(result.log, options)) {
      result.log.clear();
      good = build(request, options, scratch, result);
    }
    if (!good) {
      programs::excuse(result.log);
      result.log = parse_ptxas_log(result.log, "").rest;
      if (result.log.find("requires separate compilation mode") != std::string::npos) {
        result.log += "kernels launch kernels with 'options: [-rdc=true]'\n";
      }
      if (result.log.empty()) result.log = "nvcc failed, and said nothing";
      return result;
    }
    result.image = scratch.read("variant.cubin");
  } catch (const filesystem::filesystem_error& error) {
    throw sdk::Error(TUNER_DEVICE_LOST, std::string("temporary files: ") + error.what());
  }
  const std::vector<std::string> symbols = symbols_in(result.image);
  const std::vector<std::string> asked = all_names(request);
  std::vector<std::string> lowered;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    lowered.push_back(marked_symbol(i, symbols));
    if (!lowered.back().empty()) continue;
    result.log = "'" + asked[i] + "' has no symbol of its own in what nvcc made";
    return result;
  }
  result.compiled = true;
  result.entry = lowered.front();
  PtxasLog log = parse_ptxas_log(result.log, result.entry);
  result.resources = log.resources;
  const std::size_t entries = 1 + request.next_entries.size();
  for (std::size_t i = 1; i < entries; ++i) {
    result.next.push_back({lowered[i], parse_ptxas_log(result.log, lowered[i]).resources});
  }
  for (std::size_t i = entries; i < asked.size(); ++i) {
    result.symbols.emplace_back(asked[i], lowered[i]);
  }
  result.log = std::move(log.rest);
  return result;
}

bool NvccCompiler::build(const sdk::CompileRequest& request, const NvccOptions& options,
                         const Scratch& scratch, sdk::CompileResult& result) const {
  const Form cubin{{"-cubin", "-Xptxas=-v"}, ".cubin"};
  std::vector<std::string> names{"variant"};
  bool good = translate(request, options, marked_source(request, options), "variant", cubin,
                        scratch, result);
  for (std::size_t i = 0; good && i < request.units.size(); ++i) {
    names.push_back("unit" + std::to_string(i));
    const std::string text = options.definitions + "#include \"" + request.units[i] + "\"\n";
    good = translate(request, options, text, names.back(), cubin, scratch, result);
  }
  return good && (!options.links || link(names, options.arch, scratch, result));
}

sdk::CompileResult NvccCompiler::host_function(const sdk::CompileRequest& request,
                                               const NvccOptions& options,
                                               const Scratch& scratch) const {
  sdk::CompileResult result;
  result.opened.emplace();
  Form form{{"-c", "-Xcompiler=-fPIC,-fvisibility=hidden"}, ".o"};
  const auto says_level = [](const std::string& option) { return option.starts_with("-O"); };
  if (std::ranges::none_of(options.arguments, says_level)) form.arguments.emplace_back("-O2");
  std::vector<std::string> link{path_, "-shared", "-o", scratch.file("variant.so")};
  const std::string text = programs::host_function_source(options.definitions, request);
  bool good = translate(request, options, text, "variant", form, scratch, result);
  link.push_back(scratch.file("variant.o"));
  link.push_back("-arch=" + options.arch);
  HarmlessFolders folders(scratch);
  for (const std::string& one : options.library_folders)
    link.push_back("-L" + folders.name_of(one));
  link.insert(link.end(), options.libraries.begin(), options.libraries.end());
  if (good) {
    const auto run = [&](const auto& words) { return run_nvcc(words, scratch, "link.log"); };
    good = programs::link_function(link, scratch.file("variant.so"), scratch, "link.log", run,
                                   result.opened) == 0;
    result.log += folders.undone(scratch.read("link.log"));
  }
  result.compiled = good;
  result.entry = programs::kHostEntry;
  if (good) result.image = scratch.read("variant.so");
  if (!good) programs::excuse(result.log);
  if (!good && result.log.empty()) result.log = "nvcc failed, and said nothing";
  return result;
}

bool NvccCompiler::translate(const sdk::CompileRequest& request, const NvccOptions& options,
                             const std::string& text, const std::string& name, const Form& form,
                             const Scratch& scratch, sdk::CompileResult& result) const {
  const std::string source = scratch.write(name + ".cu", text);
  const std::string rule = name + ".d";
  std::vector<std::string> command{path_};
  command.insert(command.end(), form.arguments.begin(), form.arguments.end());
  command.push_back("-arch=" + options.arch);
  if (options.links) command.emplace_back("-rdc=true");
  HarmlessFolders folders(scratch);
  for (const std::string& one : options.folders) command.push_back("-I" + folders.name_of(one));
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  command.insert(command.end(), {"-MD", "-MF", scratch.file(rule), "-o",
                                 scratch.file(name + form.ending), source});
  const int status = run_nvcc(command, scratch, name + ".log");
  result.log +=
      in_the_users_words(folders.undone(scratch.read(name + ".log")), source, request.source_name);
  if (status > 128) {
    result.log += "error: nvcc was ended by signal " + std::to_string(status - 128) + "\n";
  }
  std::vector<std::string> read = programs::dependencies_in(scratch.read(rule));
  for (std::string& file : read) file = folders.undone(std::move(file));
  add_opened(request, options, read, scratch, result);
  return status == 0;
}

// Without a rule for one of the texts it is not known what all of them have read.
void NvccCompiler::add_opened(const sdk::CompileRequest& request, const NvccOptions& options,
                              const std::vector<std::string>& read, const Scratch& scratch,
                              sdk::CompileResult& result) const {
  if (read.empty()) result.opened.reset();
  if (!result.opened) return;
  for (const std::string& file : read) {
    // The names in #line directives are in it, too.
    if (file == request.source_name || file == "entry" || file == "definitions" || file == "caller")
      continue;
    if (programs::lies_in(file, scratch.path())) continue;
    const bool is_asked = std::ranges::any_of(options.folders, [&](const std::string& folder) {
      return programs::lies_in(file, folder);
    });
    const bool is_its_own = programs::lies_in(file, toolkit_) || is_a_systems(file);
    if (is_asked || !is_its_own) result.opened->push_back(file);
  }
}

bool NvccCompiler::link(const std::vector<std::string>& names, const std::string& arch,
                        const Scratch& scratch, sdk::CompileResult& result) const {
  const filesystem::path bin = filesystem::path(path_).parent_path();
  std::vector<std::string> command{(bin / "nvlink").string(), "-arch=" + arch};
  for (const std::string& name : names) command.push_back(scratch.file(name + ".cubin"));
  std::error_code ignored;
  const filesystem::path library = filesystem::path(toolkit_) / "lib64" / "libcudadevrt.a";
  if (filesystem::exists(library, ignored)) command.push_back(library.string());
  command.insert(command.end(), {"-o", scratch.file("linked.cubin")});
  const int status = programs::run_child(command, scratch, "link.log");
  std::string log = scratch.read("link.log");
  for (const std::string& name : names) {
    log = in_the_users_words(log, scratch.file(name + ".cubin"), name);
  }
  result.log += log;
  if (status == 0) filesystem::rename(scratch.file("linked.cubin"), scratch.file("variant.cubin"));
  return status == 0;
}

}  // namespace tuner::cuda
