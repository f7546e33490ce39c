// Drives the child that holds the device, and replaces it after a fault.

#include "tuner/worker/run_worker.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tuner/base/error.h"
#include "tuner/base/process_memory.h"
#include "tuner/engine/argument_names.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr double kOpenSeconds = 120;  // a cold driver on a large machine is slow
constexpr int kRevivals = 4;
constexpr int kRetries = 2;

bool never() { return false; }

// Until the next try: a device that was just reset, or memory that another program is about to give
// back, gets time to recover.
void pause_before(int attempt, const RunWorker::IsOver& is_over) {
  if (attempt == 0) return;
  const TimePoint end = after(Clock::now(), 0.25 * (1 << attempt));
  while (Clock::now() < end && !is_over()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(Channel::kLookSeconds));
  }
}

// What runs in a `cpu` worker can write to its connection. It cannot guess this.
std::uint64_t nonce() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

constexpr char kAnsweredTwice[] = "a second answer for one configuration";

std::string reason_in(const nlohmann::json& answer, const char* member) {
  const std::string reason = text_in(answer, member);
  return reason.empty() ? "no reason given" : reason;
}

}  // namespace

RunWorker::RunWorker(const WorkerProgram& program, std::string backend, unsigned device,
                     std::vector<std::pair<std::string, std::string>> options, RunLimits limits)
    : RunWorker([program] { return std::make_unique<Channel>(program, "run"); }, std::move(backend),
                DeviceId{device}, std::move(options), limits) {}

RunWorker::RunWorker(Connect connect, std::string backend, DeviceId device,
                     std::vector<std::pair<std::string, std::string>> options, RunLimits limits)
    : connect_(std::move(connect)),
      backend_(std::move(backend)),
      device_(device),
      options_(std::move(options)),
      limits_(limits),
      clock_(limits) {}

RunWorker::Failure RunWorker::gone(const std::string& what) {
  Failure failure{what + " was " + channel_->epitaph()};
  failure.excusable = channel_->killed_from_outside();
  channel_.reset();
  return failure;
}

void RunWorker::start() {
  channel_ = connect_();
  channel_->send(
      {{"type", "open"}, {"backend", backend_}, {"device", device_.number}, {"options", options_}});
  is_starting_ = true;
  start_deadline_ = after(Clock::now(), kOpenSeconds);
}

std::optional<RunWorker::Failure> RunWorker::try_open(const IsOver& is_over) {
  if (!is_starting_) start();
  is_starting_ = false;
  const auto answer = channel_->wait(start_deadline_, is_over);
  if (!answer) return gone("its worker");
  if (text_in(*answer, "type") != "ready") {
    channel_.reset();
    return Failure{reason_in(*answer, "reason"), flag_in(*answer, "excusable")};
  }
  try {
    answer->at("facts").get_to(facts_);
  } catch (const nlohmann::json::exception&) {
    channel_->condemn("facts that make no sense");
    return gone("its worker");
  }
  return std::nullopt;
}

UnavailableError RunWorker::unavailable(const std::string& reason) const {
  return UnavailableError("backend '" + backend_ + "', " + text_of(device_) + ": " + reason);
}

const DeviceFacts& RunWorker::open() {
  for (int attempt = 0;; ++attempt) {
    pause_before(attempt, never);
    const auto failed = try_open(never);
    if (!failed) return facts_;
    if (!failed->excusable || attempt == kRetries) throw unavailable(failed->reason);
  }
}

void RunWorker::send_plan() {
  channel_->send({{"type", "prepare"}, {"plan", *plan_}});
  preparing_ = true;
  const std::size_t answers = plan_->reference ? plan_->reference->answers.size() : 0;
  prepare_deadline_ =
      after(Clock::now(),
            limits_.prepare_seconds * static_cast<double>(std::max<std::size_t>(1, answers)));
}

// No answer: the child is gone or took too long.
std::optional<RunWorker::Failure> RunWorker::not_prepared(
    const std::optional<nlohmann::json>& answer) {
  preparing_ = false;
  if (!answer) {
    Failure failure = gone("the worker");
    if (plan_ && plan_->problem) {
      failure.reason += ", perhaps in the problem '" + plan_->problem->name + "'";
    }
    if (plan_ && plan_->reference) {
      failure.given = given_text(*plan_, plan_->reference->arguments);
    }
    return failure;
  }
  const std::string type = text_in(*answer, "type");
  if (type == "prepared") return std::nullopt;
  channel_.reset();
  const bool no_device = type == "unavailable";  // it could be asked, but not used
  return Failure{reason_in(*answer, no_device ? "reason" : "message"),
                 flag_in(*answer, "excusable"), no_device, text_in(*answer, "constant")};
}

