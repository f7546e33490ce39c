// Places, writes and reads the files of a ranking.

#include "tuner/exporters/ranked_files.h"

#include <algorithm>
#include <cctype>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/exporters/ranked_csv.h"
#include "tuner/exporters/table_text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDeviceFile = "device.json";

[[noreturn]] void reject(const fs::path& file, const std::string& reason) {
  throw InputError(Complaint{{file.string(), 0, 0}, reason, ""});
}

std::string file_name_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                      c == '+' || (c == '.' && !out.empty());
    out += fine ? c : '-';
  }
  return out.empty() ? "unnamed" : out;
}

DeviceFacts device_beside(const fs::path& file) {
  const fs::path description = file.parent_path() / kDeviceFile;
  if (!fs::exists(description)) {
    reject(description,
           "is missing: it says which device the CSV files beside it are of, and "
           "'tuner run' writes it");
  }
  return device_from_json(read_file(description), description.string());
}

}  // namespace

std::vector<fs::path> csv_files(const fs::path& from) {
  if (!fs::exists(from)) reject(from, "there is no such file or folder");
  if (!fs::is_directory(from)) return {from};
  std::vector<fs::path> files;
  for (const auto& one : fs::recursive_directory_iterator(from)) {
    if (one.is_regular_file() && one.path().extension() == ".csv") files.push_back(one.path());
  }
  std::ranges::sort(files);
  if (files.empty()) reject(from, "there are no .csv files in this folder");
  return files;
}

std::filesystem::path ranked_csv_path(const std::filesystem::path& results,
                                      const std::string& kernel, const DeviceFacts& device,
                                      const ProblemSize& size) {
  return results / file_name_of(kernel) / file_name_of(device.slug()) /
         (file_name_of(size.label()) + ".csv");
}

std::filesystem::path write_ranked_csv(const std::filesystem::path& results,
                                       const std::string& kernel, const RankedResults& ranked,
                                       std::span<const std::string> parameters) {
  std::filesystem::path path = ranked_csv_path(results, kernel, ranked.device, ranked.size);
  write_file_atomically(path, ranked_csv(ranked, parameters));
  return path;
}

void write_device_file(const fs::path& folder, const DeviceFacts& device) {
  const fs::path file = folder / kDeviceFile;
  const std::string text = device_json(device);
  if (!fs::exists(file) || read_file(file) != text) write_file_atomically(file, text);
}

std::vector<RankedResults> read_ranked_files(const fs::path& from, const Study& study,
                                             std::vector<std::string>& notes) {
  std::vector<RankedResults> all;
  for (const fs::path& file : csv_files(from)) {
    const std::string text = read_file(file);
    const DeviceFacts device = device_beside(file);
    RankedResults results = read_ranked_csv(text, file.string(), study, notes);
    results.device = device;
    results.compiler = "not recorded";
    results.date = "from " + file.filename().string();
    all.push_back(std::move(results));
  }
  return all;
}

}  // namespace tuner
