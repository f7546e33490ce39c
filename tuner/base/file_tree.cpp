// Follows names through folders and links.

#include "tuner/base/file_tree.h"

#include <algorithm>
#include <deque>
#include <system_error>

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the system follows them

template <typename T>
void add_once(std::vector<T>& to, T one) {
  if (std::ranges::find(to, one) == to.end()) to.push_back(std::move(one));
}

}  // namespace

void FileTree::add(const fs::path& name, bool by_copy, FileDigests& digests) {
  std::error_code failed;
  const fs::path whole = fs::path(folder) / name;
  std::deque<fs::path> left(whole.begin(), whole.end());
  fs::path at = "/";  // without links
  int followed = 0;
  while (!left.empty()) {
    const fs::path part = std::move(left.front());
    left.pop_front();
    if (part.empty() || part == "." || part == "/") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / part;
    const fs::file_status status = fs::symlink_status(next, failed);
    if (fs::is_symlink(status)) {
      const fs::path target = fs::read_symlink(next, failed);
      if (failed || ++followed > kMostLinks) return;
      add_once(links, std::pair(next.string(), target.string()));
      left.insert(left.begin(), target.begin(), target.end());
      if (target.is_absolute()) at = "/";
    } else if (fs::is_directory(status)) {
      at = next;
      add_once(folders, at.string());
    } else {
      if (left.empty() && fs::is_regular_file(status)) add_file(next.string(), by_copy, digests);
      return;
    }
  }
}

void FileTree::add_file(const std::string& path, bool by_copy, FileDigests& digests) {
  const auto known = std::ranges::find(files, path, &File::path);
  if (known != files.end()) {
    known->by_copy = known->by_copy || by_copy;
    return;
  }
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  const std::string digest = digests.text_of(path);
  if (!failed && !digest.empty()) files.push_back({path, digest, size, by_copy});
}

}  // namespace tuner
