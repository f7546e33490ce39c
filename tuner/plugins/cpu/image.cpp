// Opens a compiled variant, and reads what has to be known of its file.

#include "tuner/plugins/cpu/image.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cpu/host_facts.h"
#include "tuner/plugins/programs/elf_symbols.h"

namespace tuner::cpu {

// ---- thread-local variables ---------------------------------------------------------------------

namespace {

constexpr std::array<std::string_view, 6> kBuiltIns{
    "threadIdx", "blockIdx",           "blockDim",
    "gridDim",   "tuner_cpu_services", "tuner_cpu_dynamic_shared"};

Elf64_Ehdr header_of(std::string_view file) {
  const auto header = programs::elf_header(file);
  if (header) return *header;
  throw sdk::Error(TUNER_INVALID, "the image is no 64-bit ELF file, or it is cut short");
}

}  // namespace

std::vector<ThreadLocalSymbol> thread_local_symbols(std::string_view file) {
  header_of(file);
  std::vector<ThreadLocalSymbol> out;
  for (programs::ElfSymbol& symbol : programs::elf_symbols(file)) {
    if (symbol.type != STT_TLS) continue;
    out.push_back({std::move(symbol.name), symbol.bytes, symbol.defined});
  }
  return out;
}

std::uint64_t thread_local_bytes(std::string_view file) {
  const Elf64_Ehdr header = header_of(file);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        programs::read_at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_TLS) return segment->p_memsz;
  }
  return 0;
}

std::uint64_t static_shared_bytes(const std::vector<ThreadLocalSymbol>& symbols) {
  std::uint64_t total = 0;
  for (const ThreadLocalSymbol& symbol : symbols) {
    if (!symbol.defined ||
        std::find(kBuiltIns.begin(), kBuiltIns.end(), symbol.name) != kBuiltIns.end()) {
      continue;
    }
    total += (symbol.bytes + 15) / 16 * 16;
  }
  return total;
}

// ---- the variant --------------------------------------------------------------------------------

namespace {

constexpr unsigned char kPoison = 0xFF;

}  // namespace

// dlopen wants a path: a file in memory has one below /proc, and leaves nothing behind. The file
// stays open as long as the library: the next one would get its number, hence its path, and dlopen
// takes libraries of one path for the same.
Image::Library Image::open_in_memory(std::string_view bytes) {
  const int file = memfd_create("tuner-variant", MFD_CLOEXEC);
  if (file < 0) throw sdk::Error(TUNER_OUT_OF_MEMORY, "memfd_create failed");
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t step = write(file, bytes.data() + written, bytes.size() - written);
    if (step <= 0) break;
    written += static_cast<std::size_t>(step);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  void* handle = written == bytes.size() ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  const char* reason = handle == nullptr ? dlerror() : nullptr;
  const std::string message = reason != nullptr ? reason : "the image could not be written";
  if (handle == nullptr) {
    close(file);
    throw sdk::Error(TUNER_INVALID, "the image does not load: " + message);
  }
  return {handle, LibraryCloser{file}};
}

void LibraryCloser::operator()(void* handle) const {
  dlclose(handle);
  close(file);
}

Image::Image(std::string_view bytes)
    : thread_local_bytes_(cpu::thread_local_bytes(bytes)),
      static_shared_bytes_(cpu::static_shared_bytes(thread_local_symbols(bytes))) {
  handle_ = open_in_memory(bytes);
  slots_ = reinterpret_cast<SlotsOfThread>(find("tuner_cpu_slots_of_thread"));
  if (slots_ == nullptr) {
    throw sdk::Error(TUNER_INVALID, "the image holds no variant for this backend");
  }
}

Entry Image::entry(const std::string& lowered_name) const {
  Entry out;
  out.run = reinterpret_cast<void (*)(void**)>(find(lowered_name.c_str()));
  const auto parameters =
      reinterpret_cast<unsigned (*)(unsigned*)>(find((lowered_name + "_parameters").c_str()));
  if (out.run == nullptr || parameters == nullptr) {
    throw sdk::Error(TUNER_INVALID, "the image holds no variant for this backend with the entry '" +
                                        lowered_name + "'");
  }
  out.parameter_sizes.resize(parameters(nullptr));
  parameters(out.parameter_sizes.data());
  return out;
}

void* Image::find(const char* name) const { return dlsym(handle_.get(), name); }

const tuner_cpu_symbol* Image::symbol(const std::string& lowered_name) const {
  if (!lowered_name.starts_with("tuner_cpu_symbol_")) return nullptr;
  return static_cast<const tuner_cpu_symbol*>(find(lowered_name.c_str()));
}

tuner_cpu_slots Image::slots() const {
  tuner_cpu_slots slots{};
  slots_(&slots);
  return slots;
}

void Image::poison_shared_memory(std::uint64_t dynamic_bytes) const {
  slots();  // the storage is made at the thread's first access
  void* data = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_TLS_DATA, &data) != 0 || data == nullptr) return;
  auto* first = static_cast<unsigned char*>(data);
  auto* end = first + thread_local_bytes_;
  auto* dynamic = static_cast<unsigned char*>(find("tuner_cpu_dynamic_shared"));
  if (dynamic == nullptr) dynamic = end;
  std::memset(first, kPoison, static_cast<std::size_t>(dynamic - first));
  if (dynamic == end) return;
  std::memset(dynamic, kPoison, std::min<std::uint64_t>(dynamic_bytes, kMaxSharedBytes));
  auto* rest = dynamic + kMaxSharedBytes;
  if (rest < end) std::memset(rest, kPoison, static_cast<std::size_t>(end - rest));
}

}  // namespace tuner::cpu
