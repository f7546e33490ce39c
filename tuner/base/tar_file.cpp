// Reads tar archives: blocks of 512 bytes, a head before each file.

#include "tuner/base/tar_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "tuner/base/error.h"

namespace tuner {
namespace {

constexpr std::size_t kBlock = 512;

// A field ends at its width or at the first zero byte.
std::string_view field(std::string_view block, std::size_t at, std::size_t width) {
  const std::string_view all = block.substr(at, width);
  return all.substr(0, all.find('\0'));
}

std::optional<std::size_t> size_in(std::string_view head) {
  const std::string_view octal = field(head, 124, 12);
  std::size_t size = 0;
  const auto read = std::from_chars(octal.data(), octal.data() + octal.size(), size, 8);
  if (read.ec != std::errc{} || read.ptr == octal.data()) return std::nullopt;
  return size;
}

// POSIX splits a long name in two. GNU has other things in the second place.
std::string name_in(std::string_view head) {
  const std::string name(field(head, 0, 100));
  const bool posix = head[262] == '\0';
  const std::string folder(posix ? field(head, 345, 155) : "");
  return folder.empty() ? name : folder + "/" + name;
}

// A record is "<length> path=<name>\n".
std::string name_in_records(std::string_view records) {
  const std::size_t at = records.find(" path=");
  if (at == records.npos) return {};
  const std::size_t begin = at + 6;
  return std::string(records.substr(begin, records.find('\n', begin) - begin));
}

}  // namespace

bool is_tar(std::string_view text) {
  return text.size() >= kBlock && text.substr(257, 5) == "ustar";
}

std::vector<PackedFile> files_in_tar(std::string_view archive, const std::string& file) {
  std::vector<PackedFile> files;
  std::string long_name;  // told by an entry of its own, before the file's
  while (!archive.empty() && archive.front() != '\0') {
    const std::optional<std::size_t> size =
        is_tar(archive) ? size_in(archive.substr(0, kBlock)) : std::nullopt;
    if (!size || *size > archive.size() - kBlock) {
      throw InputError(
          Complaint{{file, 0, 0}, "is a damaged archive: what follows a file is no other one", ""});
    }
    const std::string_view head = archive.substr(0, kBlock);
    const std::string_view text = archive.substr(kBlock, *size);
    const char type = head[156];
    if (type == 'L') {
      long_name = field(text, 0, text.size());
    } else if (type == 'x') {
      long_name = name_in_records(text);
    } else {
      const std::string name = std::exchange(long_name, {});
      const bool regular = type == '0' || type == '\0';
      if (regular) files.push_back({name.empty() ? name_in(head) : name, text});
    }
    const std::size_t blocks = (*size + kBlock - 1) / kBlock;
    archive.remove_prefix(std::min(archive.size(), (1 + blocks) * kBlock));
  }
  return files;
}

}  // namespace tuner
