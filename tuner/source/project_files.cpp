// Looks for a project's files as its build would, without knowing the build.

#include "tuner/source/project_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/source/directives.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 100, kMostHosts = 200;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 20;
constexpr std::size_t kMostHostBytes = std::size_t{8} << 20;  // seconds' work
constexpr int kFoldersAbove = 4;

std::optional<std::string> readable_text(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return std::nullopt;
  const std::uintmax_t bytes = fs::file_size(file, failed);
  if (failed || bytes > kLargestFile) return std::nullopt;
  try {
    return without_byte_order_mark(read_file(file));
  } catch (const FatalError&) {
    return std::nullopt;
  }
}

bool is_of_the_system(const std::string& name) {
  constexpr std::array<std::string_view, 3> kFolders{"/usr/include", "/usr/local/include",
                                                     "/usr/local/cuda/include"};
  return name.find('.') == std::string::npos ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) {
           std::error_code ignored;
           return fs::exists(fs::path(folder) / name, ignored);
         });
}

// Adds the folders that a build file names, "-I../include" or "include_directories(src)": all words
// that are one. Only headers that are missing otherwise are looked for in them.
void add_named_folders(const fs::path& build_file, std::vector<fs::path>& out) {
  constexpr std::size_t kMostFolders = 64;
  const auto text = readable_text(build_file);
  const fs::path folder = build_file.parent_path();
  for (std::size_t at = 0; text && at < text->size() && out.size() < kMostFolders;) {
    const std::size_t end = std::min(text->find_first_of(" \t\r\n\"'();,=", at), text->size());
    std::string word = text->substr(at, end - at);
    at = end + 1;
    if (word.starts_with("-I")) word.erase(0, 2);
    for (const char* own : {"${CMAKE_CURRENT_SOURCE_DIR}", "${PROJECT_SOURCE_DIR}",
                            "${CMAKE_SOURCE_DIR}", "$(CURDIR)"}) {
      word = replaced(std::move(word), own, folder.string());
    }
    std::error_code failed;
    const fs::path named = fs::weakly_canonical(folder / word, failed);
    const bool is_one = word.find_first_not_of("./") != word.npos && word.size() < 256 && !failed &&
                        fs::is_directory(named, failed);
    const bool is_system = named.string().starts_with("/usr/");
    if (is_one && !is_system && std::ranges::find(out, named) == out.end()) out.push_back(named);
  }
}

// The folders that a project's build may name, the nearest first, and then those that it does name.
std::vector<fs::path> neighbouring_folders(const fs::path& folder) {
  std::vector<fs::path> out, named;
  fs::path now = folder;
  for (int i = 0; i <= kFoldersAbove && now.has_relative_path(); ++i, now = now.parent_path()) {
    for (const char* name : {"", "include", "common", "Common", "inc", "src", "util", "utils"}) {
      std::error_code ignored;
      const fs::path one = *name == '\0' ? now : now / name;
      if (fs::is_directory(one, ignored)) out.push_back(one);
    }
    for (const char* name : {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt",
                             "compile_commands.json", "build/compile_commands.json"}) {
      add_named_folders(now / name, named);
    }
    std::error_code ignored;
    if (fs::exists(now / ".git", ignored)) break;
  }
  std::ranges::copy_if(named, std::back_inserter(out), [&](const fs::path& one) {
    return std::ranges::find(out, one) == out.end();
  });
  return out;
}

// Lists what the #include directives of a text name.
std::vector<Include> includes_in(const std::string& text) {
  std::vector<Include> out;
  for (const Directive& directive : possible_directives(text)) {
    const auto include = directive.name == "include" ? include_of(directive) : std::nullopt;
    if (include && !include->name.empty()) out.push_back(*include);
  }
  return out;
}

class Headers {
 public:
  Headers(const fs::path& folder, ProjectFiles& out)
      : neighbours_(neighbouring_folders(folder)), out_(out) {}

  void follow(const std::string& text, const fs::path& folder) {
    for (const Include& include : includes_in(text)) take(include, folder);
  }

 private:
  void take(const Include& include, const fs::path& folder) {
    if (include.quoted && take_from(folder, include.name)) return;
    if (is_of_the_system(include.name)) return;
    for (const fs::path& one : neighbours_) {
      if (!take_from(one, include.name)) continue;
      if (std::ranges::find(out_.include_dirs, one) == out_.include_dirs.end()) {
        out_.include_dirs.push_back(one);
      }
      return;
    }
  }

  // Whether the file is there.
  bool take_from(const fs::path& folder, const std::string& name) {
    std::error_code failed;
    const fs::path file = fs::weakly_canonical(folder / name, failed);
    if (failed || !fs::is_regular_file(file, failed)) return false;
    if (seen_.size() >= kMostHeaders || !seen_.insert(file).second) return true;
    auto text = readable_text(file);
    if (!text) return true;
    out_.headers.push_back({file.string(), *text});
    follow(*text, file.parent_path());
    return true;
  }

  std::vector<fs::path> neighbours_;
  ProjectFiles& out_;
  std::set<fs::path> seen_;
};

bool includes(const SourceText& host, const fs::path& source) {
  const std::string name = source.filename().string();
  if (host.text.find(name) == std::string::npos) return false;
  return std::ranges::any_of(includes_in(host.text), [&](const Include& include) {
    if (!include.quoted || !include.name.ends_with(name)) return false;
    std::error_code ignored;
    return fs::equivalent(fs::path(host.name).parent_path() / include.name, source, ignored);
  });
}

void take_hosts(const fs::path& folder, const fs::path& source, ProjectFiles& out) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_one_of(".cu .cuh .cpp .cc .cxx .c .h .hpp .py", at->path().extension().string())) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  std::size_t bytes = 0;
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (out.hosts.size() >= kMostHosts || bytes > kMostHostBytes ||
        fs::equivalent(file, source, ignored))
      continue;
    const bool is_header = std::ranges::any_of(out.headers, [&](const SourceText& header) {
      std::error_code unlike;
      return fs::equivalent(file, header.name, unlike);
    });
    auto text = is_header ? std::nullopt : readable_text(file);
    if (!text) continue;
    if (file.extension() != ".py") {
      bytes += text->size();
      out.hosts.push_back({file.string(), std::move(*text)});
    } else if (text->find("tune_kernel") != text->npos) {
      out.scripts.push_back({file.string(), std::move(*text)});
    }
  }
}

}  // namespace

ProjectFiles project_files(const fs::path& source, const std::string& text) {
  std::error_code failed;
  fs::path folder = fs::weakly_canonical(source, failed).parent_path();
  if (failed || folder.empty()) folder = fs::absolute(source).parent_path();
  ProjectFiles out;
  Headers(folder, out).follow(text, folder);
  take_hosts(folder, source, out);
  take_hosts(folder.parent_path(), source, out);
  const auto includer = std::ranges::find_if(
      out.hosts, [&](const SourceText& host) { return includes(host, source); });
  if (includer != out.hosts.end()) out.includer = includer->name;
  return out;
}

}  // namespace tuner
