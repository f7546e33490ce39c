// Distributes compilations over workers and replaces those that die.

#include "tuner/worker/compile_pool.h"

#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/process_state.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr double kStartDeadlineSeconds = 60;
constexpr int kMaxFailedStarts = 5;  // in a row
constexpr int kCompileAgain = 4;
// One job more than a worker can do at once: it never waits for the coordinator, who may be busy
// committing a trial to disk.
constexpr std::size_t kJobsAhead = 2;

}  // namespace

CompilePool::CompilePool(WorkerProgram program, CompilePoolOptions options,
                         std::vector<LentHost> hosts)
    : program_(std::move(program)), options_(std::move(options)), workers_(options_.jobs) {
  for (LentHost& host : hosts) {
    Site& site = sites_.emplace_back(Site{std::move(host)});
    for (unsigned i = 0; i < site.host.jobs; ++i) workers_.emplace_back().site = &site;
  }
}

unsigned CompilePool::jobs() const {
  return static_cast<unsigned>(std::ranges::count_if(
      workers_, [](const Worker& worker) { return !worker.site || !worker.site->left_out; }));
}

// Other machines keep no artifacts: what they compile is kept here.
bool CompilePool::start(Worker& worker) {
  if (worker.site && worker.site->left_out) return false;
  try {
    worker.channel = worker.site ? worker.site->host.start("compile")
                                 : std::make_unique<Channel>(program_, "compile");
  } catch (const UnavailableError& error) {
    if (!worker.site) throw;
    leave_out(*worker.site, error.what());
    return false;
  }
  worker.ready = false;
  worker.started = Clock::now();
  worker.channel->send({{"type", "open"},
                        {"backend", options_.backend},
                        {"cache_dir", worker.site ? "" : options_.cache_dir},
                        {"options", options_.options}});
  return true;
}

void CompilePool::leave_out(Site& site, const std::string& why) {
  if (std::exchange(site.left_out, true)) return;
  for (Worker& worker : workers_) {
    if (worker.site == &site) take_back(worker);
  }
  if (options_.warn) {
    options_.warn(site.host.name() + ": its compile workers are left out: " + why);
  }
}

// One identity goes into the keys of all artifacts.
void CompilePool::take_identity(Worker& worker, const std::string& identity) {
  if (worker.site && identity != this->identity()) {
    return leave_out(*worker.site, "its compiler is " + identity + ", that of rank 0 " + identity_);
  }
  worker.ready = true;
  failed_starts_ = 0;
}

void CompilePool::warm_up() {
  for (Worker& worker : workers_) {
    if (!worker.channel) start(worker);
  }
}

const std::string& CompilePool::identity() {
  if (!identity_.empty()) return identity_;
  Worker& worker = workers_.front();
  for (int attempt = 0;; ++attempt) {
    if (!worker.channel) start(worker);
    const auto answer = worker.channel->wait(after(Clock::now(), kStartDeadlineSeconds));
    if (answer && text_in(*answer, "type") == "ready") {
      worker.ready = true;
      identity_ = text_in(*answer, "identity");
      return identity_;
    }
    const std::string reason =
        answer ? text_in(*answer, "reason") : "its worker was " + worker.channel->exit_reason();
    const bool retryable = !answer && worker.channel->killed_from_outside();
    worker.channel.reset();
    if (retryable && attempt < kCompileAgain) continue;
    throw UnavailableError("the compiler of backend '" + options_.backend +
                           "' cannot be used: " + (reason.empty() ? "no reason given" : reason));
  }
}

std::uint64_t CompilePool::submit(const std::string& key, CompileRequest request) {
  const auto [asked, is_new] = askers_.try_emplace(key);
  asked->second.push_back(++last_id_);
  if (is_new) {
    waiting_.push_back({key, std::move(request)});
    dispatch();
  }
  return last_id_;
}

bool CompilePool::is_wanted(const Job& job) const { return !askers_.at(job.key).empty(); }

// Returns a worker's open jobs to the queue, for another worker, if anybody still wants them.
void CompilePool::take_back(Worker& worker) {
  for (auto job = worker.jobs.rbegin(); job != worker.jobs.rend(); ++job) {
    if (is_wanted(*job)) {
      waiting_.push_front(std::move(*job));
    } else {
      askers_.erase(job->key);
    }
  }
  worker.jobs.clear();
  worker.ready = false;
  worker.channel.reset();
}

void CompilePool::cancel(const std::vector<std::uint64_t>& ids) {
  const std::set<std::uint64_t> dropped(ids.begin(), ids.end());
  for (auto& [key, askers] : askers_) {
    std::erase_if(askers, [&](std::uint64_t id) { return dropped.contains(id); });
  }
  std::erase_if(waiting_, [&](const Job& job) {
    if (is_wanted(job)) return false;
    askers_.erase(job.key);
    return true;
  });
  // All are killed before the first is waited for: the end of a process takes its time.
  std::vector<Worker*> ended;
  for (Worker& worker : workers_) {
    if (worker.jobs.empty() || is_wanted(worker.jobs.front())) continue;
    worker.channel->kill();
    ended.push_back(&worker);
  }
  for (Worker* worker : ended) {
    work_.add(worker->started);
    take_back(*worker);
  }
}

std::optional<double> CompilePool::seconds_at_work(const std::string& key) const {
  for (const Worker& worker : workers_) {
    if (!worker.jobs.empty() && worker.jobs.front().key == key) {
      return seconds_since(worker.started);
    }
  }
  return std::nullopt;
}

std::size_t CompilePool::starting() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      workers_, [](const Worker& worker) { return worker.channel && !worker.ready; }));
}

