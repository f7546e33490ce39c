#pragma once
// Where CUDA toolkits lie.

#include <filesystem>
#include <vector>

namespace tuner::cuda {

// Those named by $CUDA_HOME and $CUDA_PATH, and the customary place; they need not be there.
std::vector<std::filesystem::path> toolkits();

}  // namespace tuner::cuda
