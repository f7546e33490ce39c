// Places, writes and reads the files of a ranking.

#include "tuner/files/ranked_files.h"

#include <cctype>
#include <map>
#include <utility>

#include "tuner/base/archives.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDeviceFile = "device.json";

// Makes a valid file name, the same one for the same text: encrypted file systems leave 143 bytes.
std::string file_name_of(const std::string& text) {
  constexpr std::size_t kLongest = 120;  // an ending follows
  std::string out;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                      c == '+' || (c == '.' && !out.empty());
    out += fine ? c : '-';
  }
  if (out.size() > kLongest) {
    const std::string digest = to_hex(Hasher().add(text).digest()).substr(0, 16);
    out = out.substr(0, kLongest - 1 - digest.size()) + "-" + digest;
  }
  return out.empty() ? "unnamed" : out;
}

// Puts M75.csv before M725.csv.
struct InTheOrderOfSizes {
  bool operator()(const fs::path& one, const fs::path& other) const {
    return comes_before(one.native(), other.native());
  }
};

// Texts by their paths.
using Texts = std::map<fs::path, std::string, InTheOrderOfSizes>;

bool is_csv(const fs::path& path) { return path.extension() == ".csv"; }
fs::path device_beside(const fs::path& csv) { return csv.parent_path() / kDeviceFile; }

void add(const fs::path& csv, std::string text, Texts& texts) {
  texts.emplace(csv, std::move(text));
  const fs::path device = device_beside(csv);
  if (!texts.contains(device) && fs::exists(device)) texts.emplace(device, read_file(device));
}

Texts texts_in(const fs::path& from) {
  if (!fs::exists(from)) reject(from, "there is no such file or folder");
  Texts texts;
  if (fs::is_directory(from)) {
    for (const auto& one : fs::recursive_directory_iterator(from)) {
      if (one.is_regular_file() && is_csv(one.path()))
        add(one.path(), read_file(one.path()), texts);
    }
    return texts;
  }
  FileText content = read_maybe_compressed(from);
  if (!content.damage.empty()) reject(from, "is damaged: " + content.damage);
  if (!is_tar(content.text)) {
    add(from, std::move(content.text), texts);
    return texts;
  }
  for (const PackedFile& one : files_in_tar(content.text, from.string())) {
    texts.emplace((from / one.name).lexically_normal(), one.text);
  }
  return texts;
}

}  // namespace

std::string device_json(const DeviceFacts& device) {
  return encoded<nlohmann::ordered_json>(device).dump(1) + "\n";
}

DeviceFacts device_from_json(const std::string& text, const std::string& file) {
  try {
    return device_from_json(parse_json(text));
  } catch (const std::exception& error) {
    reject(file, std::string("is no description of a device: ") + error.what());
  }
}

std::vector<CsvFile> csv_files(const fs::path& from) {
  Texts texts = texts_in(from);
  std::vector<CsvFile> files;
  for (auto& [path, text] : texts) {
    if (!is_csv(path) && path != from) continue;
    CsvFile file{path, std::move(text), std::nullopt};
    const auto device = texts.find(device_beside(path));
    if (device != texts.end()) {
      file.device = device_from_json(device->second, device->first.string());
    }
    files.push_back(std::move(file));
  }
  if (files.empty()) reject(from, "there are no .csv files in it");
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
  for (const CsvFile& file : csv_files(from)) {
    if (!file.device) {
      reject(device_beside(file.path),
             "is missing: it says which device the CSV files beside it are of, and "
             "'tuner run' writes it");
    }
    const CsvTable table(file.path.string(), file.text);
    RankedResults results = read_ranked_csv(table, study, *file.device, notes);
    if (!results.unverified) results.unverified = "";
    results.device = *file.device;
    results.compiler = "not recorded";
    results.date = "from " + file.path.filename().string();
    all.push_back(std::move(results));
  }
  return all;
}

}  // namespace tuner
