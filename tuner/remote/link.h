#pragma once
// How ranks of a job reach each other: messages in order, of which none waits. MPI is one way;
// tests have another.

#include <poll.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tuner {

class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned count() const = 0;
  virtual std::string node() const = 0;
  // Does not wait. False when that rank cannot be reached.
  virtual bool send(unsigned rank, const std::string& bytes) = 0;
  struct Message {
    unsigned from = 0;
    std::string bytes;
  };
  // One that has come. To be called again and again, since it lets what is being sent go on.
  virtual std::optional<Message> receive() = 0;
  virtual bool is_sending() const = 0;
  // Leaves the job; waits until all ranks do so.
  virtual void finish() = 0;
};

// The link that MPI makes, by way of a module that is loaded only where it is wanted. Joins the
// ranks of this job, on the thread that will use the link. Throws UnavailableError where the module
// cannot be loaded, or MPI cannot be started.
std::unique_ptr<RankLink> make_mpi_link(const std::filesystem::path& module);

// ---- how often a link is looked at --------------------------------------------------------------

class Pace {
 public:
  // Something moved: more is likely to follow.
  void hurry() { microseconds_ = kShortest; }
  // Waits until one of `fds` is ready, or it is time to look at the link.
  void poll(std::vector<pollfd>& fds);

 private:
  static constexpr long kShortest = 50;
  static constexpr long kLongest = 1000;
  long microseconds_ = kShortest;
};

// ---- sockets of workers -------------------------------------------------------------------------

// Prepares poll() for a worker's socket: for writing, too, while `outgoing` is not empty.
inline pollfd awaited(int socket, const std::string& outgoing) {
  return {socket, static_cast<short>(outgoing.empty() ? POLLIN : POLLIN | POLLOUT), 0};
}

// Reads what has come, at most a large block; it may be empty. Nothing when the other end is gone.
std::optional<std::string> read_some(int socket);

// Writes what a socket takes now, and leaves the rest. False when it takes nothing. What is for
// somebody who is gone is dropped.
bool write_some(int socket, std::string& bytes);

}  // namespace tuner
