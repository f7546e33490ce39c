// Names the toolkits of this machine.

#include "tuner/plugins/cuda/toolkit.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {

namespace fs = std::filesystem;

std::vector<fs::path> toolkits() {
  std::vector<fs::path> out;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && fs::path(value).is_absolute()) out.emplace_back(value);
  }
  out.emplace_back("/usr/local/cuda");
  const std::string own = DynamicLibrary::file_of(reinterpret_cast<const void*>(&toolkits));
  for (const fs::path& package : packages_beside(own)) out.push_back(package);
  return out;
}

std::vector<fs::path> packages_beside(const fs::path& file) {
  std::vector<fs::path> out;
  std::error_code ignored;
  const fs::path start = fs::absolute(file, ignored).parent_path();
  for (fs::path folder = start; folder.has_relative_path(); folder = folder.parent_path()) {
    // One package holds all of CUDA 13; of CUDA 12 each has a folder of its own.
    for (const char* name : {"cu13", "cuda_nvrtc", "cuda_runtime"}) {
      const fs::path package = folder / "nvidia" / name;
      if (fs::is_directory(package, ignored)) out.push_back(package);
    }
  }
  return out;
}

fs::path nvrtc_of(const fs::path& toolkit) {
  std::error_code ignored;
  for (const char* name : {"lib64/libnvrtc.so", "lib/libnvrtc.so.13", "lib/libnvrtc.so.12"}) {
    if (fs::exists(toolkit / name, ignored)) return toolkit / name;
  }
  return {};
}

std::string version_text(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string version_of_headers(const fs::path& folder) {
  std::ifstream in(folder / "cuda.h");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string directive, name;
    int number = 0;
    if (words >> directive >> name >> number && name == "CUDA_VERSION") return version_text(number);
  }
  return {};
}

std::vector<std::string> cupti_candidates() {
  std::vector<std::string> out{"libcupti.so.13", "libcupti.so.12"};
  for (const fs::path& toolkit : toolkits()) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) {
      out.push_back((toolkit / folder / "libcupti.so").string());
    }
  }
  return out;
}

}  // namespace tuner::cuda
