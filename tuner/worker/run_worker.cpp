#include "tuner/worker/run_worker.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "tuner/base/error.h"
#include "tuner/base/process_memory.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr double kOpenSeconds = 120;     // a cold driver on a large machine is slow
constexpr double kPrepareSeconds = 600;  // fills and the reference, on a slow device
constexpr double kDuelSeconds = 600;
constexpr double kPowerSeconds = 10;
constexpr int kRevivals = 4;

TimePoint in(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string type_of(const nlohmann::json& message) { return message.value("type", std::string()); }

}  // namespace

RunWorker::RunWorker(WorkerProgram program, std::string backend, unsigned device,
                     std::vector<std::pair<std::string, std::string>> options, RunLimits limits)
    : program_(std::move(program)),
      backend_(std::move(backend)),
      device_(device),
      options_(std::move(options)),
      limits_(limits) {}

const DeviceFacts& RunWorker::open() {
  channel_ = std::make_unique<Channel>(program_, "run");
  channel_->send(
      {{"type", "open"}, {"backend", backend_}, {"device", device_}, {"options", options_}});
  const auto answer = channel_->wait(in(kOpenSeconds));
  if (!answer || type_of(*answer) != "ready") {
    const std::string reason = answer ? answer->value("reason", std::string("no reason given"))
                                      : "its worker was " + channel_->epitaph();
    channel_.reset();
    throw UnavailableError("backend '" + backend_ + "', device " + std::to_string(device_) + ": " +
                           reason);
  }
  answer->at("facts").get_to(facts_);
  return facts_;
}

void RunWorker::send_plan() {
  channel_->send({{"type", "prepare"}, {"plan", *plan_}});
  preparing_ = true;
  prepare_deadline_ = in(kPrepareSeconds);
}

void RunWorker::start_preparing(SizePlan plan) {
  plan_ = std::move(plan);
  best_ms_ = 0;
  if (!channel_) open();
  send_plan();
}

// No answer: the child is gone or took too long.
Expected<bool, std::string> RunWorker::prepared(const std::optional<nlohmann::json>& answer) {
  preparing_ = false;
  if (answer && type_of(*answer) == "prepared") return true;
  const std::string reason =
      answer ? answer->value(type_of(*answer) == "unavailable" ? "reason" : "message",
                             std::string("no reason given"))
             : "the worker was " + channel_->epitaph();
  channel_.reset();
  if (answer && type_of(*answer) == "unavailable") {
    throw UnavailableError("backend '" + backend_ + "', device " + std::to_string(device_) + ": " +
                           reason);
  }
  return Unexpected{reason};
}

Expected<bool, std::string> RunWorker::handle_preparing() {
  const Channel::Status status = channel_->pump();
  if (auto answer = channel_->take()) return prepared(answer);
  if (status == Channel::Status::kEnded || Clock::now() >= prepare_deadline_) {
    return prepared(std::nullopt);
  }
  return false;
}

void RunWorker::revive() {
  std::string reason;
  for (int attempt = 0; attempt < kRevivals; ++attempt) {
    // A device that was just reset, or is busy for a moment, gets time to recover.
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(250 << attempt));
    try {
      open();
      send_plan();
      const auto done = prepared(channel_->wait(prepare_deadline_));
      if (done) return;
      reason = done.error();
    } catch (const UnavailableError& error) {
      reason = error.what();
    }
  }
  throw UnavailableError("the run worker cannot be brought back: " + reason);
}

double RunWorker::phase_seconds(const std::string& phase) const {
  double launch = limits_.configuration_seconds;
  if (best_ms_ > 0) {
    launch = std::clamp(best_ms_ / 1000 * limits_.best_factor, limits_.launch_floor_seconds,
                        limits_.configuration_seconds);
  }
  if (phase == "power") launch += kPowerSeconds;
  // Sampling is many launches, bounded by the kernel time that the study allows.
  if (phase == "estimate" && plan_) launch += 20 * plan_->measure.max_milliseconds / 1000;
  return launch;
}

void RunWorker::enter(const std::string& phase) {
  phase_ = phase;
  phase_deadline_ =
      std::min(in(phase_seconds(phase)),
               started_ + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(limits_.configuration_seconds)));
}

