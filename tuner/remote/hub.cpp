// Passes messages between the coordinator and workers of other ranks.

#include "tuner/remote/hub.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tuner/base/error.h"
#include "tuner/remote/link.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr double kTimesSilent = 2.5;  // as long as it would take to report that it is there
constexpr double kEndSeconds = 10;    // a process with a context of a device ends slowly

std::string name_of(unsigned rank) { return "rank " + std::to_string(rank); }

}  // namespace

// A worker of another rank, as the coordinator holds it.
class RemoteWorker final : public Peer {
 public:
  RemoteWorker(RankHub& hub, std::uint32_t number, std::shared_ptr<RankHub::Remote> remote,
               FileDescriptor socket)
      : hub_(hub), number_(number), remote_(std::move(remote)), socket_(std::move(socket)) {}
  // Nobody waits for its end: the rank sees to that.
  ~RemoteWorker() override { kill(); }
  RemoteWorker(const RemoteWorker&) = delete;
  RemoteWorker& operator=(const RemoteWorker&) = delete;

  int socket() const override { return socket_.get(); }
  pid_t pid() const override { return 0; }  // none of this machine
  void kill() override { hub_.post(remote_->rank, {Topic::kKill, number_, {}}); }
  std::string wait() override {
    std::unique_lock lock(hub_.mutex_);
    const TimePoint begin = Clock::now();
    while (!remote_->ended && seconds_since(begin) < kEndSeconds &&
           !hub_.is_silent(remote_->rank)) {
      hub_.news_.wait_for(lock, std::chrono::milliseconds(20));
    }
    const std::string how = remote_->ended ? text_in(*remote_->ended, "how") : "";
    return (how.empty() ? "ended" : how) + " on " + name_of(remote_->rank);
  }
  // Without an answer the rank is to blame, not what its worker was doing.
  bool killed_from_outside() const override {
    const std::scoped_lock lock(hub_.mutex_);
    return !remote_->ended || flag_in(*remote_->ended, "from_outside");
  }
  std::string output_tail() const override {
    const std::scoped_lock lock(hub_.mutex_);
    if (!remote_->ended) return {};
    const auto tail = remote_->ended->find("tail");
    if (tail == remote_->ended->end() || !tail->is_binary()) return {};
    return {tail->get_binary().begin(), tail->get_binary().end()};
  }
  void clear_output() override { hub_.post(remote_->rank, {Topic::kClear, number_, {}}); }

 private:
  RankHub& hub_;
  std::uint32_t number_;
  std::shared_ptr<RankHub::Remote> remote_;
  FileDescriptor socket_;
};

RankHub::RankHub(RankLink& link, RankTimes times)
    : link_(link), times_(times), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (unsigned rank = 1; rank < link.count(); ++rank) ranks_[rank] = {};
}

bool RankHub::is_silent(unsigned rank) const {
  return seconds_since(ranks_.at(rank).heard) > kTimesSilent * times_.alive_seconds;
}

// ---- for the coordinator's thread ---------------------------------------------------------------

void RankHub::wake() {
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return;  // it is awake
}

void RankHub::post(unsigned rank, Envelope envelope) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.emplace_back(rank, std::move(envelope));
  }
  wake();
}

void RankHub::stop() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
    for (const auto& [rank, state] : ranks_) posted_.push_back({rank, {Topic::kFinish, 0, {}}});
  }
  wake();
}

std::map<unsigned, RankFacts> RankHub::ask(const std::vector<std::string>& plugin_dirs,
                                           const SharedFiles& files, double seconds) {
  for (unsigned rank = 1; rank < link_.count(); ++rank) {
    post(rank, {Topic::kWelcome, 0, body_of({{"plugin_dirs", plugin_dirs}, {"files", files}})});
  }
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, std::chrono::duration<double>(seconds), [this] {
    return std::ranges::all_of(
        ranks_, [](const auto& one) { return one.second.facts || one.second.is_gone; });
  });
  std::map<unsigned, RankFacts> facts;
  for (const auto& [rank, state] : ranks_) {
    if (state.facts) facts[rank] = *state.facts;
  }
  return facts;
}

std::unique_ptr<Peer> RankHub::start(unsigned rank, const std::string& role) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw FatalError("cannot make a socket pair for a worker of " + name_of(rank));
  }
  FileDescriptor theirs(ends[1]);
  auto remote = std::make_shared<Remote>();
  remote->rank = rank;
  remote->socket.reset(ends[0]);
  std::uint32_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (ranks_.at(rank).is_gone) {
      throw UnavailableError("it has not been heard of for " +
                             std::to_string(static_cast<int>(times_.gone_seconds)) + " s");
    }
    number = ++last_worker_;
    workers_.emplace(number, remote);
    posted_.push_back({rank, {Topic::kStart, number, body_of({{"role", role}})}});
  }
  wake();
  return std::make_unique<RemoteWorker>(*this, number, std::move(remote), std::move(theirs));
}

// ---- for the thread of the link -----------------------------------------------------------------

