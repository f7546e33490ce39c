// Opens shared libraries by name or path.

#include "tuner/plugins/cuda/dynamic_library.h"

#include <dlfcn.h>

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {

DynamicLibrary DynamicLibrary::open_first(const std::vector<std::string>& candidates) {
  std::string tried;
  std::string broken;
  for (const std::string& name : candidates) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return {name, handle};
    const char* raw = ::dlerror();
    const std::string reason = raw == nullptr ? "" : raw;
    tried += (tried.empty() ? "" : ", ") + name;
    // Found but unusable (wrong architecture, missing symbols) is worth more than "not found".
    if (reason.find("No such file") == std::string::npos) broken += "; " + reason;
  }
  throw sdk::Error(TUNER_UNSUPPORTED, tried + " not found" + broken);
}

void* DynamicLibrary::find(const char* symbol) const { return ::dlsym(handle_, symbol); }

void* DynamicLibrary::require(const char* symbol) const {
  if (void* found = find(symbol)) return found;
  throw sdk::Error(TUNER_UNSUPPORTED, name_ + " is too old: it has no " + symbol);
}

bool DynamicLibrary::is_open(const char* name) {
  void* handle = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

std::string DynamicLibrary::file_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace tuner::cuda
