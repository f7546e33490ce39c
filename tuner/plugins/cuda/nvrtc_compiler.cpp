// Finds NVRTC, compiles with it, and reads its log.

#include "tuner/plugins/cuda/nvrtc_compiler.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "tuner/plugins/cuda/dynamic_library.h"
#include "tuner/plugins/cuda/opened_files.h"
#include "tuner/plugins/cuda/stand_in_headers.h"
#include "tuner/plugins/cuda/toolkit.h"
#include "tuner/plugins/programs/child_process.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cuda {

// ---- its functions ------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

// Candidates for dlopen: sonames for the loader's own search, then the toolkits and packages.
std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> out{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                               "libnvrtc.so"};
  for (const fs::path& toolkit : toolkits()) {
    if (const fs::path file = nvrtc_of(toolkit); !file.empty()) out.push_back(file.string());
  }
  return out;
}

}  // namespace

NvrtcApi load_nvrtc() {
  const auto library = [] {
    try {
      return DynamicLibrary::open_first(nvrtc_candidates());
    } catch (const sdk::Error& error) {
      throw sdk::Error(TUNER_UNSUPPORTED, std::string(error.what()) +
                                              "; $CUDA_HOME names a toolkit, and the Python "
                                              "package nvidia-cuda-nvrtc has it, too");
    }
  }();
  NvrtcApi api;
#define TUNER_ROW(member, function) \
  api.member = reinterpret_cast<decltype(api.member)>(library.require(#function));
  TUNER_NVRTC_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
#define TUNER_ROW(member, function) \
  api.member = reinterpret_cast<decltype(api.member)>(library.find(#function));
  TUNER_NVRTC_PREAMBLE_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  api.file = DynamicLibrary::file_of(reinterpret_cast<const void*>(api.version));
  return api;
}

std::vector<std::string> toolkit_includes(const NvrtcApi& api) {
  std::error_code ignored;
  std::vector<fs::path> roots;
  // <toolkit>/lib64/libnvrtc.so.13 or <toolkit>/targets/x86_64-linux/lib/libnvrtc.so.13
  const fs::path file = fs::canonical(api.file, ignored);
  if (!ignored) roots.push_back(file.parent_path().parent_path());
  for (const fs::path& toolkit : toolkits()) roots.push_back(toolkit);
  for (const fs::path& root : roots) {
    const fs::path include = root / "include";
    if (!fs::exists(include / "cuda_fp16.h", ignored)) continue;
    std::vector<std::string> out{include.string()};
    // Since CUDA 13 the C++ libraries (<cuda/std/...>, <cub/...>) have a folder of their own, as
    // they have among the Python packages of CUDA 12.
    for (const fs::path& folder :
         {include / "cccl", root.parent_path() / "cuda_cccl" / "include"}) {
      if (fs::exists(folder, ignored)) out.push_back(folder.string());
    }
    return out;
  }
  return {};
}

// ---- the compiler -------------------------------------------------------------------------------

namespace {

// An NVRTC program; destroyed with the scope.
class Program {
 public:
  Program(const NvrtcApi& api, const sdk::CompileRequest& request, bool has_toolkit) : api_(api) {
    const std::string name = request.source_name.empty() ? "kernel.cu" : request.source_name;
    const auto headers = stand_in_headers(request, has_toolkit);
    std::vector<const char*> names;
    std::vector<const char*> texts;
    for (const auto& [header, text] : headers) {
      names.push_back(header.c_str());
      texts.push_back(text.c_str());
    }
    check(api_.create_program(&program_, request.source.c_str(), name.c_str(),
                              static_cast<int>(headers.size()), texts.data(), names.data()));
  }
  ~Program() { api_.destroy_program(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add_name(const std::string& expression) {
    check(api_.add_name_expression(program_, expression.c_str()));
  }

  nvrtcResult compile_entries(const sdk::CompileRequest& request,
                              const std::vector<std::string>& options) {
    // Also for plain names: it finds kernels that are not extern "C".
    add_name(request.entry);
    for (const std::string& entry : request.next_entries) add_name(entry);
    for (const std::string& symbol : request.symbols) add_name("&" + symbol);
    return compile(options);
  }

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> raw;
    for (const std::string& option : options) raw.push_back(option.c_str());
    return api_.compile_program(program_, static_cast<int>(raw.size()), raw.data());
  }

  std::string lowered(const std::string& expression) const {
    const char* name = nullptr;
    const nvrtcResult result = api_.get_lowered_name(program_, expression.c_str(), &name);
    if (result != NVRTC_SUCCESS || name == nullptr) {
      throw sdk::Error(TUNER_INVALID, "'" + expression + "' has no lowered name: " +
                                          api_.get_error_string(result));
    }
    return name;
  }

  nvrtcResult precompiled() const { return api_.get_pch_create_status(program_); }
  std::size_t heap_required() const {
    std::size_t bytes = 0;
    api_.get_pch_heap_size_required(program_, &bytes);
    return bytes;
  }

  std::string log() const { return text(api_.get_log_size, api_.get_log); }

  std::string image() const {
    std::string cubin = text(api_.get_cubin_size, api_.get_cubin);
    return cubin.empty() ? text(api_.get_ptx_size, api_.get_ptx) : cubin;
  }

 private:
  template <typename Size, typename Get>
  std::string text(Size size_of, Get get) const {
    std::size_t size = 0;
    if (size_of(program_, &size) != NVRTC_SUCCESS || size == 0) return {};
    std::string out(size, '\0');
    return get(program_, out.data()) == NVRTC_SUCCESS ? out : std::string();
  }

  void check(nvrtcResult result) const {
    if (result == NVRTC_SUCCESS) return;
    throw sdk::Error(TUNER_INVALID, std::string("NVRTC: ") + api_.get_error_string(result));
  }

  const NvrtcApi& api_;
  nvrtcProgram program_ = nullptr;
};

const std::string kVerbose = "--ptxas-options=-v";

bool mentions(const std::vector<std::string>& options, const char* what) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return option.find(what) != std::string::npos;
  });
}

std::vector<std::string> options_for(const sdk::CompileRequest& request,
                                     const std::vector<std::string>& toolkit) {
  std::vector<std::string> out{kVerbose};
  // A study may ask for more than the device's name says: sm_90a has instructions that sm_90 lacks.
  if (!mentions(request.options, "-arch")) out.push_back("--gpu-architecture=" + request.arch);
  if (!mentions(request.options, "-std=")) out.emplace_back("--std=c++17");
  for (const auto& [name, value] : request.defines) out.push_back("-D" + name + "=" + value);
  for (const std::string& dir : request.include_dirs) out.push_back("-I" + dir);
  for (const std::string& dir : toolkit) out.push_back("-I" + dir);
  out.insert(out.end(), request.options.begin(), request.options.end());
  return out;
}

// Translates options that NVRTC spells otherwise than nvcc.
sdk::CompileRequest in_nvrtcs_words(sdk::CompileRequest request) {
  std::erase(request.options, "-arch=native");  // the device's own
  std::erase(request.options, "--gpu-architecture=native");
  for (std::string& option : request.options) {
    for (const std::string_view head : {"-isystem", "-iquote", "-idirafter", "--system-include=",
                                        "--include-directory=", "--include-path="}) {
      if (option.starts_with(head)) option = "-I" + option.substr(head.size());
    }
  }
  // It stands in messages and in files of the compiler, each of which is a line.
  for (char& c : request.source_name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  }
  return request;
}

// Repeats a compilation without verbosity, for its log: a verbose ptxas does not print its errors
// ("uses too much shared data").
std::string quiet_log(const NvrtcApi& api, const sdk::CompileRequest& request, bool has_toolkit,
                      std::vector<std::string> options) {
  Program program(api, request, has_toolkit);
  std::erase(options, kVerbose);
  program.compile(options);
  return parse_ptxas_log(program.log(), "").rest;
}

bool complains_of_host_code(const std::string& log) {
  return log.find("host functions are not allowed in JIT mode") != std::string::npos ||
         log.find("host variables are not allowed") != std::string::npos;
}

// Says "entry(1)", as for nvcc, of the file that NVRTC makes of name expressions.
void name_entry(std::string& log) {
  static const std::string kFile = "__nv_name_map(2)";
  for (auto at = log.find(kFile); at != std::string::npos; at = log.find(kFile, at)) {
    log.replace(at, kFile.size(), "entry(1)");
  }
}

// Fills in what a program has become that compiles.
void take(const Program& program, const sdk::CompileRequest& request, sdk::CompileResult& result) {
  result.compiled = true;
  result.image = program.image();
  result.entry = program.lowered(request.entry);
  for (const std::string& symbol : request.symbols) {
    result.symbols.emplace_back(symbol, program.lowered("&" + symbol));
  }
  PtxasLog log = parse_ptxas_log(program.log(), result.entry);
  result.resources = log.resources;
  for (const std::string& entry : request.next_entries) {
    const std::string lowered = program.lowered(entry);
    result.next.push_back({lowered, parse_ptxas_log(program.log(), lowered).resources});
  }
  result.log = std::move(log.rest);
}

// The toolkit's headers are NVRTC's own, unless the study looks for includes there.
std::vector<std::string> without_toolkit(std::vector<std::string> files,
                                         const sdk::CompileRequest& request,
                                         const std::vector<std::string>& toolkit) {
  std::vector<std::string> asked = request.include_dirs;
  for (const std::string& option : request.options) {
    if (option.starts_with("-I")) asked.push_back(option.substr(2));
  }
  const auto in_one_of = [](const std::string& file, const std::vector<std::string>& folders) {
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return programs::lies_in(file, folder); });
  };
  std::erase_if(files, [&](const std::string& file) {
    return in_one_of(file, toolkit) && !in_one_of(file, asked);
  });
  return files;
}

// Without the variables of the environment that NVRTC takes options from: these must stand in the
// study, whose options are part of a result's identity.
NvrtcApi load_without_environment() {
  for (const char* name : {"NVRTC_APPEND_FLAGS", "NVRTC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",
                           "NVCC_PREPEND_FLAGS", "EDG_BASE", "EDG_MODULES_PATH"}) {
    ::unsetenv(name);
  }
  return load_nvrtc();
}

}  // namespace

