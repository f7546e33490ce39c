// Names an artifact by everything that the compiler can see, and compares what a compiler has
// opened with what the scan has found.

#include "tuner/source/known_sources.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tuner {
namespace {

// With "=" between name and folder where they are one word.
constexpr std::string_view kLong[] = {"--include-path", "--include-directory", "--system-include"};
constexpr std::string_view kShort[] = {"-I", "-isystem", "-iquote", "-idirafter"};

bool names_a_folder_next(std::string_view option) {
  const auto is_it = [&](std::string_view name) { return option == name; };
  return std::ranges::any_of(kLong, is_it) || std::ranges::any_of(kShort, is_it);
}

bool begins_with_one_of(std::string_view option, std::initializer_list<std::string_view> heads) {
  return std::ranges::any_of(heads,
                             [&](std::string_view head) { return option.starts_with(head); });
}

// The folder in a joined option.
std::optional<std::string> folder_in(std::string_view option) {
  for (const std::string_view name : kLong) {
    if (option.starts_with(name) && option.size() > name.size() && option[name.size()] == '=') {
      return std::string(option.substr(name.size() + 1));
    }
  }
  for (const std::string_view name : kShort) {
    if (option.starts_with(name)) return std::string(option.substr(name.size()));
  }
  return std::nullopt;
}

std::vector<std::string> include_dirs_in(const std::vector<std::string>& options) {
  std::vector<std::string> dirs;
  for (const std::string& option : joined_include_options(options)) {
    auto folder = folder_in(option);
    if (!folder || folder->empty()) continue;
    if (folder->front() == '=') dirs.push_back(folder->substr(1));  // some write -I=DIR
    dirs.push_back(std::move(*folder));
  }
  return dirs;
}

Reach reach_of(const std::vector<std::string>& options) {
  Reach reach = Reach::kScanned;
  for (const std::string& option : options) {
    if (begins_with_one_of(
            option, {"-iwithprefix", "-iprefix", "-B", "-fplugin", "-specs", "--specs", "--sysroot",
                     "-isysroot", "-imultilib", "--use-pch", "-pch", "--pch"})) {
      return Reach::kUnknown;
    }
    if (begins_with_one_of(option, {"--pre-include", "-include", "--include=", "-imacros",
                                    "--imacros", "@", "--options-file", "-optf"})) {
      reach = Reach::kReported;
    }
  }
  return reach;
}

// Changes what equal keys mean: raise it when the key or the artifact's form changes.
constexpr std::uint64_t kFormat = 3;

// A key begins with one of these where the scan of the sources does not find all files.
constexpr char kUncachedMark = '!';
constexpr char kIfReportedMark = '?';

std::string identifier_of(const std::string& definition) {  // "MIN(a, b)" defines MIN
  return definition.substr(0, definition.find('('));
}

}  // namespace

std::vector<std::string> joined_include_options(const std::vector<std::string>& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < options.size(); ++i) {
    out.push_back(options[i]);
    if (!names_a_folder_next(options[i]) || i + 1 == options.size()) continue;
    out.back() += (options[i].starts_with("--") ? "=" : "") + options[i + 1];
    ++i;
  }
  return out;
}

std::vector<std::string> include_dirs_of(const CompileRequest& request) {
  std::vector<std::string> dirs = request.include_dirs;
  for (std::string& dir : include_dirs_in(request.options)) dirs.push_back(std::move(dir));
  return dirs;
}

SourceBundle bundle_of(const CompileRequest& request) {
  return SourceBundle::read(request.source, request.source_name, include_dirs_of(request));
}

std::set<std::string> relevant_defines(const CompileRequest& request, const SourceBundle& bundle) {
  std::set<std::string, std::less<>> words = words_of(request.entry);
  for (const std::string& option : request.options) words.merge(words_of(option));
  for (const std::string& symbol : request.symbols) words.merge(words_of(symbol));
  for (const std::string& entry : request.then) words.merge(words_of(entry));
  std::set<std::string> out;
  if (!request.units.empty()) {  // which mention others, perhaps
    for (const auto& [name, text] : request.defines) out.insert(name);
    return out;
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [name, text] : request.defines) {
      const std::string identifier = identifier_of(name);
      if (!bundle.mentions(identifier) && !words.contains(identifier)) continue;
      if (out.insert(name).second) grew = true;
      words.merge(words_of(text));
    }
  }
  return out;
}

