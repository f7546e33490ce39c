// Watches which files NVRTC opens, through the library's own table of functions.

#include "tuner/plugins/cuda/opened_files.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace tuner::cuda {
namespace {

// One for the process, because the functions that stand in for fopen and open have no object.
struct Notes {
  std::mutex mutex;
  bool active = false;
  std::vector<std::string> paths;
};

Notes& notes() {
  static Notes all;
  return all;
}

void note(const char* path) noexcept {
  if (path == nullptr) return;
  const std::lock_guard lock(notes().mutex);
  if (!notes().active) return;
  if (std::find(notes().paths.begin(), notes().paths.end(), path) == notes().paths.end()) {
    notes().paths.emplace_back(path);
  }
}

// nvcc takes headers that begin with a byte order mark, NVRTC does not.
void skip_byte_order_mark(std::FILE* file) {
  struct stat facts {};
  if (::fstat(::fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  char head[3] = {};
  const std::size_t got = std::fread(head, 1, sizeof head, file);
  if (std::string_view(head, got) != "\xEF\xBB\xBF") std::rewind(file);
}

std::FILE* noted_fopen(const char* path, const char* mode) {
  std::FILE* file = std::fopen(path, mode);
  if (file != nullptr && std::string_view(mode).starts_with("r")) {
    note(path);
    skip_byte_order_mark(file);
  }
  return file;
}

// NOLINTNEXTLINE(cert-dcl50-cpp): it takes the place of a function that is like this
int noted_open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const bool makes_one = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes_one ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  const int file = ::open(path, flags, mode);
  if (file >= 0 && (flags & O_ACCMODE) != O_WRONLY) note(path);
  return file;
}

void* replacement_of(std::string_view function) {
  if (function == "fopen" || function == "fopen64") return reinterpret_cast<void*>(noted_fopen);
  if (function == "open" || function == "open64") return reinterpret_cast<void*>(noted_open);
  return nullptr;
}

// Other ways to a file's contents: a library that may use them cannot be watched. syscall() is not
// among them, though it could open a file: thread libraries need it to wait.
bool is_other_way(std::string_view function) {
  constexpr std::string_view kOthers[] = {"openat",       "openat64",   "__open_2", "__open64_2",
                                          "freopen",      "freopen64",  "creat",    "posix_spawn",
                                          "posix_spawnp", "__openat_2", "popen"};
  return std::find(std::begin(kOthers), std::end(kOthers), function) != std::end(kOthers);
}

// The tables of a loaded library, as its dynamic section names them.
struct Tables {
  ElfW(Addr) base = 0;
  const char* names = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * calls = nullptr;
  const ElfW(Rela) * others = nullptr;
  std::size_t call_count = 0, other_count = 0;
  bool plain = true;  // all in the form that is understood here
};

Tables tables_of(const link_map& library) {
  Tables out;
  out.base = library.l_addr;
  const auto place = [&](ElfW(Addr) address) {  // some loaders leave them as they are in the file
    return reinterpret_cast<const void*>(address < out.base ? out.base + address : address);
  };
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_STRTAB:
        out.names = static_cast<const char*>(place(value));
        break;
      case DT_SYMTAB:
        out.symbols = static_cast<const ElfW(Sym)*>(place(value));
        break;
      case DT_JMPREL:
        out.calls = static_cast<const ElfW(Rela)*>(place(value));
        break;
      case DT_PLTRELSZ:
        out.call_count = value / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        out.others = static_cast<const ElfW(Rela)*>(place(value));
        break;
      case DT_RELASZ:
        out.other_count = value / sizeof(ElfW(Rela));
        break;
      case DT_PLTREL:
        out.plain = out.plain && value == DT_RELA;
        break;
      case DT_REL:
        out.plain = false;
        break;
      default:
        break;
    }
  }
  out.plain = out.plain && out.names != nullptr && out.symbols != nullptr && out.calls != nullptr;
  return out;
}

bool put(ElfW(Addr) slot, void* function) {
  const auto page = static_cast<ElfW(Addr)>(::sysconf(_SC_PAGESIZE));
  void* start = reinterpret_cast<void*>(slot / page * page);
  // Loaders may have made it read-only.
  const auto bytes = static_cast<std::size_t>(slot % page + sizeof(void*));
  if (::mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  *reinterpret_cast<void**>(slot) = function;
  return true;
}

// Puts the replacements where the library's relocations name their functions. Returns how many;
// negative when one could not be put, or another way to open files is among them.
int replace_in(const Tables& tables, const ElfW(Rela) * list, std::size_t count) {
  int replaced = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto symbol = ELF64_R_SYM(list[i].r_info);
    if (symbol == 0) continue;
    const std::string_view name = tables.names + tables.symbols[symbol].st_name;
    if (is_other_way(name)) return -1;
    void* function = replacement_of(name);
    if (function == nullptr) continue;
    if (list[i].r_addend != 0 || !put(tables.base + list[i].r_offset, function)) return -1;
    ++replaced;
  }
  return replaced;
}

}  // namespace

OpenedFiles::OpenedFiles() {
  const std::lock_guard lock(notes().mutex);
  notes().active = true;
  notes().paths.clear();
}

OpenedFiles::~OpenedFiles() {
  const std::lock_guard lock(notes().mutex);
  notes().active = false;
}

std::vector<std::string> OpenedFiles::files() const {
  const std::lock_guard lock(notes().mutex);
  std::vector<std::string> out;
  for (const std::string& path : notes().paths) {
    struct stat facts {};
    const bool of_the_system = path.starts_with("/proc/") || path.starts_with("/sys/");
    if (of_the_system || ::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    out.push_back(path);
  }
  return out;
}

bool watch_library_of(const void* function) {
  Dl_info info{};
  void* found = nullptr;
  if (::dladdr1(function, &info, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return false;
  const Tables tables = tables_of(*static_cast<const link_map*>(found));
  if (!tables.plain) return false;
  const int calls = replace_in(tables, tables.calls, tables.call_count);
  const int others = replace_in(tables, tables.others, tables.other_count);
  return calls >= 0 && others >= 0 && calls + others > 0;
}

}  // namespace tuner::cuda
