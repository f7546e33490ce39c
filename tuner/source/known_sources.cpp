// Compares what a compiler has opened with what the scan has found.

#include "tuner/source/known_sources.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 1024;

void add_folder(std::vector<std::string>& folders, const fs::path& folder) {
  std::error_code ignored;
  const std::string place = fs::weakly_canonical(folder.empty() ? "." : folder, ignored).string();
  if (!place.empty() && std::ranges::find(folders, place) == folders.end()) {
    folders.push_back(place);
  }
}

// Every other path where one of `files` might have been found. The name by which it was included is
// not known: any of `folders` may have been the one that it was relative to. Empty when there are
// absurdly many.
std::optional<std::set<std::string>> other_meanings(const std::vector<FileState>& files,
                                                    std::vector<std::string> folders) {
  for (const FileState& file : files) add_folder(folders, fs::path(file.path).parent_path());
  std::set<std::string> out;
  for (const FileState& file : files) {
    for (const std::string& from : folders) {
      const fs::path name = fs::path(file.path).lexically_relative(from);
      for (const std::string& to : folders) out.insert((fs::path(to) / name).lexically_normal());
      if (out.size() > kMostNames) return std::nullopt;
    }
  }
  for (const FileState& file : files) out.erase(file.path);
  return out;
}

std::vector<FileState> beyond(const std::vector<FileState>& opened, const KnownSources& known) {
  std::vector<FileState> out;
  for (const FileState& file : opened) {
    if (std::ranges::find(known.files, file) == known.files.end()) out.push_back(file);
  }
  return out;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

void add_sources(KnownSources& to, const CompileRequest& request, const SourceBundle& bundle) {
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty()) to.files.push_back({file.path, file.digest});
    if (!file.path.empty()) add_folder(to.folders, fs::path(file.path).parent_path());
  }
  add_folder(to.folders, fs::path(request.source_name).parent_path());
  for (const std::string& dir : include_dirs_of(request)) {
    add_folder(to.folders, dir);
    // A folder that depends on the configuration is another one each time.
    if (dir.find('{') != std::string::npos) to.reach = std::max(to.reach, Reach::kReported);
  }
  const Reach reach = reach_of(request, bundle);
  to.reach = std::max(to.reach, reach);
  if (to.gap.empty() && reach != Reach::kScanned) {
    to.gap = bundle.gap().empty() ? "an option brings in files" : bundle.gap();
  }
}

void add_provenance(const Provenance& more, Trial& trial) {
  trial.sources_known = trial.sources_known && more.known;
  for (const FileState& file : more.further) {
    if (std::ranges::find(trial.further_files, file) == trial.further_files.end()) {
      trial.further_files.push_back(file);
    }
  }
}

Provenance provenance_of(const OpenedFiles& opened, const KnownSources& known) {
  if (known.reach == Reach::kUnknown) return {{}, false};
  if (!opened) return {{}, known.reach == Reach::kScanned};
  Provenance out{beyond(*opened, known), true};
  if (out.further.empty()) return out;
  const auto others = other_meanings(out.further, known.folders);
  if (!others) return {{}, false};
  for (const std::string& path : *others) {
    if (!exists(path)) out.further.push_back({path, ""});
  }
  return out;
}

std::string first_changed(const std::vector<FileState>& files, FileDigests& digests) {
  for (const FileState& file : files) {
    const bool same =
        file.digest.empty() ? !exists(file.path) : digests.text_of(file.path) == file.digest;
    if (!same) return file.path;
  }
  return {};
}

bool is_current(const Artifact& artifact, const KnownSources& known, FileDigests& digests) {
  if (!artifact.opened) return known.reach == Reach::kScanned;
  if (known.reach == Reach::kUnknown || !first_changed(*artifact.opened, digests).empty()) {
    return false;
  }
  const auto further = beyond(*artifact.opened, known);
  const auto others = other_meanings(further, known.folders);
  return further.empty() || (others && std::ranges::none_of(*others, exists));
}

}  // namespace tuner
