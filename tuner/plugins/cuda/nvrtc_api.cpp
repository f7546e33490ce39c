// Opens NVRTC and resolves its functions.

#include "tuner/plugins/cuda/nvrtc_api.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> toolkits() {
  std::vector<fs::path> out;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && fs::path(value).is_absolute()) out.emplace_back(value);
  }
  out.emplace_back("/usr/local/cuda");
  return out;
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> out{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const fs::path& toolkit : toolkits()) {
    out.push_back((toolkit / "lib64" / "libnvrtc.so").string());
  }
  return out;
}

NvrtcApi load_nvrtc() {
  const auto library = DynamicLibrary::open_first(nvrtc_candidates());
  NvrtcApi api;
#define TUNER_ROW(member, function) \
  api.member = reinterpret_cast<decltype(api.member)>(library.require(#function));
  TUNER_NVRTC_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  api.file = DynamicLibrary::file_of(reinterpret_cast<const void*>(api.version));
  return api;
}

std::vector<std::string> toolkit_includes(const NvrtcApi& api) {
  std::error_code ignored;
  std::vector<fs::path> roots;
  // <toolkit>/lib64/libnvrtc.so.13 or <toolkit>/targets/x86_64-linux/lib/libnvrtc.so.13
  const fs::path file = fs::canonical(api.file, ignored);
  if (!ignored) roots.push_back(file.parent_path().parent_path());
  for (const fs::path& toolkit : toolkits()) roots.push_back(toolkit);
  for (const fs::path& root : roots) {
    const fs::path include = root / "include";
    if (!fs::exists(include / "cuda_fp16.h", ignored)) continue;
    std::vector<std::string> out{include.string()};
    // Since CUDA 13 the C++ libraries (<cuda/std/...>, <cub/...>) have a folder of their own.
    if (fs::exists(include / "cccl", ignored)) out.push_back((include / "cccl").string());
    return out;
  }
  return {};
}

}  // namespace tuner::cuda
