// Looks for a project's files as its build would, without knowing the build.

#include "tuner/source/project_files.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "tuner/base/text.h"
#include "tuner/source/build_settings.h"
#include "tuner/source/declarations.h"
#include "tuner/source/directives.h"
#include "tuner/source/text_file.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 100, kMostHosts = 200;
constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 20;
constexpr std::size_t kMostHostBytes = std::size_t{8} << 20;  // seconds' work
constexpr int kFoldersAbove = 4;

bool is_of_the_system(const std::string& name) {
  constexpr std::array<std::string_view, 3> kFolders{"/usr/include", "/usr/local/include",
                                                     "/usr/local/cuda/include"};
  return name.find('.') == std::string::npos ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) {
           std::error_code ignored;
           return fs::exists(fs::path(folder) / name, ignored);
         });
}

bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored);
}

// The folders that a project's build may name, the nearest first; `settings` get what its build
// files say.
std::vector<fs::path> neighbouring_folders(const fs::path& folder, const fs::path& source,
                                           const fs::path& root, BuildSettings& settings) {
  std::vector<fs::path> out;
  const auto take = [&](const fs::path& now) {
    for (const char* name : {"", "include", "common", "Common", "inc", "src", "util", "utils"}) {
      std::error_code ignored;
      const fs::path one = *name == '\0' ? now : now / name;
      if (fs::is_directory(one, ignored)) out.push_back(one);
    }
    for (const fs::path& file : build_files_of(now)) {
      add_settings(settings, build_settings(file, source));
    }
  };
  bool is_in_root = root.empty();
  fs::path now = folder;
  for (int i = 0; i <= kFoldersAbove && now.has_relative_path(); ++i, now = now.parent_path()) {
    take(now);
    is_in_root = is_in_root || is_same(now, root);
    std::error_code ignored;
    if (is_same(now, root) || (root.empty() && fs::exists(now / ".git", ignored))) break;
  }
  if (!is_in_root) take(root);
  return out;
}

// Lists what the #include directives of a text name; those of branches that are not looked at come
// last, since the first meaning of a name counts.
std::vector<Include> includes_in(const std::string& text) {
  std::vector<Include> out;
  for (const Directive& directive : possible_directives(text)) {
    const auto include = directive.name == "include" ? include_of(directive) : std::nullopt;
    if (include && !include->name.empty()) out.push_back(*include);
  }
  std::set<std::string> others;
  for (const Token& token : tokens_of(text)) {
    if (!token.other_branch || token.kind != Token::Kind::kDirective) continue;
    const auto read = directive_at(spliced(std::string(token.text)), 0);
    const auto include = read ? include_of(*read) : std::nullopt;
    if (include) others.insert(include->name);
  }
  std::stable_partition(out.begin(), out.end(),
                        [&](const Include& include) { return !others.contains(include.name); });
  return out;
}

