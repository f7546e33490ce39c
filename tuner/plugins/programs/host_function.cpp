// A host function as a variant: what its source gets, and the module that is made of it.

#include "tuner/plugins/programs/host_function.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "tuner/plugins/programs/make_rule.h"

namespace tuner::programs {
namespace {

// Deduces from the function what it takes: the study's arguments need not be repeated in C++.
// Parameters that are references take what they refer to.
constexpr const char* kCaller = R"(
#include <cstdio>
#include <exception>
namespace tuner_host {
template <typename T> struct bare { typedef T type; };
template <typename T> struct bare<T&> { typedef T type; };
template <typename T> struct bare<T&&> { typedef T type; };
template <unsigned... I> struct places {};
template <unsigned N, unsigned... I> struct places_to : places_to<N - 1, N - 1, I...> {};
template <unsigned... I> struct places_to<0, I...> { typedef places<I...> type; };
template <typename R, typename... A, unsigned... I>
int call(R (*f)(A...), void* const* a, places<I...>) {
  return static_cast<int>(f(static_cast<A>(*static_cast<typename bare<A>::type*>(a[I]))...));
}
template <typename... A, unsigned... I>
int call(void (*f)(A...), void* const* a, places<I...>) {
  f(static_cast<A>(*static_cast<typename bare<A>::type*>(a[I]))...);
  return 0;
}
template <typename R, typename... A>
int run(R (*f)(A...), void* const* a) {
  return call(f, a, typename places_to<sizeof...(A)>::type());
}
template <typename R, typename... A>
unsigned sizes(R (*)(A...), unsigned* out) {
  const unsigned all[] = {static_cast<unsigned>(sizeof(typename bare<A>::type))..., 0};
  for (unsigned i = 0; out && i < sizeof...(A); ++i) out[i] = all[i];
  return sizeof...(A);
}
inline int status_of(int status, char* why, unsigned long room) {
#ifdef __CUDACC__
  if (status) std::snprintf(why, room, "%s", cudaGetErrorString(static_cast<cudaError_t>(status)));
#endif
  (void)why, (void)room;
  return status;
}
}
)";

constexpr const char* kEntry = R"(
extern "C" __attribute__((visibility("default"))) int tuner_host_entry(void* const* tuner_arguments,
    char* tuner_why, unsigned long tuner_room) {
  try {
    return tuner_host::status_of(tuner_host::run(&TUNER_HOST_FUNCTION, tuner_arguments), tuner_why,
                                 tuner_room);
  } catch (const std::exception& error) {
    std::snprintf(tuner_why, tuner_room, "it throws: %s", error.what());
  } catch (...) {
    std::snprintf(tuner_why, tuner_room, "it throws");
  }
  return -1;
}
extern "C" __attribute__((visibility("default"))) unsigned tuner_host_parameters(unsigned* out) {
  return tuner_host::sizes(&TUNER_HOST_FUNCTION, out);
}
)";

}  // namespace

namespace {

// One that is never executed itself, which hardened systems insist on (vm.memfd_noexec); kernels
// before 6.3 do not know that flag.
int memory_file(const char* name) {
  constexpr unsigned kNoExec = 8;  // MFD_NOEXEC_SEAL
  const int file = memfd_create(name, MFD_CLOEXEC | kNoExec);
  return file < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : file;
}

}  // namespace

std::string host_function_source(const std::string& definitions,
                                 const sdk::CompileRequest& request) {
  return definitions + line_directive(request.source_name) + request.source +
         line_directive("caller") + kCaller + line_directive("entry") +
         "#define TUNER_HOST_FUNCTION " + request.entry + kEntry;
}

bool is_library(const std::string& option) {
  return option.starts_with("-L") || option.starts_with("--library") ||
         (option.starts_with("-l") && option != "-lineinfo");
}

// ---- libraries ----------------------------------------------------------------------------------

