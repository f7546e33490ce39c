// Looks at the owner and the mode of a folder, and at the owner of a link that leads to it.

#include "tuner/base/trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tuner {

std::string why_not_trusted(const std::filesystem::path& directory, Owner owner) {
  struct stat link {};
  struct stat folder {};
  if (::lstat(directory.c_str(), &link) != 0 || ::stat(directory.c_str(), &folder) != 0) return {};
  const auto is_foreign = [owner](uid_t user) {
    return user != ::geteuid() && (owner == Owner::kUser || user != 0);
  };
  if (is_foreign(link.st_uid) || is_foreign(folder.st_uid)) {
    return directory.string() + " belongs to another user";
  }
  if (S_ISDIR(folder.st_mode) && (folder.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "others may write to " + directory.string() + " (chmod go-w changes that)";
  }
  return {};
}

std::string why_file_not_trusted(const std::filesystem::path& file) {
  struct stat link {};
  struct stat facts {};
  struct stat folder {};
  if (::lstat(file.c_str(), &link) != 0 || ::stat(file.c_str(), &facts) != 0) return {};
  if (::stat(file.parent_path().c_str(), &folder) != 0) return {};
  for (const uid_t owner : {link.st_uid, facts.st_uid}) {
    if (owner != ::geteuid() && owner != 0 && owner != folder.st_uid) {
      return "it belongs to another user";
    }
  }
  if ((facts.st_mode & S_IWOTH) != 0) return "everybody may write to it (chmod o-w changes that)";
  return {};
}

// Not std::random_device: that of a static libstdc++ asks for the newest glibc.
std::uint64_t drawn_secret() {
  std::uint64_t out = 0;
  if (::getentropy(&out, sizeof out) != 0) {
    throw std::system_error(errno, std::generic_category(), "no random numbers from the system");
  }
  return out;
}

}  // namespace tuner