NvrtcCompiler::NvrtcCompiler()
    : api_(load_without_environment()),
      includes_(toolkit_includes(api_)),
      watched_(watch_library_of(reinterpret_cast<const void*>(api_.version))) {}

std::string NvrtcCompiler::identity() {
  int major = 0;
  int minor = 0;
  api_.version(&major, &minor);
  // Patch releases share version and file name; their size tells them apart at no cost.
  std::error_code ignored;
  const auto size = std::filesystem::file_size(api_.file, ignored);
  return "nvrtc " + std::to_string(major) + "." + std::to_string(minor) + " (" +
         std::to_string(ignored ? 0 : size) + " bytes), headers " + stand_in_revision();
}

// Headers of another toolkit than NVRTC's may be why something does not compile.
std::string NvrtcCompiler::note_of_versions() const {
  int major = 0;
  int minor = 0;
  api_.version(&major, &minor);
  const std::string own = std::to_string(major) + "." + std::to_string(minor);
  const std::string headers = includes_.empty() ? "" : version_of_headers(includes_.front());
  if (headers.empty() || headers == own) return {};
  return "\nnote: NVRTC is of CUDA " + own + " (" + api_.file + "), the headers are of CUDA " +
         headers + " (" + includes_.front() + ")";
}

sdk::CompileResult NvrtcCompiler::compile(const sdk::CompileRequest& given) {
  if (!given.units.empty()) {
    throw sdk::Error(TUNER_INVALID, "NVRTC takes one source: several are compiled by nvcc");
  }
  const sdk::CompileRequest request = in_nvrtcs_words(given);
  const OpenedFiles opened;
  sdk::CompileResult result;
  const std::string key = preamble_key(request);
  const bool is_known = preamble_ && preamble_->key == key;
  // The second variant makes it: of the first it is known then whether it pays.
  if (is_known && preamble_->split && !preamble_->file && !make_preamble(opened)) {
    preamble_->split.reset();
    preamble_->file.reset();
  }
  const bool is_behind = is_known && preamble_->file && build_behind(request, result);
  if (!is_behind) build(request, result);
  if (!watched_) return result;
  std::vector<std::string> files = opened.files();
  if (is_behind) files.insert(files.end(), preamble_->opened.begin(), preamble_->opened.end());
  if (!is_known && api_.get_pch_create_status != nullptr && result.compiled) {
    preamble_ = Preamble{key, request, result, split_for_preamble(request, files)};
  }
  result.opened = without_toolkit(std::move(files), request, includes_);
  return result;
}

