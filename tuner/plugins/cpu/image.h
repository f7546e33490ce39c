#pragma once
// A compiled variant in memory, and what has to be known of its file.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/cpu/runtime/interface.h"
#include "tuner/plugins/programs/host_function.h"

namespace tuner::cpu {

// Limits of a block: those of current GPUs, so that a variant that they refuse is refused here too.
inline constexpr std::uint32_t kMaxThreads = 1024;
inline constexpr std::uint64_t kMaxStaticSharedBytes = 48 * 1024;
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;  // static and dynamic together

// ---- thread-local variables of object files and shared objects ----------------------------------

// Shared memory is thread-local storage here.
struct ThreadLocalSymbol {
  std::string name;
  std::uint64_t bytes = 0;
  bool defined = false;
};

// Thread-local symbols of a 64-bit ELF file of this machine. Throws sdk::Error for anything else.
std::vector<ThreadLocalSymbol> thread_local_symbols(std::string_view file);

// Size of a thread's copy of a shared object's thread-local storage.
std::uint64_t thread_local_bytes(std::string_view file);

// Bytes of __shared__ variables of known size, each rounded up to 16.
std::uint64_t static_shared_bytes(const std::vector<ThreadLocalSymbol>& symbols);

// ---- the variant --------------------------------------------------------------------------------

// A kernel of a variant.
struct Entry {
  void (*run)(void** arguments) = nullptr;  // one thread
  std::vector<std::uint32_t> parameter_sizes;
};

// A variant in memory.
class Image {
 public:
  using SlotsOfThread = void (*)(tuner_cpu_slots*);

  // Throws sdk::Error (TUNER_INVALID) when the bytes are no variant.
  explicit Image(std::string_view bytes);

  // Throws sdk::Error (TUNER_INVALID) when there is none of that lowered name.
  Entry entry(const std::string& lowered_name) const;
  std::uint64_t static_shared_bytes() const { return static_shared_bytes_; }  // of all kernels
  // Null when there is no such symbol.
  const tuner_cpu_symbol* symbol(const std::string& lowered_name) const;

  // Returns the place where the calling OS thread keeps its built-in variables.
  tuner_cpu_slots slots() const;
  // Fills the calling OS thread's shared memory, dynamic as far as it is used, with 0xFF bytes:
  // NaNs, and so some of what lies behind. The built-in variables are lost.
  void poison_shared_memory(std::uint64_t dynamic_bytes) const;
  // Returns how far behind the dynamic shared memory the calling OS thread has written since; 0:
  // nothing was found.
  std::uint64_t written_behind_shared_memory(std::uint64_t dynamic_bytes) const;

 private:
  std::uint64_t thread_local_bytes_ = 0;  // before `library_`: what is cut short is not opened
  std::uint64_t static_shared_bytes_ = 0;
  programs::SharedObject library_;
  SlotsOfThread slots_ = nullptr;
};

}  // namespace tuner::cpu
