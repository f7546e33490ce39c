#include "tuner/worker/compile_pool.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/base/error.h"
#include "tuner/base/process_memory.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr double kStartDeadlineSeconds = 60;
constexpr int kMaxFailedStarts = 5;  // in a row
// One job more than a worker can do at once: it never waits for the coordinator, who may be busy
// committing a trial to disk.
constexpr std::size_t kJobsAhead = 2;

TimePoint after(TimePoint start, double seconds) {
  return start +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

CompilePool::CompilePool(WorkerProgram program, CompilePoolOptions options)
    : program_(std::move(program)), options_(std::move(options)), workers_(options_.jobs) {}

void CompilePool::start(Worker& worker) {
  worker.channel = std::make_unique<Channel>(program_, "compile");
  worker.ready = false;
  worker.started = Clock::now();
  worker.channel->send(
      {{"type", "open"}, {"backend", options_.backend}, {"cache_dir", options_.cache_dir}});
}

void CompilePool::warm_up() {
  for (Worker& worker : workers_) {
    if (!worker.channel) start(worker);
  }
}

const std::string& CompilePool::identity() {
  if (!identity_.empty()) return identity_;
  Worker& worker = workers_.front();
  if (!worker.channel) start(worker);
  const auto answer = worker.channel->wait(after(Clock::now(), kStartDeadlineSeconds));
  if (!answer || (*answer)["type"] != "ready") {
    const std::string reason = answer ? answer->value("reason", std::string("no reason given"))
                                      : worker.channel->epitaph();
    throw UnavailableError("the compiler of backend '" + options_.backend +
                           "' cannot be used: " + reason);
  }
  worker.ready = true;
  identity_ = answer->value("identity", std::string("unknown"));
  return identity_;
}

void CompilePool::submit(std::uint64_t id, std::string key, CompileRequest request) {
  waiting_.push_back({id, std::move(key), std::move(request)});
  dispatch();
}

std::size_t CompilePool::outstanding() const {
  std::size_t count = waiting_.size();
  for (const Worker& worker : workers_) count += worker.jobs.size();
  return count;
}

void CompilePool::dispatch() {
  // Breadth first: nobody gets a second job while somebody has none.
  for (std::size_t depth = 0; depth < kJobsAhead; ++depth) {
    for (Worker& worker : workers_) {
      if (waiting_.empty()) return;
      if (!worker.channel) start(worker);
      if (!worker.ready || worker.jobs.size() > depth) continue;
      if (worker.jobs.empty()) {
        worker.started = Clock::now();
        worker.channel->clear_output();
      }
      worker.jobs.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
      const Job& job = worker.jobs.back();
      // A failed send shows as the end of the channel in the next handle().
      worker.channel->send(
          {{"type", "compile"}, {"id", job.id}, {"key", job.key}, {"request", job.request}});
    }
  }
}

std::uint64_t CompilePool::peak_memory() const {
  std::uint64_t bytes = 0;
  for (const Worker& worker : workers_) {
    if (worker.channel) bytes += peak_resident_bytes(worker.channel->pid());
  }
  return bytes;
}

void CompilePool::watch(std::vector<pollfd>& fds) const {
  for (const Worker& worker : workers_) {
    if (worker.channel) fds.push_back({worker.channel->fd(), POLLIN, 0});
  }
}

TimePoint CompilePool::deadline() const {
  TimePoint earliest = TimePoint::max();
  for (const Worker& worker : workers_) {
    if (!worker.channel) continue;
    if (!worker.jobs.empty()) {
      earliest = std::min(earliest, after(worker.started, options_.deadline_seconds));
    } else if (!worker.ready) {
      earliest = std::min(earliest, after(worker.started, kStartDeadlineSeconds));
    }
  }
  return earliest;
}

void CompilePool::read(Worker& worker, std::vector<CompileResult>& results) {
  while (auto message = worker.channel->take()) {
    const std::string type = message->value("type", std::string());
    if (type == "ready") {
      worker.ready = true;
      failed_starts_ = 0;
    } else if (type == "unavailable") {
      throw UnavailableError("a compile worker cannot be used: " +
                             message->value("reason", std::string()));
    } else if (!worker.jobs.empty() && (type == "compiled" || type == "failed")) {
      busy_seconds_ += seconds_since(worker.started);
      const std::uint64_t id = worker.jobs.front().id;
      if (type == "compiled") {
        results.push_back({id, message->at("artifact").get<Artifact>()});
      } else {
        const auto& log = message->at("log").get_binary();
        results.push_back({id, Unexpected{CompileFailure{std::string(log.begin(), log.end())}}});
      }
      worker.jobs.pop_front();
      worker.started = Clock::now();
    }
  }
}

void CompilePool::bury(Worker& worker, const std::string& reason,
                       std::vector<CompileResult>& results) {
  if (!worker.jobs.empty()) {
    busy_seconds_ += seconds_since(worker.started);
    results.push_back({worker.jobs.front().id, Unexpected{CompileFailure{reason}}});
    worker.jobs.pop_front();
  } else if (!worker.ready && ++failed_starts_ >= kMaxFailedStarts) {
    throw UnavailableError("compile workers cannot be started: " + reason);
  }
  // Only the first was being compiled; the others are innocent.
  for (auto job = worker.jobs.rbegin(); job != worker.jobs.rend(); ++job) {
    waiting_.push_front(std::move(*job));
  }
  worker.jobs.clear();
  worker.ready = false;
  worker.channel.reset();
}

std::vector<CompileResult> CompilePool::handle() {
  std::vector<CompileResult> results;
  const TimePoint now = Clock::now();
  for (Worker& worker : workers_) {
    if (!worker.channel) continue;
    Channel::Status status = worker.channel->pump();
    try {
      read(worker, results);
    } catch (const nlohmann::json::exception&) {
      status = Channel::Status::kEnded;  // a message that makes no sense: treated as a crash
    }
    if (worker.channel->pump() == Channel::Status::kEnded) status = Channel::Status::kEnded;
    if (status == Channel::Status::kEnded) {
      bury(worker, "the compiler crashed: " + worker.channel->epitaph(), results);
    } else if (!worker.jobs.empty() && now >= after(worker.started, options_.deadline_seconds)) {
      worker.channel->epitaph();
      bury(worker,
           "the compiler took longer than " +
               std::to_string(static_cast<long long>(options_.deadline_seconds)) + " s",
           results);
    } else if (!worker.ready && now >= after(worker.started, kStartDeadlineSeconds)) {
      bury(worker, "a compile worker did not start: " + worker.channel->epitaph(), results);
    }
  }
  dispatch();
  return results;
}

}  // namespace tuner