namespace {

constexpr const char* kLinked = "linked.d";  // the linker's make rule
constexpr const char* kLoaded = "loaded";    // what the loader lists

// The dynamic loader of this process: it lists what it would load, and runs none of it.
std::string loader() {
  const auto* begin = reinterpret_cast<const void*>(::getauxval(AT_BASE));
  Dl_info facts{};
  return begin != nullptr && ::dladdr(begin, &facts) != 0 ? facts.dli_fname : "";
}

// The files in "libm.so.6 => /lib/libm.so.6 (0x7f...)".
std::vector<std::string> files_listed(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find("=> /");
    const std::size_t end = line.rfind(" (0x");
    if (begin == line.npos || end == line.npos || end < begin) continue;
    out.push_back(line.substr(begin + 3, end - begin - 3));
  }
  return out;
}

}  // namespace

int link_function(const std::vector<std::string>& words, const std::string& image,
                  const ScratchDirectory& scratch, const std::string& log,
                  const std::function<int(const std::vector<std::string>&)>& run,
                  std::optional<std::vector<std::string>>& opened) {
  std::vector<std::string> asking = words;
  asking.insert(asking.end(), {"-Xlinker", "--dependency-file=" + scratch.file(kLinked)});
  int status = run(asking);
  if (status != 0 && scratch.read(log).find("--dependency-file") != std::string::npos) {
    status = run(words);
  }
  if (status != 0 || !opened) return status;
  std::vector<std::string> files = dependencies_in(scratch.read(kLinked));
  const std::string lists = loader();
  if (files.empty() || lists.empty() ||
      run_child({lists, "--list", image}, scratch, kLoaded) != 0) {
    opened.reset();
    return status;
  }
  for (std::string& file : files_listed(scratch.read(kLoaded))) files.push_back(std::move(file));
  for (std::string& file : files) {
    // Not the compiler's own, which are gone.
    if (std::filesystem::exists(file) && !lies_in(file, scratch.path())) {
      opened->push_back(std::move(file));
    }
  }
  return status;
}

// dlopen wants a path: a file in memory has one below /proc, and leaves nothing behind. The file
// stays open as long as the library: the next one would get its number, hence its path, and dlopen
// takes libraries of one path for the same.
SharedObject::SharedObject(std::string_view bytes) : file_(memory_file("tuner-variant")) {
  if (file_ < 0) {
    throw sdk::Error(TUNER_OUT_OF_MEMORY, "no file in memory: " + std::string(strerror(errno)));
  }
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t step = write(file_, bytes.data() + written, bytes.size() - written);
    if (step <= 0) break;
    written += static_cast<std::size_t>(step);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file_);
  if (written == bytes.size()) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  const char* reason = written == bytes.size() ? dlerror() : nullptr;
  const std::string message = reason != nullptr ? reason : "the image could not be written";
  close(file_);
  throw sdk::Error(TUNER_INVALID, "the image does not load: " + message);
}

SharedObject::~SharedObject() {
  dlclose(handle_);
  close(file_);
}

void* SharedObject::find(const char* name) const { return dlsym(handle_, name); }

HostFunction::HostFunction(std::string_view image) : module_(image) {
  run_ = reinterpret_cast<decltype(run_)>(module_.find("tuner_host_entry"));
  const auto sizes =
      reinterpret_cast<unsigned (*)(unsigned*)>(module_.find("tuner_host_parameters"));
  if (run_ == nullptr || sizes == nullptr) {
    throw sdk::Error(TUNER_INVALID, "the image holds no host function");
  }
  parameter_sizes_.resize(sizes(nullptr));
  sizes(parameter_sizes_.data());
}

void HostFunction::call(void* const* arguments) const {
  std::array<char, 512> why{};
  const int status = run_(arguments, why.data(), why.size());
  if (status == 0) return;
  const std::string reason = why.data();
  if (status == -1 && reason.starts_with("it throws")) {
    throw sdk::Error(TUNER_RUNTIME_FAULT, "the launcher: " + reason);
  }
  throw sdk::Error(TUNER_RUNTIME_FAULT, "the launcher returned " + std::to_string(status) +
                                            (reason.empty() ? "" : " (" + reason + ")"));
}

}  // namespace tuner::programs