void RunWorker::begin(std::uint64_t id, const VariantPlan& variant) {
  if (!channel_) revive();
  channel_->clear_output();
  busy_ = true;
  id_ = id;
  started_ = Clock::now();
  enter("load");
  channel_->send({{"type", "evaluate"}, {"id", id}, {"variant", variant}});
}

void RunWorker::watch(std::vector<pollfd>& fds) const {
  if (channel_ && (busy_ || preparing_)) fds.push_back({channel_->fd(), POLLIN, 0});
}

TimePoint RunWorker::deadline() const {
  if (preparing_) return prepare_deadline_;
  return busy_ ? phase_deadline_ : TimePoint::max();
}

Verdict RunWorker::verdict_of_death(const std::string& how) const {
  Verdict verdict;
  verdict.state = TrialState::kRuntime;
  verdict.message = "the worker " + how + ", during " + phase_;
  verdict.context_dead = true;
  return verdict;
}

std::optional<std::pair<std::uint64_t, Verdict>> RunWorker::finish(Verdict verdict) {
  busy_ = false;
  busy_seconds_ += seconds_since(started_);
  if (verdict.context_dead || verdict.device_lost) channel_.reset();
  return std::make_pair(id_, std::move(verdict));
}

std::optional<std::pair<std::uint64_t, Verdict>> RunWorker::handle() {
  if (!busy_) return std::nullopt;
  const Channel::Status status = channel_->pump();
  while (auto message = channel_->take()) {
    const std::string type = type_of(*message);
    if (type == "phase") {
      enter(message->value("phase", std::string("launch")));
    } else if (type == "verdict" && message->value("id", std::uint64_t{0}) == id_) {
      try {
        return finish(message->at("verdict").get<Verdict>());
      } catch (const nlohmann::json::exception&) {
        channel_->kill();
        return finish(verdict_of_death("sent a verdict that makes no sense"));
      }
    }
  }
  if (status == Channel::Status::kEnded || channel_->pump() == Channel::Status::kEnded) {
    return finish(verdict_of_death("was " + channel_->epitaph()));
  }
  if (Clock::now() >= phase_deadline_) {
    channel_->epitaph();
    Verdict verdict = verdict_of_death("hung");
    verdict.state = TrialState::kTimeout;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", seconds_since(started_));
    verdict.message = "killed after " + std::string(seconds) + " s, during " + phase_;
    return finish(std::move(verdict));
  }
  return std::nullopt;
}

std::uint64_t RunWorker::peak_memory() const {
  return channel_ ? peak_resident_bytes(channel_->pid()) : 0;
}

void RunWorker::abort() {
  busy_ = false;
  preparing_ = false;
  channel_.reset();
}

RunWorker::Duel RunWorker::duel(const std::vector<VariantPlan>& variants, int rounds,
                                std::uint64_t seed) {
  if (!channel_) revive();
  channel_->send({{"type", "duel"}, {"variants", variants}, {"rounds", rounds}, {"seed", seed}});
  const TimePoint until = in(kDuelSeconds);
  Duel duel;
  while (auto answer = channel_->wait(until)) {
    try {
      if (type_of(*answer) == "duelled") {
        answer->at("samples").get_to(duel.samples);
        return duel;
      }
      if (type_of(*answer) != "verdict") continue;  // a phase
      duel.failed.emplace(answer->at("plan").get<std::size_t>(),
                          answer->at("verdict").get<Verdict>());
      if (duel.failed->first >= variants.size()) duel.failed.reset();
      break;
    } catch (const nlohmann::json::exception&) {
      break;
    }
  }
  channel_.reset();
  return duel;
}

std::vector<DeviceFacts> RunWorker::probe(const WorkerProgram& program,
                                          const std::string& backend) {
  Channel channel(program, "probe");
  channel.send({{"type", "open"}, {"backend", backend}});
  const auto answer = channel.wait(in(kOpenSeconds));
  if (!answer) throw UnavailableError(backend + ": its worker was " + channel.epitaph());
  if (type_of(*answer) != "devices") {
    throw UnavailableError(backend + ": " +
                           answer->value("reason", std::string("no reason given")));
  }
  return answer->at("facts").get<std::vector<DeviceFacts>>();
}

}  // namespace tuner
