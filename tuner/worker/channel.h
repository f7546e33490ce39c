#pragma once
// The coordinator's side of one child: start it, talk to it, notice its end.

#include <poll.h>

#include <chrono>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/ports/size_evaluator.h"
#include "tuner/worker/frame.h"

namespace tuner {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

inline double seconds_since(TimePoint start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// How long a worker was at work, piece by piece.
class WorkLog {
 public:
  // From `start` until now.
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
};

class Channel {
 public:
  enum class Status { kAlive, kEnded };

  Channel(const WorkerProgram& program, const std::string& role);

  // Never waits: a child that is busy, or hangs, may not read for long. What it does not take now
  // goes out in pump() and wait().
  void send(const nlohmann::json& message);
  // Sends and reads what can be without waiting; of a child that talks without end, a part.
  Status pump();
  // Gives the child up: what it said makes no sense, so that nothing more can be believed.
  void condemn(const std::string& breach);
  // The next whole message. A malformed one ends the child: empty, and pump() says kEnded.
  std::optional<nlohmann::json> take();
  // Waits for the next message until the deadline; empty when the child ended or time is up.
  std::optional<nlohmann::json> wait(TimePoint deadline);

  // What to poll for, to know when pump() has something to do.
  pollfd watched() const;
  // pump() has seen the end, or the child was given up.
  bool has_ended() const { return ended_; }
  pid_t pid() const { return child_.pid(); }
  void kill() { child_.kill(); }
  // Reaps, and says how it ended, with the last of its output.
  std::string epitaph();
  // After epitaph(): it was killed by somebody else.
  bool killed_from_outside() const { return child_.killed_from_outside(); }
  void clear_output() { child_.clear_output(); }

 private:
  void flush();

  ChildProcess child_;
  FrameReader reader_;
  std::string outgoing_;
  bool ended_ = false;
  std::string breach_;  // of the protocol
};

}  // namespace tuner
