#pragma once
// A job of several ranks, of which this process is one. Its link lives on a thread of its own: MPI
// is started, called and left by that one only.

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/base/note.h"
#include "tuner/remote/handshake.h"
#include "tuner/remote/hub.h"
#include "tuner/remote/link.h"
#include "tuner/worker/channel.h"

namespace tuner {

// Process of a launcher (mpirun, srun): how many it has started, and which of them this is, from
// the environment; empty where it is the only one.
struct LaunchedJob {
  unsigned count = 1;
  unsigned rank = 0;
};
std::optional<LaunchedJob> launched_job(
    const std::function<const char*(const char* name)>& variable);

// Needs of a study on other ranks, and how it is to be compiled.
struct Lending {
  NeededPlugins plugins;
  std::vector<std::string> plugin_dirs;
  std::vector<std::string> files;  // that workers read
  std::optional<unsigned> jobs;    // compile workers of each rank; empty: its share of the cores
};

class RankJob {
 public:
  using MakeLink = std::function<std::unique_ptr<RankLink>()>;

  // Joins the others. `make_link` throws UnavailableError where that is not possible.
  RankJob(const MakeLink& make_link, RankProgram program, RankTimes times = {});
  // Lets the others end, on rank 0, and waits for that.
  ~RankJob();
  RankJob(const RankJob&) = delete;
  RankJob& operator=(const RankJob&) = delete;

  unsigned rank() const { return rank_; }
  unsigned count() const { return count_; }
  // Lends what this rank has, until all is done; for ranks other than 0. False when it ends before,
  // because rank 0 is gone or somebody wants this one to end.
  bool serve(const StopRequest& interrupt);

  // Returns the ranks that take part, on rank 0; `note` receives why any does not. What they start
  // ends before this does.
  LentHosts hosts(const Lending& lending, const Note& note);
  // Returns rank 0's own share of the cores, on rank 0 after hosts().
  unsigned cores_here() const { return cores_here_; }
  std::string node() const { return node_; }

 private:
  void live(const MakeLink& make_link, std::promise<void> joined);

  RankProgram program_;
  RankTimes times_;
  unsigned rank_ = 0;
  unsigned count_ = 1;
  std::string node_;
  unsigned cores_here_ = 1;
  RankEnd end_ = RankEnd::kAll;
  std::atomic<bool> is_unwanted_ = false;  // somebody wants this rank to end
  std::atomic<bool> has_ended_ = false;    // the thread
  std::unique_ptr<RankHub> hub_;
  std::thread thread_;
};

}  // namespace tuner
