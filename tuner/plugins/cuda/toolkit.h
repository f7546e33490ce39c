#pragma once
// Folders of CUDA toolkits.

#include <filesystem>
#include <string>
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

// Lists the names under which CUPTI may be opened: sonames first, which find one that is there,
// then files of the toolkits, which keep it apart from the rest.
std::vector<std::string> cupti_candidates();

}  // namespace tuner::cuda
