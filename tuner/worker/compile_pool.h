#pragma once
// Compile workers, as many as there are jobs. A compiler that crashes, loops or eats all memory
// takes only its worker along, and its request fails with the reason. Equal requests that are under
// way at the same time are compiled once. Other machines may lend workers; one that is gone, or
// whose compiler is another one, is left out, and its work goes to the others.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/model/artifact.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/compilers.h"

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

class CompilePool final : public Compilers {
 public:
  // `options.jobs` workers of this machine, and those of `hosts`.
  CompilePool(WorkerProgram program, CompilePoolOptions options, std::vector<LentHost> hosts = {});

  // Starts all workers without waiting for them: they get ready while a device is being opened.
  void warm_up();

  // Starts a worker and waits for it.
  const std::string& identity() override;

  std::uint64_t submit(const std::string& key, CompileRequest request) override;
  bool is_under_way(const std::string& key) const override { return askers_.contains(key); }
  // Ends workers whose compilation nobody wants any more. What they had not begun is queued again.
  void cancel(const std::vector<std::uint64_t>& ids) override;
  std::optional<double> seconds_at_work(const std::string& key) const override;
  // Compilations that are under way, of which each may have several ids.
  std::size_t outstanding() const { return askers_.size(); }

  void watch(PollSet& awaited) const override;
  // Reads answers, replaces the dead, hands out waiting requests.
  std::vector<CompileResult> handle() override;

  unsigned jobs() const override;  // workers that are not left out
  double busy_seconds() const override { return work_.seconds(); }
  Load load() const override;

 private:
  struct Job {
    std::string key;
    CompileRequest request;
    int chances = 0;  // how often it was tried again
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
    StoppedTime stopped{};
  };

  // False when its machine is left out.
  bool start(Worker& worker);
  void leave_out(Site& site, const std::string& why);
  void take_identity(Worker& worker, const std::string& identity);
  std::size_t starting() const;  // workers that have not said that they are ready
  void dispatch();
  bool is_wanted(const Job& job) const;
  void take_back(Worker& worker);
  void read(Worker& worker, std::vector<CompileResult>& results);
  // The first job has come to an end.
  void finish(Worker& worker, const CompileOutcome& outcome, std::vector<CompileResult>& results);
  // Gives the first job another chance if it may have one: false when not.
  bool try_again(Worker& worker);
  // `retryable`: somebody else killed it.
  void replace(Worker& worker, const std::string& reason, bool retryable,
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

// Waits until there are answers, or somebody wants to stop; then there may be none.
std::vector<CompileResult> wait_for_results(CompilePool& pool, const StopRequest& stop);

}  // namespace tuner
