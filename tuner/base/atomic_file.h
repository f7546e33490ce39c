#pragma once
// Files that are either wholly there or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace tuner {

// Writes into a file without a name, where the file system has such (else beside the target), and
// renames it over the target on commit(); the destructor only discards. A device or a pipe, such as
// /dev/stdout, is written to as it is.
// Throws FatalError naming the path and the system's reason (disk full, read-only, ...).
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  // Durable: after a power cut the file is the old or the new one, never an empty one. What carries
  // a checksum of its own may do without, and saves the wait for the disk.
  void commit(bool durable = true);

 private:
  void give_name();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int fd_ = -1;
  bool named_ = false;   // whether the temporary name exists
  bool stream_ = false;  // nothing to rename
};

// The file that a link leads to, which need not be there; another path as it is. For files that the
// user names: the link stays. Elsewhere a link may be somebody else's trap, and is replaced.
std::filesystem::path file_behind_links(std::filesystem::path path);

void write_file_atomically(const std::filesystem::path& target, std::string_view bytes,
                           bool durable = true);

// False for pipes and devices: reading them may wait for ever. What is not there is none of these.
bool is_seekable_file(const std::filesystem::path& path);

// The whole file. Throws FatalError with the system's reason, at once for a pipe or a device.
std::string read_file(const std::filesystem::path& path);

}  // namespace tuner