void CompilePool::dispatch() {
  // Breadth first: nobody gets a second job while somebody has none, who may only be starting. The
  // first variant would wait behind the reference otherwise.
  for (std::size_t depth = 0; depth < kJobsAhead; ++depth) {
    for (Worker& worker : workers_) {
      if (waiting_.empty() || (depth > 0 && waiting_.size() <= starting())) return;
      if (!worker.channel && !start(worker)) continue;
      if (!worker.ready || worker.jobs.size() > depth) continue;
      if (worker.jobs.empty()) {
        worker.started = Clock::now();
        worker.channel->clear_output();
      }
      worker.jobs.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
      const Job& job = worker.jobs.back();
      worker.channel->send({{"type", "compile"}, {"key", job.key}, {"request", job.request}});
    }
  }
}

Load CompilePool::load() const {
  Load load{jobs(), work_.spans(), {}, 0};
  for (const Worker& worker : workers_) {
    if (worker.channel) load.peak_bytes += peak_resident_bytes(worker.channel->pid());
  }
  return load;
}

void CompilePool::watch(PollSet& awaited) const {
  for (const Worker& worker : workers_) {
    if (!worker.channel) continue;
    awaited.sockets.push_back(worker.channel->watched());
    if (!worker.jobs.empty()) {
      awaited.until(after(worker.started, options_.deadline_seconds));
    } else if (!worker.ready) {
      awaited.until(after(worker.started, kStartDeadlineSeconds));
    }
  }
}

void CompilePool::read(Worker& worker, std::vector<CompileResult>& results) {
  while (auto message = worker.channel ? worker.channel->take() : std::nullopt) {
    const std::string type = text_in(*message, "type");
    if (type == "ready") {
      take_identity(worker, text_in(*message, "identity"));
    } else if (type == "unavailable") {
      const std::string reason = text_in(*message, "reason");
      if (!worker.site) throw UnavailableError("a compile worker cannot be used: " + reason);
      leave_out(*worker.site, reason);
    } else if (type == "warning" && options_.warn && !std::exchange(warned_, true)) {
      options_.warn(text_in(*message, "text"));
    } else if (!worker.jobs.empty() && (type == "compiled" || type == "failed")) {
      work_.add(worker.started);
      worker.started = Clock::now();
      if (flag_in(*message, "retryable") && try_again(worker)) continue;
      if (type == "compiled") {
        auto artifact = std::make_shared<const Artifact>(message->at("artifact").get<Artifact>());
        if (worker.site && options_.keep) options_.keep(worker.jobs.front().key, *artifact);
        finish(worker, std::move(artifact), results);
      } else {
        auto failure = message->get<CompileFailure>();
        failure.retryable = false;  // it was tried often enough
        finish(worker, Unexpected{std::move(failure)}, results);
      }
    }
  }
}

void CompilePool::finish(Worker& worker, const CompileOutcome& outcome,
                         std::vector<CompileResult>& results) {
  const auto asked = askers_.extract(worker.jobs.front().key);
  worker.jobs.pop_front();
  bool shared = false;
  for (const std::uint64_t id : asked.mapped()) {
    results.push_back({id, outcome, std::exchange(shared, true)});
  }
}

// A machine that ran out of memory: the job comes last, when there may be more.
bool CompilePool::try_again(Worker& worker) {
  if (worker.jobs.front().chances == kCompileAgain) return false;
  ++worker.jobs.front().chances;
  waiting_.push_back(std::move(worker.jobs.front()));
  worker.jobs.pop_front();
  return true;
}

void CompilePool::replace(Worker& worker, const std::string& reason, bool retryable,
                          std::vector<CompileResult>& results) {
  if (!worker.jobs.empty() && !(retryable && try_again(worker))) {
    work_.add(worker.started);
    finish(worker, Unexpected{CompileFailure{reason}}, results);
  } else if (!worker.ready && worker.site) {
    leave_out(*worker.site, reason);
  } else if (!worker.ready && ++failed_starts_ >= kMaxFailedStarts) {
    throw UnavailableError("compile workers cannot be started: " + reason);
  }
  take_back(worker);  // only the first was being compiled; the others are innocent
}

std::vector<CompileResult> CompilePool::handle() {
  std::vector<CompileResult> results;
  const TimePoint now = Clock::now();
  for (Worker& worker : workers_) {
    if (!worker.channel) continue;
    worker.channel->pump();
    worker.started += worker.stopped.take(worker.channel->pid(), now);
    try {
      read(worker, results);
    } catch (const nlohmann::json::exception&) {
      worker.channel->mark_corrupt("an answer that makes no sense");
    } catch (const ProtocolError& error) {
      worker.channel->mark_corrupt(error.what());
    }
    if (!worker.channel) continue;  // its machine was left out
    if (worker.channel->has_ended()) {
      const std::string how = worker.channel->exit_reason();
      replace(worker, "the compiler crashed: its worker was " + how,
              worker.channel->killed_from_outside(), results);
    } else if (!worker.jobs.empty() && now >= after(worker.started, options_.deadline_seconds)) {
      worker.channel->exit_reason();
      replace(worker,
              "the compiler took longer than " +
                  std::to_string(static_cast<long long>(options_.deadline_seconds)) + " s",
              worker.channel->killed_from_outside(), results);
    } else if (!worker.ready && now >= after(worker.started, kStartDeadlineSeconds)) {
      replace(worker, "a compile worker did not start: " + worker.channel->exit_reason(), false,
              results);
    }
  }
  dispatch();
  return results;
}

std::vector<CompileResult> wait_for_results(CompilePool& pool, const StopRequest& stop) {
  PollSet awaited;
  if (stop.fd() >= 0) awaited.sockets.push_back({stop.fd(), POLLIN, 0});
  pool.watch(awaited);
  awaited.wait();
  return pool.handle();
}

}  // namespace tuner