Reach reach_of(const CompileRequest& request, const SourceBundle& bundle) {
  const Reach options = reach_of(request.options);
  if (options == Reach::kUnknown || !bundle.compiler_knows()) return Reach::kUnknown;
  return bundle.complete() && request.units.empty() ? options : Reach::kReported;
}

std::string artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                         const std::string& compiler_identity) {
  Hasher hasher;
  hasher.add(kFormat).add(compiler_identity).add(request.arch).add(request.entry);
  const Digest sources = bundle.digest();
  hasher.add(sources.high).add(sources.low);
  hasher.add(request.source_name);  // __FILE__, line information and warnings carry it
  hasher.add(std::uint64_t{request.options.size()});
  for (const std::string& option : request.options) hasher.add(option);
  hasher.add(std::uint64_t{request.symbols.size()});
  for (const std::string& symbol : request.symbols) hasher.add(symbol);
  hasher.add(std::uint64_t{request.then.size()});
  for (const std::string& entry : request.then) hasher.add(entry);
  for (const std::string& unit : request.units) hasher.add(unit);
  if (request.is_host_function) hasher.add("host function");
  const std::set<std::string> names = relevant_defines(request, bundle);
  for (const auto& [name, text] : request.defines) {
    if (names.contains(name)) hasher.add(name).add(text);
  }
  const Reach reach = reach_of(request, bundle);
  if (reach == Reach::kScanned) return to_hex(hasher.digest());
  return (reach == Reach::kReported ? kIfReportedMark : kUncachedMark) + to_hex(hasher.digest());
}

std::string cache_name(const std::string& key, bool is_reported) {
  if (key.front() == kUncachedMark) return {};
  if (key.front() != kIfReportedMark) return key;
  return is_reported ? key.substr(1) : std::string();
}

// ---- what is known of the files -----------------------------------------------------------------

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

// Adds where a library would have been found before it was: libraries go by the names of their
// files, and in each folder a linker looks for the shared one before the archive.
void add_earlier_places(const fs::path& library, const std::vector<std::string>& folders,
                        std::set<std::string>& to) {
  std::error_code ignored;
  const fs::path own = fs::weakly_canonical(library.parent_path(), ignored);
  const fs::path shared = fs::path(library.filename()).replace_extension(".so");
  const bool is_archive = library.extension() == ".a";
  for (const std::string& folder : folders) {
    if (folder == own) break;
    to.insert(fs::path(folder) / library.filename());
    if (is_archive) to.insert(fs::path(folder) / shared);
    if (library.extension() == ".so") {
      to.insert((fs::path(folder) / library.filename()).replace_extension(".a"));
    }
  }
  if (is_archive) to.insert(library.parent_path() / shared);
}

// Every other path where one of `files` might have been found. The name by which it was included is
// not known: any of `folders` may have been the one that it was relative to. Empty when there are
// absurdly many.
std::optional<std::set<std::string>> other_meanings(const std::vector<FileState>& files,
                                                    const KnownSources& known) {
  std::vector<std::string> folders = known.folders;
  for (const FileState& file : files) {
    if (!is_library_file(file.path)) add_folder(folders, fs::path(file.path).parent_path());
  }
  std::set<std::string> out;
  for (const FileState& file : files) {
    if (is_library_file(file.path)) {
      add_earlier_places(file.path, known.library_folders, out);
      continue;
    }
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

// Lists the linker's libraries in the order in which it looks, then those of the loader.
void add_library_folders(std::vector<std::string>& to, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    for (const std::string_view head : {"-L", "--library-path="}) {
      if (option.starts_with(head)) add_folder(to, option.substr(head.size()));
    }
  }
  const char* path = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) add_folder(to, folder);
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
  add_library_folders(to.library_folders, request.options);
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
  const auto others = other_meanings(out.further, known);
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
  const auto others = other_meanings(further, known);
  return further.empty() || (others && std::ranges::none_of(*others, exists));
}

}  // namespace tuner
