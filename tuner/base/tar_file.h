#pragma once
// The files of a tar archive.

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

struct PackedFile {
  std::string name;  // as the archive has it; it may be any path
  std::string_view text;
};

bool is_tar(std::string_view text);

// The regular files of an archive, in its order. Reads what GNU tar, bsdtar and Python write. The
// texts are parts of `archive`. Throws InputError, which names `file`, for an archive that is
// damaged.
std::vector<PackedFile> files_in_tar(std::string_view archive, const std::string& file);

}  // namespace tuner
