#pragma once
// Both sides of the job. On rank 0 workers of other ranks look to the coordinator like children; a
// thread of its own, the one that has made the link, passes on their messages.

#include <poll.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/remote/handshake.h"
#include "tuner/remote/link.h"
#include "tuner/worker/channel.h"

namespace tuner {

// How long ranks may be silent.
struct RankTimes {
  double alive_seconds = 2;  // then they report that they are there
  double gone_seconds = 15;  // then they count as dead
};

class RankHub {
 public:
  RankHub(RankLink& link, RankTimes times);
  RankHub(const RankHub&) = delete;
  RankHub& operator=(const RankHub&) = delete;

  // On the thread of the link, until stop(). Whether all other ranks are there until the end.
  bool pass_on();
  void stop();

  // Queries what each rank is, and waits for that. Those that do not answer are missing.
  std::map<unsigned, RankFacts> ask(const std::vector<std::string>& plugin_dirs,
                                    const SharedFiles& files, double seconds);
  // Starts a worker there, which ends before this does. Throws UnavailableError when the rank is
  // gone.
  std::unique_ptr<Peer> start(unsigned rank, const std::string& role);

 private:
  friend class RemoteWorker;

  // State of a worker of another rank.
  struct Remote {
    unsigned rank = 0;
    FileDescriptor socket;  // this side's end
    std::string outgoing;   // to the coordinator
    bool is_closing = false;
    std::optional<nlohmann::json> ended;  // Topic::kEnded
  };
  struct Rank {
    TimePoint heard = Clock::now();
    bool is_gone = false;
    bool is_done = false;
    std::optional<RankFacts> facts;
  };

  void post(unsigned rank, Envelope envelope);
  void wake();
  bool is_stopping();
  bool are_all_done();

  void send_posted();
  bool take_messages();
  void take(unsigned from, const Envelope& envelope);
  bool pass_on_bytes();
  bool let_leave();
  bool is_silent(unsigned rank) const;  // under the lock
  void look_for_dead();
  void lose(unsigned rank);
  std::vector<pollfd> watched();

  RankLink& link_;
  RankTimes times_;
  FileDescriptor wake_;
  TimePoint said_ = Clock::now();

  std::mutex mutex_;  // of all that follows
  std::condition_variable news_;
  std::deque<std::pair<unsigned, Envelope>> posted_;
  std::map<unsigned, Rank> ranks_;
  std::map<std::uint32_t, std::shared_ptr<Remote>> workers_;
  std::uint32_t last_worker_ = 0;
  bool is_stopping_ = false;
};

// ---- the other side -----------------------------------------------------------------------------
//
// A rank that lends its cores and devices starts workers where rank 0 wants them, and passes on
// the messages between them and rank 0. A variant that crashes takes its worker along, never the
// rank.

// Program of a rank: what it starts, and how it describes itself.
struct RankProgram {
  std::string executable;  // whose workers it starts
  // Returns the rank's facts, given where plugins may be.
  std::function<RankFacts(const std::vector<std::string>& plugin_dirs)> facts;
};

// How a rank's work came to an end.
enum class RankEnd {
  kAll,   // all ranks leave
  kSome,  // others are gone: who leaves in order would wait for them
  kLost   // rank 0 is gone, or this one was told to end
};

// Serves rank 0 until that ends the job or is gone, or until `is_over`.
RankEnd serve_rank_0(RankLink& link, const RankProgram& program, const RankTimes& times,
                     const std::atomic<bool>& is_over);

}  // namespace tuner
