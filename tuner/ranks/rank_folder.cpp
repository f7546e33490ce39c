// Makes a rank's folder, and removes those of ranks that are no more.

#include "tuner/ranks/rank_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>

#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Of this machine's ranks: where machines share a folder, locks of others may not be seen.
std::string prefix() {
  utsname names{};
  ::uname(&names);
  return std::string("tuner-rank-") + names.nodename + "-";
}

// Between its making and its lock a folder looks abandoned.
constexpr std::chrono::minutes kYoung{1};

// Of this user's folder that nobody else has; empty otherwise.
FileDescriptor locked(const fs::path& folder) {
  FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  const bool is_own =
      lock.get() >= 0 && ::fstat(lock.get(), &facts) == 0 && facts.st_uid == ::geteuid();
  if (!is_own || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code failed;
  const auto young = fs::file_time_type::clock::now() - kYoung;
  for (fs::directory_iterator at(parent, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    if (!at->path().filename().string().starts_with(prefix())) continue;
    if (at->is_symlink(ignored) || at->last_write_time(ignored) > young) continue;
    const FileDescriptor lock = locked(at->path());
    if (lock.get() >= 0) fs::remove_all(at->path(), ignored);
  }
}

}  // namespace

RankFolder::RankFolder(const fs::path& parent) {
  remove_abandoned(parent);
  std::string name = (parent / (prefix() + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw FatalError("cannot make a folder in " + parent.string() + ": " + std::strerror(errno));
  }
  lock_ = locked(name);
  std::error_code failed;
  path_ = fs::canonical(name, failed);
  if (failed) path_ = name;
}

RankFolder::~RankFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace tuner
