#pragma once
// What has to be known of the thread-local variables of object files and shared objects: shared
// memory is thread-local storage here.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::cpu {

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

}  // namespace tuner::cpu
