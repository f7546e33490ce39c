#pragma once
// The coordinator's side of one worker: start it, here or on another machine, talk to it, notice
// its end.

#include <poll.h>
#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/ports/evaluator.h"
#include "tuner/worker/messages.h"

namespace tuner {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

// Returns the moment so much later; more than the clock can count, or infinity, is thirty years.
inline TimePoint after(TimePoint start, double seconds) {
  constexpr double kThirtyYears = 1e9;
  const std::chrono::duration<double> counted(std::min(seconds, kThirtyYears));
  return start + std::chrono::duration_cast<Clock::duration>(counted);
}

inline double seconds_since(TimePoint start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Sockets to wait for, and the earliest moment at which something is due.
struct PollSet {
  std::vector<pollfd> sockets;
  TimePoint due = TimePoint::max();

  void until(TimePoint at) { due = std::min(due, at); }
  // Until there is something to do; a second at most, since StoppedTime is asked that often.
  void wait();
};

// Time that does not count against a worker: a batch system may stop a job, and let it go on later.
class StoppedTime {
 public:
  // Returns the time since the last call during which this process did not run, or `worker` was
  // stopped; the latter counts for a minute at most since begin(), because a kernel may stop its
  // worker itself. Call it at least every second.
  Clock::duration take(pid_t worker, TimePoint now = Clock::now());
  // Starts to count anew at `now`.
  void begin(TimePoint now = Clock::now()) { *this = StoppedTime(now); }
  explicit StoppedTime(TimePoint now = Clock::now()) : looked_(now) {}

 private:
  TimePoint looked_;
  Clock::duration of_worker_{};
};

// How long a worker was at work, piece by piece.
class WorkLog {
 public:
  // Adds the time from `start` until now.
  void add(TimePoint start);
  double seconds() const { return seconds_; }
  const std::vector<BusySpan>& spans() const { return spans_; }

 private:
  std::vector<BusySpan> spans_;
  double seconds_ = 0;
};

// How workers are started, and what every one of them is told first.
struct WorkerProgram {
  std::string executable;
  std::vector<std::string> plugin_dirs;  // explicit ones, in order
  std::vector<std::string> wrapper{};    // a program that starts run workers, and its words
};

// Throws FatalError when the program cannot be started.
std::unique_ptr<ChildProcess> start_worker(const WorkerProgram& program, const std::string& role);

// The other end of a channel: a child process, or a thread of this one that serves like a child.
class Peer {
 public:
  virtual ~Peer() = default;  // ends it, and waits for that
  virtual int socket() const = 0;
  virtual pid_t pid() const = 0;  // of the process that it is, or lives in
  virtual void kill() = 0;
  virtual std::string wait() = 0;  // for its end; says how it ended
  // Gives a child process a moment to end by itself.
  virtual void let_end() {}
  virtual bool killed_from_outside() const { return false; }
  virtual std::string output_tail() const { return {}; }
  virtual void clear_output() {}
};

class Channel {
 public:
  enum class Status { kAlive, kEnded };

  Channel(const WorkerProgram& program, const std::string& role);
  explicit Channel(std::unique_ptr<Peer> peer) : peer_(std::move(peer)) {}

  // Never waits: a child that is busy, or hangs, may not read for long. What it does not take now
  // goes out in pump() and wait().
  void send(const nlohmann::json& message);
  // Sends and reads what can be without waiting; of a child that talks without end, a part.
  Status pump();
  // Gives the child up: what it said makes no sense, so that nothing more can be believed.
  void mark_corrupt(const std::string& breach);
  // The next whole message. A malformed one ends the child: empty, and pump() says kEnded.
  std::optional<nlohmann::json> take();
  // Waits for the next message until the deadline; empty when the child ended or time is up.
  std::optional<nlohmann::json> wait(TimePoint deadline);
  // Gives up once it is over, which is asked every kLookSeconds. Time in which nothing ran is given
  // back.
  static constexpr double kLookSeconds = 0.05;
  using IsOver = std::function<bool()>;
  std::optional<nlohmann::json> wait(TimePoint deadline, const IsOver& is_over);

  // Returns the socket to poll, to know when pump() has something to do.
  pollfd watched() const;
  // pump() has seen the end, or the child was given up.
  bool has_ended() const { return ended_; }
  pid_t pid() const { return peer_->pid(); }
  void kill() { peer_->kill(); }
  // Reaps, and says how it ended, with the last of its output.
  std::string exit_reason();
  // Returns whether it was killed by somebody else, or is gone with its machine; after
  // exit_reason().
  bool killed_from_outside() const { return peer_->killed_from_outside(); }
  void clear_output() { peer_->clear_output(); }

 private:
  void flush();

  std::unique_ptr<Peer> peer_;
  FrameReader reader_;
  std::string outgoing_;
  bool ended_ = false;
  std::string breach_;  // of the protocol
};

struct LentHost {
  unsigned rank = 0;  // of the coordinator: 0
  std::string node;   // ranks of one node see the same devices
  unsigned jobs = 1;  // compile workers that it has cores for
  // Starts a worker there. Throws UnavailableError when the machine is gone.
  std::function<std::unique_ptr<Channel>(const std::string& role)> start;

  std::string name() const { return "rank " + std::to_string(rank) + " on " + node; }
};

// All of them.
struct LentHosts {
  std::string node;  // where the coordinator is
  std::vector<LentHost> hosts;
};

}  // namespace tuner