void RunWorker::start_preparing(SizePlan plan) {
  plan_ = std::move(plan);
  clock_.set_plan(*plan_);
  preparations_ = 0;
  if (is_open() && channel_->pump() == Channel::Status::kEnded) channel_.reset();
  if (!is_open()) open();
  send_plan();
}

Expected<bool, RunWorker::Unprepared> RunWorker::handle_preparing() {
  const Channel::Status status = channel_->pump();
  const auto answer = channel_->take();
  if (!answer && status == Channel::Status::kAlive && Clock::now() < prepare_deadline_)
    return false;
  const auto failed = not_prepared(answer);
  if (!failed) {
    warnings_ = texts_in(*answer, "warnings");
    reference_ms_ = time_in(*answer, "reference_ms");
    return true;
  }
  if (failed->excusable && preparations_ < kRetries) {
    pause_before(++preparations_, never);
    open();
    send_plan();
    return false;
  }
  if (failed->no_device) throw unavailable(failed->reason);
  return Unexpected{Unprepared{failed->reason, failed->constant, failed->given}};
}

bool RunWorker::is_ready() {
  // One that ended after its last verdict, as after a write into memory that it needed later.
  if (is_open() && channel_->pump() == Channel::Status::kEnded) channel_.reset();
  if (is_open() && channel_->take()) {
    breach_ = kAnsweredTwice;
    channel_.reset();
  }
  return is_open();
}

void RunWorker::start_reviving() {
  is_reviving_ = true;
  revivals_ = 0;
  start();
}

// Why this try has failed, if it has.
std::optional<RunWorker::Failure> RunWorker::go_on_reviving() {
  if (is_starting_) {
    pollfd answered = channel_->watched();
    if (::poll(&answered, 1, 0) == 0 && Clock::now() < start_deadline_) return std::nullopt;
    auto failed = try_open(never);
    if (!failed) send_plan();
    return failed;
  }
  const Channel::Status status = channel_->pump();
  const auto answer = channel_->take();
  if (!answer && status == Channel::Status::kAlive && Clock::now() < prepare_deadline_) {
    return std::nullopt;
  }
  auto failed = not_prepared(answer);
  is_reviving_ = failed.has_value();
  return failed;
}

bool RunWorker::handle_reviving() {
  if (channel_ == nullptr) {
    if (Clock::now() >= revive_at_) start();
    return false;
  }
  if (const auto failed = go_on_reviving()) {
    channel_.reset();
    is_starting_ = preparing_ = false;
    if (++revivals_ == kRevivals) {
      is_reviving_ = false;
      throw UnavailableError("the run worker cannot be brought back: " + failed->reason);
    }
    revive_at_ = after(Clock::now(), 0.25 * (1 << revivals_));
  }
  return !is_reviving_;
}

bool RunWorker::make_ready(const IsOver& is_over) {
  if (is_ready()) return true;
  std::optional<Failure> failed;
  for (int attempt = 0; attempt < kRevivals; ++attempt) {
    pause_before(attempt, is_over);
    failed = try_open(is_over);
    if (!failed) {
      send_plan();
      failed = not_prepared(channel_->wait(prepare_deadline_, is_over));
    }
    if (!failed) return true;
    if (is_over()) return false;
  }
  throw UnavailableError("the run worker cannot be brought back: " + failed->reason);
}

void RunWorker::begin(const VariantPlan& variant) {
  channel_->clear_output();
  busy_ = true;
  begun_ = false;
  id_ = nonce();
  clock_.begin("load", channel_->pid());
  channel_->send({{"type", "evaluate"}, {"id", id_}, {"variant", variant}});
}

void RunWorker::watch(std::vector<pollfd>& fds) const {
  if (channel_ && (busy_ || preparing_ || is_reviving_)) fds.push_back(channel_->watched());
}

TimePoint RunWorker::deadline() const {
  if (is_reviving_ && !channel_) return revive_at_;
  if (is_reviving_ && is_starting_) return start_deadline_;
  if (preparing_) return prepare_deadline_;
  return busy_ ? clock_.deadline() : TimePoint::max();
}

Verdict RunWorker::verdict_of_death(const std::string& how) const {
  Verdict verdict;
  verdict.state = TrialState::kRuntime;
  verdict.message = "the worker " + how + ", during " + clock_.phase();
  verdict.context_dead = true;
  return verdict;
}

Verdict RunWorker::finish(Verdict verdict) {
  busy_ = false;
  work_.add(clock_.started());
  if (verdict.context_dead || verdict.device_lost) channel_.reset();
  return verdict;
}

