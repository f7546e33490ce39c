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
  // A keeper (base/keeper.h) ends whatever the program that it runs leaves behind. Of any other
  // program, what has left its process group stays: some clean up after it.
  enum class Kind { kProgram, kKeeper };

  // Throws FatalError when the program cannot be started.
  explicit ChildProcess(const std::vector<std::string>& argv, Kind kind = Kind::kProgram);
  // Kills the whole process group and reaps the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Returns the child's id; a keeper's is that of the program that it runs, once there is one.
  pid_t pid() const;
  int socket() const { return socket_.get(); }

  void kill();
  // Gives a child that has closed its socket a moment to end by itself, so that kill() does not
  // hide what ended it.
  void let_end();
  // Whether it ends, or closes its connection, within that time.
  bool ends_within(double seconds) const;
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
  bool is_keeper_;
  std::string ending_;
  bool killed_by_us_ = false;
  bool killed_from_outside_ = false;
};

// Children of a process that has one thread, the oldest one first; none on a system that does not
// list them.
std::vector<pid_t> children_of(pid_t process);

// Asks, in the child, for this signal when the parent dies; ends if the parent is dead already.
void die_with_parent(int signal);

// Path of the running program.
std::string executable_path();

}  // namespace tuner