bool RankHub::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

bool RankHub::are_all_done() {
  const std::scoped_lock lock(mutex_);
  return std::ranges::all_of(
      ranks_, [](const auto& one) { return one.second.is_done || one.second.is_gone; });
}

bool RankHub::pass_on() {
  Pace pace;
  while (!is_stopping() || !are_all_done()) {
    std::vector<pollfd> fds = watched();
    pace.poll(fds);
    std::uint64_t woken = 0;
    if (::read(wake_.get(), &woken, sizeof woken) > 0) pace.hurry();
    // Before what is posted: a worker is killed after what was sent to it.
    const bool moved = pass_on_bytes();
    send_posted();
    if (take_messages() || moved) pace.hurry();
    look_for_dead();
  }
  return let_leave();
}

// All at the same time: who leaves a job waits for the others.
bool RankHub::let_leave() {
  bool all = true;
  {
    const std::scoped_lock lock(mutex_);
    all = std::ranges::none_of(ranks_, [](const auto& one) { return one.second.is_gone; });
  }
  const std::string leave = sealed({Topic::kLeave, 0, body_of({{"all", all}})});
  for (unsigned rank = 1; rank < link_.count(); ++rank) link_.send(rank, leave);
  // Waits a second at most: a message to a dead rank is never sent.
  for (const TimePoint begin = Clock::now(); link_.is_sending() && seconds_since(begin) < 1;) {
    link_.receive();
  }
  return all;
}

std::vector<pollfd> RankHub::watched() {
  const std::scoped_lock lock(mutex_);
  std::vector<pollfd> fds{{wake_.get(), POLLIN, 0}};
  for (const auto& [number, worker] : workers_) {
    fds.push_back(awaited(worker->socket.get(), worker->outgoing));
  }
  return fds;
}

void RankHub::send_posted() {
  std::deque<std::pair<unsigned, Envelope>> posted;
  {
    const std::scoped_lock lock(mutex_);
    posted.swap(posted_);
  }
  if (posted.empty() && seconds_since(said_) > times_.alive_seconds) {
    said_ = Clock::now();
    for (unsigned rank = 1; rank < link_.count(); ++rank) {
      posted.push_back({rank, {Topic::kAlive, 0, {}}});
    }
  }
  for (const auto& [rank, envelope] : posted) link_.send(rank, sealed(envelope));
}

bool RankHub::take_messages() {
  bool any = false;
  while (auto message = link_.receive()) {
    any = true;
    try {
      take(message->from, unsealed(message->bytes));
    } catch (const std::exception&) {
      const std::scoped_lock lock(mutex_);
      lose(message->from);  // its message makes no sense
    }
  }
  return any;
}

void RankHub::take(unsigned from, const Envelope& envelope) {
  const std::scoped_lock lock(mutex_);
  Rank& rank = ranks_.at(from);
  rank.heard = Clock::now();
  if (rank.is_gone) return;
  if (envelope.topic == Topic::kFacts) rank.facts = document_of(envelope).get<RankFacts>();
  if (envelope.topic == Topic::kDone) rank.is_done = true;
  const auto worker = workers_.find(envelope.worker);
  if (worker != workers_.end() && worker->second->rank == from) {
    if (envelope.topic == Topic::kBytes) worker->second->outgoing += envelope.body;
    if (envelope.topic == Topic::kEnded) {
      worker->second->ended = document_of(envelope);
      worker->second->is_closing = true;
    }
  }
  news_.notify_all();
}

// Under the lock. Its workers have ended, through no fault of theirs.
void RankHub::lose(unsigned rank) {
  ranks_.at(rank).is_gone = true;
  for (auto& [number, worker] : workers_) {
    if (worker->rank != rank || worker->ended) continue;
    worker->ended = {{"how", "gone"}, {"from_outside", true}};
    worker->is_closing = true;
  }
  news_.notify_all();
}

void RankHub::look_for_dead() {
  const std::scoped_lock lock(mutex_);
  for (auto& [rank, state] : ranks_) {
    if (state.is_gone || state.is_done) continue;
    if (seconds_since(state.heard) > times_.gone_seconds) lose(rank);
  }
}

// Passes bytes on between the coordinator and workers. The end of a worker is seen after its last
// words.
bool RankHub::pass_on_bytes() {
  const std::scoped_lock lock(mutex_);
  bool any = false;
  for (auto at = workers_.begin(); at != workers_.end();) {
    Remote& worker = *at->second;
    const int socket = worker.socket.get();
    any = write_some(socket, worker.outgoing) || any;
    auto bytes = read_some(socket);
    const bool is_dropped = !bytes;
    if (bytes && !bytes->empty()) {
      any = true;
      posted_.push_back({worker.rank, {Topic::kBytes, at->first, *std::move(bytes)}});
    }
    if (is_dropped || (worker.is_closing && worker.outgoing.empty())) {
      worker.socket.reset();
      at = workers_.erase(at);
    } else {
      ++at;
    }
  }
  return any;
}

}  // namespace tuner