void NvrtcCompiler::build(const sdk::CompileRequest& request, sdk::CompileResult& result) const {
  std::vector<std::string> options = options_for(request, includes_);
  auto program = std::make_unique<Program>(api_, request, !includes_.empty());
  nvrtcResult status = program->compile_entries(request, options);
  const auto again = [&] {
    program = std::make_unique<Program>(api_, request, !includes_.empty());
    status = program->compile_entries(request, options);
  };
  // Only now, because a source may define these names in its own way. What one header lacks shows
  // once it is there.
  std::set<std::string> headers;
  while (status != NVRTC_SUCCESS) {
    const std::size_t before = headers.size();
    for (const std::string& header : headers_missed_in(program->log(), !includes_.empty())) {
      if (headers.insert(header).second) options.push_back("--pre-include=" + header);
    }
    if (headers.size() == before) break;
    again();
  }
  // nvcc would compile unmarked functions for the host. Here they may as well be device code, as
  // constexpr ones and those of included files are meant to be; what is marked keeps its meaning.
  if (status != NVRTC_SUCCESS && complains_of_host_code(program->log())) {
    options.emplace_back("--device-as-default-execution-space");
    again();
  }
  if (status == NVRTC_ERROR_OUT_OF_MEMORY) {
    throw sdk::Error(TUNER_OUT_OF_MEMORY, "NVRTC: out of memory");
  }
  if (status != NVRTC_SUCCESS) {
    result.log = parse_ptxas_log(program->log(), "").rest;
    if (result.log.find(" error") == result.log.npos) {  // a file may have that name
      result.log = quiet_log(api_, request, !includes_.empty(), options);
    }
    name_entry(result.log);
    if (result.log.empty()) result.log = std::string("NVRTC: ") + api_.get_error_string(status);
    if (const auto hint = missing_header_hint(result.log, !includes_.empty()); !hint.empty()) {
      result.log += "\n" + hint;
    }
    result.log += note_of_versions();
    return;
  }
  take(*program, request, result);
}

