#pragma once
// As many compile workers as there are jobs; a compiler that crashes, loops or eats all memory
// takes only its worker along, and its request fails with the reason. Equal requests that are under
// way at the same time are compiled once. Other machines may lend workers; one that is gone, or
// whose compiler is another one, is left out, and its work goes to the others.

#include <poll.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/lent_host.h"

namespace tuner {

struct CompilePoolOptions {
  std::string backend;
  unsigned jobs = 1;
  double deadline_seconds = 120;                                  // for one compilation
  std::string cache_dir;                                          // empty = no artifact cache
  std::vector<std::pair<std::string, std::string>> options = {};  // of the backend
  std::function<void(const std::string&)> warn =
      {};  // told, once, that the cache cannot be written, and of each machine that is left out
  // Keeps what another machine compiled, by its key; may be empty.
  std::function<void(const std::string& key, const Artifact&)> keep = {};
};

// One artifact, and one image in memory, for all who wait for it.
using CompileOutcome = Expected<std::shared_ptr<const Artifact>, CompileFailure>;

struct CompileResult {
  std::uint64_t id = 0;
  CompileOutcome outcome;
  bool shared = false;  // an earlier id asked for it: this one cost nothing
};

class CompilePool {
 public:
  // `options.jobs` workers of this machine, and those of `hosts`.
  CompilePool(WorkerProgram program, CompilePoolOptions options, std::vector<LentHost> hosts = {});

  // Starts all workers without waiting for them: they get ready while a device is being opened.
  void warm_up();

  // Identity of the compiler, for cache keys. Starts a worker and waits for it. Throws
  // UnavailableError with the compiler's reason.
  const std::string& identity();

  // `key` names the artifact in the cache. While a request with this key is under way, `request` is
  // dropped, and the answer to that one, good or bad, is the answer to both. Returns the id that
  // the result will have; none is given twice.
  std::uint64_t submit(const std::string& key, CompileRequest request);
  bool is_under_way(const std::string& key) const { return askers_.contains(key); }
  // These ids are never answered. What only they asked for is not compiled any more: a worker that
  // is at it is ended, and what it had before it is what it did not begin.
  void cancel(const std::vector<std::uint64_t>& ids);
  // For how long this key has been with a compiler; empty while it waits for one.
  std::optional<double> seconds_at_work(const std::string& key) const;
  // Compilations that are under way, of which each may have several ids.
  std::size_t outstanding() const { return askers_.size(); }
  unsigned jobs() const;  // workers that are not left out

  void watch(std::vector<pollfd>& fds) const;
  // Earliest moment at which handle() has something to do even if nothing is readable.
  TimePoint deadline() const;
  // Reads answers, replaces the dead, hands out waiting requests.
  std::vector<CompileResult> handle();

  // Peak memory of the workers that are alive.
  std::uint64_t peak_memory() const;
  // Seconds of worker time spent compiling.
  double busy_seconds() const { return work_.seconds(); }
  const std::vector<BusySpan>& busy() const { return work_.spans(); }

 private:
  struct Job {
    std::string key;
    CompileRequest request;
    int chances = 0;  // second ones that it had
  };
  struct Site {
    LentHost host;
    bool left_out = false;
  };
  struct Worker {
    Site* site = nullptr;  // null: this machine
    std::unique_ptr<Channel> channel;
    bool ready = false;
    std::deque<Job> jobs;  // the first is being compiled, the others lie in its socket
    TimePoint started;     // of the first job, or of the worker while it is not ready
  };

  // False when its machine is left out.
  bool start(Worker& worker);
  void leave_out(Site& site, const std::string& why);
  void take_identity(Worker& worker, const std::string& identity);
  void dispatch();
  bool is_wanted(const Job& job) const;
  void take_back(Worker& worker);
  void read(Worker& worker, std::vector<CompileResult>& results);
  // The first job has come to an end.
  void finish(Worker& worker, const CompileOutcome& outcome, std::vector<CompileResult>& results);
  // Gives the first job another chance if it may have one: false when not.
  bool try_again(Worker& worker);
  // `excusable`: somebody else killed it.
  void bury(Worker& worker, const std::string& reason, bool excusable,
            std::vector<CompileResult>& results);

  WorkerProgram program_;
  CompilePoolOptions options_;
  std::deque<Site> sites_;
  std::vector<Worker> workers_;
  std::deque<Job> waiting_;
  // Ids by key: of all that is waiting or with a worker, in the order in which they asked.
  std::unordered_map<std::string, std::vector<std::uint64_t>> askers_;
  std::uint64_t last_id_ = 0;
  std::string identity_;
  WorkLog work_;
  int failed_starts_ = 0;
  bool warned_ = false;
};

}  // namespace tuner
