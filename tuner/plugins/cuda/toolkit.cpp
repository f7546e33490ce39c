// Names the toolkits of this machine.

#include "tuner/plugins/cuda/toolkit.h"

#include <cstdlib>

namespace tuner::cuda {

std::vector<std::filesystem::path> toolkits() {
  std::vector<std::filesystem::path> out;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::filesystem::path(value).is_absolute()) out.emplace_back(value);
  }
  out.emplace_back("/usr/local/cuda");
  return out;
}

}  // namespace tuner::cuda
