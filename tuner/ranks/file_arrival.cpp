// Lays out files that come in blocks, and compares them with their digests.

#include "tuner/ranks/file_arrival.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

FatalError cannot_write(const std::string& path, const std::string& why) {
  return FatalError("cannot write " + path + ": " + why);
}

}  // namespace

void to_json(nlohmann::json& j, const FileTree& tree) {
  j = {{"folder", tree.folder}, {"folders", tree.folders}, {"links", tree.links}};
  j["files"] = nlohmann::json::array();
  for (const FileTree::File& file : tree.files) {
    j["files"].push_back({{"path", file.path},
                          {"digest", file.digest},
                          {"size", file.size},
                          {"by_copy", file.by_copy}});
  }
}

void from_json(const nlohmann::json& j, FileTree& tree) {
  j.at("folder").get_to(tree.folder);
  j.at("folders").get_to(tree.folders);
  j.at("links").get_to(tree.links);
  for (const nlohmann::json& one : j.at("files")) {
    FileTree::File& file = tree.files.emplace_back();
    one.at("path").get_to(file.path);
    one.at("digest").get_to(file.digest);
    one.at("size").get_to(file.size);
    one.at("by_copy").get_to(file.by_copy);
  }
}

FileArrival::FileArrival(FileTree tree, const fs::path& parent)
    : tree_(std::move(tree)), folder_(parent) {
  lay_out();
}

void FileArrival::lay_out() {
  const auto check = [](const std::string& path, const std::error_code& failed) {
    if (failed) throw cannot_write(path, failed.message());
  };
  std::error_code failed;
  for (const std::string& folder : tree_.folders) {
    fs::create_directories(root() + folder, failed);
    check(root() + folder, failed);
  }
  for (const auto& [link, target] : tree_.links) {
    const bool is_whole = target.starts_with('/');
    fs::create_symlink((is_whole ? root() : "") + target, root() + link, failed);
    check(root() + link, failed);
  }
}

std::optional<FileArrival::Block> FileArrival::go_on() {
  if (is_done()) return std::nullopt;
  if (!is_begun_) begin();
  if (is_own_) {
    compare_own();
    return std::nullopt;
  }
  is_waiting_ = true;
  return at_;
}

void FileArrival::begin() {
  std::error_code failed;
  is_begun_ = true;
  is_own_ = !file().by_copy && fs::is_regular_file(file().path, failed) &&
            fs::file_size(file().path, failed) == file().size;
  if (!is_own_) await();
}

// One more block of what lies here.
void FileArrival::compare_own() {
  const auto block = read_block(file().path, at_.offset);
  if (block) {
    hasher_.add(*block);
    at_.offset += block->size();
    if (block->size() == kFileBlock) return;
  }
  if (!block || to_hex(hasher_.digest()) != file().digest) return await();
  std::error_code failed;
  fs::create_symlink(file().path, root() + file().path, failed);
  if (failed) throw cannot_write(root() + file().path, failed.message());
  next();
}

void FileArrival::await() {
  is_own_ = false;
  hasher_ = {};
  at_.offset = 0;
  const std::string path = root() + file().path;
  out_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (out_.get() < 0) throw cannot_write(path, std::strerror(errno));
}

void FileArrival::take(const Block& which, std::string_view bytes) {
  if (!is_waiting_ || which.file != at_.file || which.offset != at_.offset) return;
  is_waiting_ = false;
  hasher_.add(bytes);
  at_.offset += bytes.size();
  const bool is_last = bytes.size() < kFileBlock;
  while (!bytes.empty()) {
    const ssize_t written = ::write(out_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw cannot_write(root() + file().path, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool is_same =
      is_last ? to_hex(hasher_.digest()) == file().digest : at_.offset <= file().size;
  if (!is_same) throw FatalError(file().path + " of rank 0 changed before it was here");
  if (is_last) next();
}

void FileArrival::next() {
  out_.reset();
  hasher_ = {};
  at_ = {at_.file + 1, 0};
  is_begun_ = false;
}

}  // namespace tuner
