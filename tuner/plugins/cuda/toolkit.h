#pragma once
// Folders of CUDA toolkits.

#include <filesystem>
#include <vector>

namespace tuner::cuda {

// Lists the folders named by $CUDA_HOME and $CUDA_PATH, the customary place, and packages_beside()
// this plugin; the first ones need not be there.
std::vector<std::filesystem::path> toolkits();

// The parts of a toolkit that NVIDIA's Python packages (nvidia-cuda-nvrtc, nvidia-cuda-runtime) put
// into the folder of packages that `file` is in, SITE/tuner/prefix/lib/tuner/plugins/cuda.so.
std::vector<std::filesystem::path> packages_beside(const std::filesystem::path& file);

// NVRTC in a toolkit or a package; empty: there is none.
std::filesystem::path nvrtc_of(const std::filesystem::path& toolkit);

}  // namespace tuner::cuda
