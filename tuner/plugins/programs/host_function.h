#pragma once
// A host function as a variant: what its source gets, and the module that is made of it.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::programs {

// The lowered name of every host function, by which a backend knows it.
inline constexpr std::string_view kHostEntry = "tuner_host_entry";

// The request's source with `definitions` in front, and behind it the functions that call its entry
// and say what it takes. Plain C++, and CUDA C++ too.
std::string host_function_source(const std::string& definitions,
                                 const sdk::CompileRequest& request);

// "-lcublas", "-L/opt/lib", and their long forms.
bool is_library(const std::string& option);

// A shared object from memory. Throws sdk::Error (TUNER_INVALID) where it is none.
class SharedObject {
 public:
  explicit SharedObject(std::string_view bytes);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  void* find(const char* name) const;  // null: there is none
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
  int file_ = -1;
};

class HostFunction {
 public:
  explicit HostFunction(std::string_view image);

  const std::vector<std::uint32_t>& parameter_sizes() const { return parameter_sizes_; }
  // arguments[i] points to argument i. Throws sdk::Error (TUNER_RUNTIME_FAULT) with what it returns
  // or throws.
  void call(void* const* arguments) const;

 private:
  SharedObject module_;
  int (*run_)(void* const*, char*, unsigned long) = nullptr;
  std::vector<std::uint32_t> parameter_sizes_;
};

}  // namespace tuner::programs
