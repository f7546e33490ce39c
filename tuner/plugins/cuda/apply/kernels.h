#pragma once
// Kernels of the application: what their handles stand for, and whether the study is about them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/plugins/cuda/apply/conversation.h"
#include "tuner/plugins/cuda/apply/driver.h"

namespace tuner::apply {

struct Parameter {
  std::size_t offset = 0;  // in the packed buffer
  std::size_t bytes = 0;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Those of a CUfunction or a CUkernel.
std::vector<Parameter> parameters_of(CUfunction handle);

// Bytes of a parameter whose value chooses: a number, alone or in a struct.
struct Part {
  std::size_t parameter = 0;
  std::size_t offset = 0, bytes = 0;  // in it
};

struct Kernel {
  std::string name;  // mangled
  std::vector<Parameter> parameters;
  std::int64_t id = -1;  // tuner's number of it; -1: the study is not about it
  std::vector<Part> parts;
  std::atomic<std::uint64_t> launches = 0;
};

class Kernels {
 public:
  explicit Kernels(Conversation& tuner) : tuner_(tuner) {}

  // The kernel of a handle, which may be a CUkernel. Null where the driver does not say. Throws
  // where tuner has to be asked and does not answer.
  Kernel* of(CUfunction handle);
  // Handles may mean other kernels from now on: a module was unloaded.
  void forget_handles();
  // The kernels that were launched most, as {name, launches}.
  nlohmann::json most_launched(std::size_t most) const;

 private:
  Kernel* find(CUfunction handle);

  Conversation& tuner_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<CUfunction, Kernel*> handles_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;  // by name and parameters; kept
};

}  // namespace tuner::apply
