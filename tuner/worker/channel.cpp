// Exchanges messages with one child and notices its end.

#include "tuner/worker/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/base/process_state.h"

namespace tuner {
namespace {

class ChildPeer final : public Peer {
 public:
  ChildPeer(const WorkerProgram& program, const std::string& role)
      : child_(start_worker(program, role)) {}

  int socket() const override { return child_->socket(); }
  pid_t pid() const override { return child_->pid(); }
  void kill() override { child_->kill(); }
  void let_end() override { child_->let_end(); }
  std::string wait() override { return child_->wait(); }
  bool killed_from_outside() const override { return child_->killed_from_outside(); }
  std::string output_tail() const override { return child_->output_tail(); }
  void clear_output() override { child_->clear_output(); }

 private:
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace

// Variants run in a run worker, and start whatever they like.
std::unique_ptr<ChildProcess> start_worker(const WorkerProgram& program, const std::string& role) {
  if (role != "run") {
    return std::make_unique<ChildProcess>(
        std::vector<std::string>{program.executable, "worker", role});
  }
  std::vector<std::string> words{program.executable, "worker", "keep"};
  words.insert(words.end(), program.wrapper.begin(), program.wrapper.end());
  words.insert(words.end(), {program.executable, "worker", role});
  return std::make_unique<ChildProcess>(words, ChildProcess::Kind::kKeeper);
}

Clock::duration StoppedTime::take(pid_t worker, TimePoint now) {
  // Whoever waits looks again after a second: longer, and this process did not run.
  constexpr std::chrono::seconds kLongest{2};
  constexpr std::chrono::minutes kMostOfWorker{1};
  // Asking the system takes as long as reading a message, of which there are many each second, and
  // it is asked for each of many workers.
  constexpr std::chrono::milliseconds kShortest{100};
  if (now - looked_ < kShortest) return {};
  const Clock::duration since = now - std::exchange(looked_, now);
  if (since > kLongest) return since;
  if (of_worker_ >= kMostOfWorker || !is_stopped(worker)) return {};
  of_worker_ += since;
  return since;
}

void PollSet::wait() {
  const auto most = std::min(due, Clock::now() + std::chrono::seconds(1)) - Clock::now();
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  ::poll(sockets.data(), sockets.size(), static_cast<int>(std::max<long long>(left, 0)));
}

void WorkLog::add(TimePoint start) {
  const auto seconds = [](TimePoint at) {
    return std::chrono::duration<double>(at.time_since_epoch()).count();
  };
  spans_.push_back({seconds(start), seconds(Clock::now())});
  seconds_ += spans_.back().end - spans_.back().begin;
}

Channel::Channel(const WorkerProgram& program, const std::string& role)
    : Channel(std::make_unique<ChildPeer>(program, role)) {
  send({{"type", "start"}, {"plugin_dirs", program.plugin_dirs}});
}

void Channel::send(const nlohmann::json& message) {
  outgoing_ += encode_frame(message);
  flush();
}

void Channel::flush() {
  std::size_t done = 0;
  while (done < outgoing_.size()) {
    const ssize_t sent = ::send(peer_->socket(), outgoing_.data() + done, outgoing_.size() - done,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    // Nobody is there any more. What the child said before is still to be read, and then its end.
    done = sent < 0 ? outgoing_.size() : done + static_cast<std::size_t>(sent);
  }
  outgoing_.erase(0, done);
}

pollfd Channel::watched() const {
  const bool sends = !outgoing_.empty();
  return {peer_->socket(), static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
}

Channel::Status Channel::pump() {
  constexpr int kMostBlocks = 64;
  flush();
  constexpr std::size_t kBlock = 1 << 16;
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);  // NOLINT: none is written
  for (int blocks = 0; !ended_ && blocks < kMostBlocks; ++blocks) {
    const ssize_t got = ::recv(peer_->socket(), block.get(), kBlock, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      ended_ = true;
    } else {
      reader_.feed(block.get(), static_cast<std::size_t>(got));
    }
  }
  return ended_ ? Status::kEnded : Status::kAlive;
}

std::optional<nlohmann::json> Channel::take() {
  if (!breach_.empty()) return std::nullopt;
  try {
    return reader_.next();
  } catch (const ProtocolError& error) {
    // Most likely a variant has scribbled over its own process.
    mark_corrupt(error.what());
    return std::nullopt;
  }
}

void Channel::mark_corrupt(const std::string& breach) {
  peer_->kill();
  ended_ = true;
  breach_ = breach;
}

std::optional<nlohmann::json> Channel::wait(TimePoint deadline) {
  for (;;) {
    const Status status = pump();
    if (auto message = take()) return message;
    if (status == Status::kEnded || ended_) return std::nullopt;
    if (Clock::now() >= deadline) return std::nullopt;
    PollSet awaited;
    awaited.sockets.push_back(watched());
    awaited.until(deadline);
    awaited.wait();
  }
}

std::optional<nlohmann::json> Channel::wait(TimePoint deadline, const IsOver& is_over) {
  StoppedTime stopped;
  for (;;) {
    if (auto answer = wait(std::min(deadline, after(Clock::now(), kLookSeconds)))) return answer;
    if (deadline != TimePoint::max()) deadline += stopped.take(pid());
    if (ended_ || Clock::now() >= deadline || is_over()) return std::nullopt;
  }
}

std::string Channel::exit_reason() {
  if (ended_) peer_->let_end();
  peer_->kill();
  std::string text = peer_->wait();
  if (!breach_.empty()) text = "killed because it broke the protocol: " + breach_;
  const std::string tail = peer_->output_tail();
  return tail.empty() ? text : text + "; its last output: " + tail;
}

}  // namespace tuner
