#pragma once
// Which tuners on a results folder are alive.

#include <cstdint>
#include <filesystem>

namespace tuner {

// Tells living tuners on one results directory from dead ones: each holds the lock of one byte of
// one small file. The system gives the lock up when the process dies, however it dies, so a process
// number that was reused or that belongs to another container never misleads.
class SessionLock {
 public:
  // Throws FatalError when the file cannot be opened.
  explicit SessionLock(const std::filesystem::path& file);
  ~SessionLock();
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  // Takes the lock of one session for as long as this object lives.
  bool take(std::int64_t session);

  // Gives a lock back at the end of a scope. Must not outlive the SessionLock.
  class Hold {
   public:
    Hold(int fd, std::int64_t session) : fd_(fd), session_(session) {}
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    int fd_;
    std::int64_t session_;
  };
  // Waits for the lock of one session.
  Hold wait(std::int64_t session);

  // Whether another holder has it.
  bool is_held(std::int64_t session) const;
  bool any_other_held() const;

 private:
  int fd_ = -1;
};

}  // namespace tuner
