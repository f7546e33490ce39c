// Runs the workers of a rank that lends its cores and devices.

#include <poll.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/remote/handshake.h"
#include "tuner/remote/hub.h"
#include "tuner/remote/link.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

// One worker, and what it did not take yet.
struct Lent {
  std::unique_ptr<ChildProcess> child;
  std::string outgoing;
};

class Agent {
 public:
  Agent(RankLink& link, const RankProgram& program, const RankTimes& times,
        const std::atomic<bool>& is_over)
      : link_(link), program_(program), times_(times), is_over_(is_over) {}

  RankEnd serve() {
    Pace pace;
    while (!end_) {
      wait(pace);
      const bool moved = take_messages();
      if (is_over_ || seconds_since(heard_) > times_.gone_seconds) return RankEnd::kLost;
      if (pass_on() || moved) pace.hurry();
      if (seconds_since(said_) > times_.alive_seconds) say({Topic::kAlive, 0, {}});
    }
    return *end_;
  }

 private:
  void say(const Envelope& envelope) {
    link_.send(0, sealed(envelope));
    said_ = Clock::now();
  }

  // Links cannot be polled, so this never waits for long.
  void wait(Pace& pace) const {
    std::vector<pollfd> fds;
    for (const auto& [number, worker] : workers_) {
      fds.push_back(awaited(worker.child->socket(), worker.outgoing));
    }
    pace.poll(fds);
  }

  bool take_messages() {
    bool any = false;
    while (auto message = link_.receive()) {
      any = true;
      if (message->from != 0) continue;
      heard_ = Clock::now();
      take(unsealed(message->bytes));
    }
    return any;
  }

  void take(const Envelope& envelope) {
    const auto worker = workers_.find(envelope.worker);
    const bool is_there = worker != workers_.end();
    switch (envelope.topic) {
      case Topic::kWelcome:
        introduce(document_of(envelope));
        break;
      case Topic::kStart:
        start(envelope.worker, document_of(envelope).at("role").get<std::string>());
        break;
      case Topic::kBytes:
        if (is_there) worker->second.outgoing += envelope.body;
        break;
      case Topic::kKill:
        if (is_there) end(worker, true);
        break;
      case Topic::kClear:
        if (is_there) worker->second.child->clear_output();
        break;
      case Topic::kFinish:
        workers_.clear();
        say({Topic::kDone, 0, {}});
        break;
      case Topic::kLeave:
        end_ = flag_in(document_of(envelope), "all") ? RankEnd::kAll : RankEnd::kSome;
        break;
      default:
        break;
    }
  }

  // Relative names, those of folders of plugins too, mean what they mean to rank 0.
  void introduce(const nlohmann::json& welcome) {
    const std::string unseen = enter(welcome.at("files").get<SharedFiles>());
    RankFacts facts = program_.facts(welcome.at("plugin_dirs").get<std::vector<std::string>>());
    facts.node = link_.node();
    facts.unseen = unseen;
    say({Topic::kFacts, 0, body_of(facts)});
  }

  void start(std::uint32_t number, const std::string& role) {
    try {
      workers_[number].child = start_worker({program_.executable, {}}, role);
    } catch (const FatalError& error) {
      workers_.erase(number);
      say({Topic::kEnded, number,
           body_of({{"how", error.what()}, {"from_outside", false}, {"tail", ""}})});
    }
  }

  using Workers = std::map<std::uint32_t, Lent>;

  Workers::iterator end(Workers::iterator worker, bool at_once) {
    ChildProcess& child = *worker->second.child;
    if (!at_once) child.let_end();
    child.kill();
    const std::string how = child.wait();
    say({Topic::kEnded, worker->first,
         body_of({{"how", how},
                  {"from_outside", child.killed_from_outside()},
                  {"tail", nlohmann::json::binary(bytes_of(child.output_tail()))}})});
    return workers_.erase(worker);
  }

  // Makes bytes of output: what a kernel prints need not be text.
  static std::vector<std::uint8_t> bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
  }

  // Passes bytes on between rank 0 and the workers. False when there was nothing.
  bool pass_on() {
    bool any = false;
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      const int socket = worker->second.child->socket();
      any = write_some(socket, worker->second.outgoing) || any;
      auto bytes = read_some(socket);
      if (!bytes) {
        worker = end(worker, false);
        continue;
      }
      any = any || !bytes->empty();
      if (!bytes->empty()) say({Topic::kBytes, worker->first, *std::move(bytes)});
      ++worker;
    }
    return any;
  }

  RankLink& link_;
  const RankProgram& program_;
  RankTimes times_;
  const std::atomic<bool>& is_over_;
  Workers workers_;
  std::optional<RankEnd> end_;
  TimePoint heard_ = Clock::now();
  TimePoint said_ = Clock::now();
};

}  // namespace

RankEnd serve_rank_0(RankLink& link, const RankProgram& program, const RankTimes& times,
                     const std::atomic<bool>& is_over) {
  try {
    return Agent(link, program, times, is_over).serve();
  } catch (const std::exception&) {  // rank 0's message makes no sense: another program
    return RankEnd::kLost;
  }
}

}  // namespace tuner