// ---- its headers, once for all variants ---------------------------------------------------------

bool NvrtcCompiler::precompile(const std::string& file) const {
  // Each of many workers keeps a file of this order: they must not fill the disk for others.
  constexpr std::uintmax_t kRoom = std::uintmax_t{16} << 30;
  std::error_code ignored;
  if (fs::space(fs::path(file).parent_path(), ignored).available < kRoom || ignored) return false;
  const sdk::CompileRequest request = preamble_request(preamble_->first, *preamble_->split, file);
  for (bool is_first : {true, false}) {
    Program program(api_, request, !includes_.empty());
    if (program.compile(options_for(request, includes_)) != NVRTC_SUCCESS) return false;
    if (program.precompiled() == NVRTC_SUCCESS) return true;
    if (!is_first || program.precompiled() != NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED) return false;
    if (api_.set_pch_heap_size(program.heap_required()) != NVRTC_SUCCESS) return false;
  }
  return false;
}

// Whether the first variant becomes what it has become without.
bool NvrtcCompiler::is_as_without() const {
  sdk::CompileResult behind;
  if (!build_behind(preamble_->first, behind)) return false;
  const sdk::CompileResult& plain = preamble_->of_first;
  return behind.image == plain.image && behind.log == plain.log && behind.entry == plain.entry &&
         behind.symbols == plain.symbols;
}

bool NvrtcCompiler::make_preamble(const OpenedFiles& opened) {
  try {
    const programs::ScratchDirectory scratch;
    const std::string file = scratch.file("preamble.pch");
    if (!precompile(file)) return false;
    preamble_->file = std::make_unique<NamelessFile>(file);
  } catch (const std::system_error&) {  // no room for it, which is no reason to compile nothing
    return false;
  }
  preamble_->opened = opened.files();
  return is_worth_a_preamble(preamble_->opened) &&
         !depends_on_definitions(preamble_->first, *preamble_->split, preamble_->opened,
                                 stand_in_headers(preamble_->first, !includes_.empty())) &&
         is_as_without();
}

bool NvrtcCompiler::build_behind(const sdk::CompileRequest& request,
                                 sdk::CompileResult& result) const {
  const sdk::CompileRequest behind =
      behind_preamble(request, preamble_->file->path(), *preamble_->split);
  Program program(api_, behind, !includes_.empty());
  // A failure is explained by a compilation without it; one that could not use it says so.
  if (program.compile_entries(behind, options_for(behind, includes_)) != NVRTC_SUCCESS ||
      program.log().find("precompiled header") != std::string::npos) {
    return false;
  }
  take(program, behind, result);
  return true;
}

}  // namespace tuner::cuda