// Whoever has not begun yet cannot have answered: it was the one before.
std::optional<Verdict> RunWorker::take_message(const nlohmann::json& message) {
  const std::string type = text_in(message, "type");
  if (type == "phase") {
    begun_ = true;
    clock_.enter(text_in(message, "phase"));
  }
  if (type != "verdict") return std::nullopt;
  try {
    if (message.at("id").get<std::uint64_t>() == id_) {
      return message.at("verdict").get<Verdict>();
    }
    if (!begun_) breach_ = kAnsweredTwice;
    channel_->condemn("an answer that nobody asked for");
  } catch (const nlohmann::json::exception&) {
    channel_->condemn("a verdict that makes no sense");
  } catch (const ProtocolError& error) {
    channel_->condemn(error.what());
  }
  return std::nullopt;
}

std::optional<Verdict> RunWorker::handle() {
  if (!busy_) return std::nullopt;
  clock_.give_back_stopped();
  channel_->pump();
  while (auto message = channel_->take()) {
    if (auto verdict = take_message(*message)) return finish(std::move(*verdict));
  }
  if (channel_->has_ended()) {
    Verdict verdict = verdict_of_death("was " + channel_->epitaph());
    // Who had not begun yet is innocent: it was an earlier one's doing.
    verdict.excusable = channel_->killed_from_outside() || !begun_;
    return finish(std::move(verdict));
  }
  if (Clock::now() >= clock_.deadline() && !clock_.gets_more_time()) {
    channel_->epitaph();
    Verdict verdict = verdict_of_death("hung");
    verdict.excusable = channel_->killed_from_outside();  // with the machine that it was on
    verdict.state = TrialState::kTimeout;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", seconds_since(clock_.started()));
    verdict.message = "killed after " + std::string(seconds) + " s, during " + clock_.phase();
    return finish(std::move(verdict));
  }
  return std::nullopt;
}

std::uint64_t RunWorker::peak_memory() const {
  return channel_ ? peak_resident_bytes(channel_->pid()) : 0;
}

void RunWorker::abort() {
  is_reviving_ = false;
  if (!busy_ && !preparing_) return;
  if (busy_) work_.add(clock_.started());
  busy_ = false;
  preparing_ = false;
  channel_.reset();
}

// Neither samples nor a culprit when it failed; `again` then says whether another try makes sense.
RunWorker::Duel RunWorker::try_duel(nlohmann::json& request, bool& again, const IsOver& is_over,
                                    const std::function<void(int)>& round) {
  again = false;
  if (!make_ready(is_over)) return {};
  id_ = nonce();
  request["id"] = id_;
  channel_->send(request);
  const std::size_t finalists = request.at("variants").size();
  const TimePoint end = after(Clock::now(), limits_.duel_seconds);
  TimePoint until = end;
  Duel duel;
  int rounds = 0;
  while (auto answer = channel_->wait(until, is_over)) {
    const std::string type = text_in(*answer, "type");
    if (type == "phase") {  // of a round, each finalist is launched once
      if (Clock::now() >= end) break;
      const std::string phase = text_in(*answer, "phase");
      until = std::min(end, after(Clock::now(), clock_.seconds(phase, finalists)));
      if (round && phase == "final") round(rounds++);
    }
    try {
      if (type != "duelled" && type != "verdict") continue;
      if (answer->at("id").get<std::uint64_t>() != id_) break;
      if (type == "duelled") {
        answer->at("samples").get_to(duel.samples);
        if (is_plausible(duel.samples, finalists, request.at("plan").get<FinalPlan>().rounds))
          return duel;
        break;
      }
      duel.failed.emplace(answer->at("plan").get<std::size_t>(),
                          answer->at("verdict").get<Verdict>());
      again = duel.failed->second.excusable;
      channel_.reset();
      return duel;
    } catch (const nlohmann::json::exception&) {
      break;
    } catch (const ProtocolError&) {
      break;
    }
  }
  again = gone("the worker").excusable && !is_over();
  return {};
}

RunWorker::Duel RunWorker::duel(const std::vector<VariantPlan>& variants, const FinalPlan& plan,
                                const IsOver& is_over, const std::function<void(int)>& round) {
  nlohmann::json request{{"type", "duel"}, {"variants", variants}, {"plan", plan}};
  Duel duel;
  bool again = true;
  const TimePoint begun = Clock::now();
  for (int attempt = 0; again && attempt <= kRetries; ++attempt) {
    pause_before(attempt, is_over);
    duel = try_duel(request, again, is_over, round);
  }
  work_.add(begun);
  const bool says_nothing = duel.failed && (duel.failed->first >= variants.size() ||
                                            duel.failed->second.kept == Kept::kDamaged);
  if (says_nothing) duel.failed.reset();
  return duel;
}

}  // namespace tuner
