#pragma once
// A host function as a variant: what its source gets, and the module that is made of it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::programs {

// The lowered name of every host function, by which a backend knows it.
inline constexpr std::string_view kHostEntry = "tuner_host_entry";

// The request's source with `definitions` in front, and behind it the functions that call its entry
// and say what it takes. Plain C++, and CUDA C++ too.
std::string host_function_source(const std::string& definitions,
                                 const sdk::CompileRequest& request);

// "-lcublas", "-L/opt/lib", and their long forms.
bool is_library(const std::string& option);

// Runs the compiler's command `words`, which links `image`, once more without the question where
// its linker does not know it. Adds to `opened` what the linker took and what the loader will: a
// result is of these libraries. Empties it where they do not say. Returns the exit status.
int link_function(const std::vector<std::string>& words, const std::string& image,
                  const ScratchDirectory& scratch, const std::string& log,
                  const std::function<int(const std::vector<std::string>&)>& run,
                  std::optional<std::vector<std::string>>& opened);

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
