#pragma once
// Shared libraries that are opened at run time.

#include <string>
#include <vector>

namespace tuner::cuda {

// A shared library opened at run time. Never closed: drivers start threads.
class DynamicLibrary {
 public:
  // The first of `candidates` (names or paths) that opens. Throws sdk::Error (TUNER_UNSUPPORTED)
  // that says which were tried: "libcuda.so.1 not found".
  static DynamicLibrary open_first(const std::vector<std::string>& candidates);

  void* find(const char* symbol) const;     // null when it is not there
  void* require(const char* symbol) const;  // throws sdk::Error naming library and symbol

  // Whether this process has loaded it, whoever did.
  static bool is_open(const char* name);

  // The file that `address` was loaded from; empty when not known.
  static std::string file_of(const void* address);

 private:
  DynamicLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}
  std::string name_;
  void* handle_;
};

}  // namespace tuner::cuda
