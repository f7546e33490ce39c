#pragma once
// A child of this program: started with exec (CUDA does not survive fork), talking over a socket
// pair, in a process group of its own so that a terminal's Ctrl-C reaches only the coordinator.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tuner {

// A file descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  int get() const { return fd_; }
  int release();
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The descriptor on which a child finds its end of the socket pair.
inline constexpr int kChildSocket = 3;

class ChildProcess {
 public:
  // What becomes of processes that the child started outside of its group: some clean up after it.
  enum class Leftovers { kStay, kEnd };

  // Throws FatalError when the program cannot be started.
  explicit ChildProcess(const std::vector<std::string>& argv,
                        Leftovers leftovers = Leftovers::kStay);
  // Kills the whole process group and reaps the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }

  void kill();
  // Gives a child that has closed its socket a moment to end by itself, so that kill() does not
  // hide what ended it.
  void let_end();
  // Waits for the end; "killed by signal 11 (Segmentation fault)" or "ended with status 3".
  std::string wait();
  // Once wait() has returned: whether it was killed, and not by us: by a user, or by a system that
  // ran out of memory.
  bool killed_from_outside() const { return killed_from_outside_; }

  // The last lines that the child wrote to stdout or stderr since clear_output().
  std::string output_tail(std::size_t bytes = 400) const;
  void clear_output();

 private:
  // Has ended, or will do so whatever we do now.
  bool is_ending() const;

  pid_t pid_ = -1;
  FileDescriptor socket_;
  FileDescriptor output_;
  std::string mark_;  // of its leftovers; empty when they stay
  std::string ending_;
  bool killed_by_us_ = false;
  bool killed_from_outside_ = false;
};

// In the child: die when the parent does, also when the parent dies before this call.
void die_with_parent();

// Path of the running program.
std::string executable_path();

}  // namespace tuner
