// Opens a compiled variant, and reads what has to be known of its file.

#include "tuner/plugins/cpu/image.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tuner/plugin/sdk.h"
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
constexpr std::uint64_t kBehind = 4096;  // bytes of shared memory that is not the block's

// Bytes of the dynamic area that are looked at behind those that a launch has.
std::uint64_t bytes_behind(std::uint64_t dynamic_bytes) {
  return std::min(kBehind, kMaxSharedBytes - std::min(dynamic_bytes, kMaxSharedBytes));
}

}  // namespace

Image::Image(std::string_view bytes)
    : thread_local_bytes_(cpu::thread_local_bytes(bytes)),
      static_shared_bytes_(cpu::static_shared_bytes(thread_local_symbols(bytes))),
      library_(bytes),
      slots_(reinterpret_cast<SlotsOfThread>(library_.find("tuner_cpu_slots_of_thread"))) {
  if (slots_ == nullptr) {
    throw sdk::Error(TUNER_INVALID, "the image holds no variant for this backend");
  }
}

Entry Image::entry(const std::string& lowered_name) const {
  Entry out;
  out.run = reinterpret_cast<void (*)(void**)>(library_.find(lowered_name.c_str()));
  const auto parameters = reinterpret_cast<unsigned (*)(unsigned*)>(
      library_.find((lowered_name + "_parameters").c_str()));
  if (out.run == nullptr || parameters == nullptr) {
    throw sdk::Error(TUNER_INVALID, "the image holds no variant for this backend with the entry '" +
                                        lowered_name + "'");
  }
  out.parameter_sizes.resize(parameters(nullptr));
  parameters(out.parameter_sizes.data());
  return out;
}

const tuner_cpu_symbol* Image::symbol(const std::string& lowered_name) const {
  if (!lowered_name.starts_with("tuner_cpu_symbol_")) return nullptr;
  return static_cast<const tuner_cpu_symbol*>(library_.find(lowered_name.c_str()));
}

tuner_cpu_slots Image::slots() const {
  tuner_cpu_slots slots{};
  slots_(&slots);
  return slots;
}

void Image::poison_shared_memory(std::uint64_t dynamic_bytes) const {
  slots();  // the storage is made at the thread's first access
  void* data = nullptr;
  if (dlinfo(library_.handle(), RTLD_DI_TLS_DATA, &data) != 0 || data == nullptr) return;
  auto* first = static_cast<unsigned char*>(data);
  auto* end = first + thread_local_bytes_;
  auto* dynamic = static_cast<unsigned char*>(library_.find("tuner_cpu_dynamic_shared"));
  if (dynamic == nullptr) dynamic = end;
  std::memset(first, kPoison, static_cast<std::size_t>(dynamic - first));
  if (dynamic == end) return;
  const std::uint64_t used = std::min<std::uint64_t>(dynamic_bytes, kMaxSharedBytes);
  std::memset(dynamic, kPoison, used + bytes_behind(used));
  auto* rest = dynamic + kMaxSharedBytes;
  if (rest < end) std::memset(rest, kPoison, static_cast<std::size_t>(end - rest));
}

std::uint64_t Image::written_behind_shared_memory(std::uint64_t dynamic_bytes) const {
  const auto* dynamic =
      static_cast<const unsigned char*>(library_.find("tuner_cpu_dynamic_shared"));
  if (dynamic == nullptr) return 0;
  std::uint64_t count = bytes_behind(dynamic_bytes);
  while (count > 0 && dynamic[dynamic_bytes + count - 1] == kPoison) --count;
  return count;
}

}  // namespace tuner::cpu
