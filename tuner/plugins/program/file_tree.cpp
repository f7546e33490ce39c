// Packs a folder and unpacks it.

#include "tuner/plugins/program/file_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::program {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargest = std::uintmax_t{200} << 20;  // bytes

json packed_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const fs::perms mode = fs::status(file).permissions();
  return {{"mode", static_cast<unsigned>(mode & fs::perms::mask)},
          {"bytes", json::binary(std::move(bytes))}};
}

}  // namespace

json packed(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink() && !entry.is_regular_file()) continue;
    paths.push_back(entry.path());
    if (!entry.is_symlink()) bytes += entry.file_size();
  }
  if (bytes > kLargest) {
    throw sdk::Error(TUNER_INVALID, "the folder holds " + std::to_string(bytes >> 20) +
                                        " MiB after the build; a variant has " +
                                        std::to_string(kLargest >> 20) +
                                        " MiB at most (what all variants read can stay in the "
                                        "study's folder, $TUNER_STUDY)");
  }
  std::sort(paths.begin(), paths.end());
  json out = json::array();
  for (const fs::path& path : paths) {
    json one =
        fs::is_symlink(path) ? json{{"link", fs::read_symlink(path).string()}} : packed_file(path);
    one["path"] = path.lexically_relative(folder).string();
    out.push_back(std::move(one));
  }
  return out;
}

void unpack(const json& files, const fs::path& folder) {
  for (const json& one : files) {
    const fs::path path = folder / one.at("path").get<std::string>();
    fs::create_directories(path.parent_path());
    if (one.contains("link")) {
      fs::create_symlink(one.at("link").get<std::string>(), path);
      continue;
    }
    const auto& bytes = one.at("bytes").get_binary();
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw sdk::Error(TUNER_DEVICE_LOST, "temporary files: cannot write " + path.string());
    fs::permissions(path, static_cast<fs::perms>(one.at("mode").get<unsigned>()));
  }
}

}  // namespace tuner::program