class Headers {
 public:
  Headers(std::vector<fs::path> neighbours, ProjectFiles& out)
      : neighbours_(std::move(neighbours)), out_(out) {}

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
    auto text = readable_text(file, kLargestFile);
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

bool may_be_host(const fs::path& file) {
  return is_one_of(".cu .cuh .cpp .cc .cxx .c .h .hpp .py", file.extension().string());
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (may_be_host(at->path())) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

// Lists the files that may be host code in all folders of a project but hidden ones and those of a
// build.
std::vector<fs::path> files_below(const fs::path& root) {
  constexpr std::size_t kMostFiles = 2000;
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(root, failed), end;
       !failed && at != end && files.size() < kMostFiles; at.increment(failed)) {
    const std::string name = at->path().filename();
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      if (name.starts_with(".") || name.starts_with("build")) at.disable_recursion_pending();
    } else if (may_be_host(at->path())) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Takes those of the files that `is_wanted` for their text as host code or as scripts.
void take_hosts(
    const std::vector<fs::path>& files, const fs::path& source, ProjectFiles& out,
    const std::function<bool(const std::string&)>& is_wanted = [](const auto&) { return true; }) {
  std::size_t bytes = 0;
  const auto is_there = [](const std::vector<SourceText>& texts, const fs::path& file) {
    return std::ranges::any_of(texts,
                               [&](const SourceText& one) { return is_same(file, one.name); });
  };
  for (const fs::path& file : files) {
    if (out.hosts.size() >= kMostHosts || bytes > kMostHostBytes || is_same(file, source)) continue;
    const bool is_header = is_there(out.headers, file) || is_there(out.hosts, file);
    auto text = is_header ? std::nullopt : readable_text(file, kLargestFile);
    if (!text || !is_wanted(*text)) continue;
    const bool is_script = file.extension() == ".py";
    if (is_script ? text->find("tune_kernel") != text->npos : is_ktt_program(*text)) {
      out.scripts.push_back({file.string(), std::move(*text)});
    } else if (!is_script) {
      bytes += text->size();
      out.hosts.push_back({file.string(), std::move(*text)});
    }
  }
}

// The names of the kernels that a text defines.
std::set<std::string> kernels_in(const std::string& text) {
  std::set<std::string> out;
  if (text.find("__global__") == text.npos) return out;
  const std::vector<Token> code = code_of(tokens_of(text));
  for (const Declaration& one : declarations_of(code)) {
    const bool is_kernel = one.kind == Declaration::Kind::kFunction && !one.body.empty();
    if (is_kernel && mentions(one.head, "__global__")) out.emplace(last_name(one.name));
  }
  return out;
}

// Takes host code that launches the source's kernels from the other folders of its project, where
// none that is near does. A folder with build files is a project; a kernel of the same name that
// another program has is that program's.
void take_launches(const fs::path& folder, const fs::path& source, const std::string& text,
                   ProjectFiles& out) {
  const std::set<std::string> kernels = kernels_in(text);
  const auto launches = [&](const std::string& host) {
    if (host.find("<<<") == host.npos) return false;
    const std::set<std::string> own = kernels_in(host);
    const std::vector<Token> tokens = tokens_of(host);
    for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
      const std::string name(tokens[at].text);
      const bool is_launched = kernels.contains(name) && tokens[at + 1].text.starts_with("<");
      if (is_launched && !own.contains(name)) return true;
    }
    return false;
  };
  const auto is_near = [&](const std::vector<SourceText>& texts) {
    return std::ranges::any_of(texts, launches, &SourceText::text);
  };
  if (text.find("<<<") != text.npos || is_near(out.headers)) return;
  fs::path now = folder;
  for (int i = 0; i < kFoldersAbove && now.has_relative_path() && !is_near(out.hosts); ++i) {
    std::error_code ignored;
    if (fs::exists(now / ".git", ignored)) return;
    now = now.parent_path();
    if (!build_files_of(now).empty()) take_hosts(files_below(now), source, out, launches);
  }
}

}  // namespace

bool is_ktt_program(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  return (has("Ktt.h") || has("tuner_api.h")) && (has(".AddKernel") || has(".addKernel"));
}

ProjectFiles project_files(const fs::path& source, const std::string& text,
                           const ProjectHints& hints) {
  std::error_code failed;
  fs::path folder = fs::weakly_canonical(source, failed).parent_path();
  if (failed || folder.empty()) folder = fs::absolute(source).parent_path();
  ProjectFiles out;
  out.include_dirs = hints.include_dirs;
  BuildSettings settings;
  std::vector<fs::path> neighbours = hints.include_dirs;
  std::ranges::move(neighbouring_folders(folder, source, hints.root, settings),
                    std::back_inserter(neighbours));
  std::ranges::copy_if(
      settings.include_dirs, std::back_inserter(neighbours),
      [&](const fs::path& one) { return std::ranges::find(neighbours, one) == neighbours.end(); });
  out.definitions = std::move(settings.definitions);
  out.standard = std::move(settings.standard);
  Headers(std::move(neighbours), out).follow(text, folder);
  take_hosts(hints.hosts, source, out);
  take_hosts(files_in(folder), source, out);
  take_hosts(files_in(folder.parent_path()), source, out);
  if (!hints.root.empty()) take_hosts(files_below(hints.root), source, out);
  take_launches(folder, source, text, out);
  const auto includer = std::ranges::find_if(
      out.hosts, [&](const SourceText& host) { return includes(host, source); });
  if (includer != out.hosts.end()) out.includer = includer->name;
  return out;
}

}  // namespace tuner
