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

// Writes a version as CUDA's numbers hold it: "13.0" of 13000.
std::string version_text(int number);

// Returns the version of the toolkit whose headers are in `folder`, by its cuda.h; empty: not
// known.
std::string version_of_headers(const std::filesystem::path& folder);

// Lists the names under which CUPTI may be opened: sonames first, which find one that is there,
// then files of the toolkits, which keep it apart from the rest.
std::vector<std::string> cupti_candidates();

}  // namespace tuner::cuda
