// Joins a job, and finds out what its ranks can lend.

#include "tuner/remote/job.h"

#include <poll.h>

#include <charconv>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner {
namespace {

constexpr double kAnswerSeconds = 30;  // loading plugins from a slow file system

std::optional<unsigned> number_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view digits = text;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// Starts workers of a rank. Each is told the same at first.
std::function<std::unique_ptr<Channel>(const std::string&)> starter(
    RankHub& hub, unsigned rank, const std::vector<std::string>& plugin_dirs) {
  return [&hub, rank, plugin_dirs](const std::string& role) {
    auto channel = std::make_unique<Channel>(hub.start(rank, role));
    channel->send({{"type", "start"}, {"plugin_dirs", plugin_dirs}});
    return channel;
  };
}

}  // namespace

// A batch script has SLURM_NTASKS, too, and is one process: srun's own variables say how many it
// has started.
std::optional<LaunchedJob> launched_job(
    const std::function<const char*(const char* name)>& variable) {
  constexpr std::pair<const char*, const char*> kLaunchers[] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
      {"PMI_SIZE", "PMI_RANK"},
      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [count, rank] : kLaunchers) {
    const auto found = number_in(variable(count));
    if (found && *found > 1) return LaunchedJob{*found, number_in(variable(rank)).value_or(0)};
  }
  return std::nullopt;
}

RankJob::RankJob(const MakeLink& make_link, RankProgram program, RankTimes times)
    : program_(std::move(program)), times_(times) {
  std::promise<void> joined;
  auto outcome = joined.get_future();
  thread_ = std::thread([this, &make_link, theirs = std::move(joined)]() mutable {
    live(make_link, std::move(theirs));
  });
  try {
    outcome.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void RankJob::live(const MakeLink& make_link, std::promise<void> joined) {
  std::unique_ptr<RankLink> link;
  try {
    link = make_link();
    rank_ = link->rank();
    count_ = link->count();
    node_ = link->node();
    if (rank_ == 0) hub_ = std::make_unique<RankHub>(*link, times_);
  } catch (...) {
    joined.set_exception(std::current_exception());
    return;
  }
  joined.set_value();  // from here on make_link may be gone
  if (hub_) {
    end_ = hub_->pass_on() ? RankEnd::kAll : RankEnd::kSome;
  } else {
    end_ = serve_rank_0(*link, program_, times_, is_unwanted_);
  }
  // MPI's finish waits for all ranks; one that is gone never comes.
  if (end_ == RankEnd::kAll) link->finish();
  has_ended_ = true;
}

RankJob::~RankJob() {
  if (hub_) hub_->stop();
  if (thread_.joinable()) thread_.join();
}

bool RankJob::serve(const StopRequest& interrupt) {
  constexpr int kLookMilliseconds = 20;
  while (!has_ended_ && interrupt.count() == 0) {
    pollfd fd{interrupt.fd(), POLLIN, 0};
    ::poll(&fd, 1, kLookMilliseconds);
  }
  is_unwanted_ = true;
  thread_.join();
  return end_ != RankEnd::kLost;
}

LentHosts RankJob::hosts(const Lending& lending, const Note& note) {
  const std::map<unsigned, RankFacts> answers =
      hub_->ask(lending.plugin_dirs, shared_files(lending.files), kAnswerSeconds);
  std::vector<RankFacts> all{program_.facts(lending.plugin_dirs)};
  all.front().node = node_;
  for (const auto& [rank, facts] : answers) all.push_back(facts);
  cores_here_ = own_cores(all, 0);
  LentHosts hosts{node_, {}};
  std::size_t place = 0;
  for (unsigned rank = 1; rank < count_; ++rank) {
    const auto answer = answers.find(rank);
    if (answer == answers.end()) {
      note("rank " + std::to_string(rank) + " is left out: it does not answer");
      continue;
    }
    const unsigned jobs = lending.jobs.value_or(own_cores(all, ++place));
    LentHost host{rank, answer->second.node, jobs, starter(*hub_, rank, lending.plugin_dirs)};
    if (const auto why = refusal(all.front(), answer->second, lending.plugins)) {
      note(host.name() + " is left out: " + *why);
    } else {
      hosts.hosts.push_back(std::move(host));
    }
  }
  return hosts;
}

}  // namespace tuner
