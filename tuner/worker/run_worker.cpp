// Drives the child that holds the device, and replaces it after a fault.

#include "tuner/worker/run_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "tuner/base/error.h"
#include "tuner/base/process_state.h"
#include "tuner/base/trust.h"
#include "tuner/measure/verdict.h"
#include "tuner/resolve/argument_names.h"
#include "tuner/worker/messages.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

constexpr int kRevivals = 4;
constexpr int kRetries = 2;

// Until the next try: a device that was just reset, or memory that another program is about to give
// back, gets time to recover.
double pause_seconds(int attempt) { return 0.25 * (1 << attempt); }

void pause_before(int attempt, const RunWorker::IsOver& is_over) {
  if (attempt == 0) return;
  const TimePoint end = after(Clock::now(), pause_seconds(attempt));
  while (Clock::now() < end && !is_over()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(Channel::kLookSeconds));
  }
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

// ---- bringing it up -----------------------------------------------------------------------------

void RunWorker::drop() {
  channel_.reset();
  state_ = State::kDead;
}

RunWorker::Failure RunWorker::gone(const std::string& what) {
  Failure failure{what + " was " + channel_->exit_reason()};
  failure.retryable = channel_->killed_from_outside();
  drop();
  return failure;
}

std::string RunWorker::text_of_missing(const std::string& reason) const {
  return "backend '" + backend_ + "', " + text_of(device_) + ": " + reason;
}

void RunWorker::start() {
  failures_ = 0;
  connect();
}

void RunWorker::connect() {
  channel_.reset();  // a device may allow one process at a time
  channel_ = connect_();
  channel_->send(
      {{"type", "open"}, {"backend", backend_}, {"device", device_.number}, {"options", options_}});
  state_ = State::kStarting;
  has_run_ = false;
  deadline_ = after(Clock::now(), kOpenSeconds);
  stopped_.begin();
}

const DeviceFacts& RunWorker::open() {
  if (state_ == State::kDead) {
    plan_.reset();  // of the size before: what comes next is prepared then
    start();
  }
  for (;;) {
    static_cast<void>(advance());  // throws where it fails: there is no plan
    if (state_ != State::kStarting) return facts_;
    wait_for_answer();
  }
}

void RunWorker::send_plan() {
  channel_->send({{"type", "prepare"}, {"plan", *plan_}, {"again", was_prepared_}});
  state_ = State::kPreparing;
  const std::size_t answers = plan_->reference ? plan_->reference->answers.size() : 0;
  deadline_ = after(Clock::now(), limits_.prepare_seconds *
                                      static_cast<double>(std::max<std::size_t>(1, answers)));
  stopped_.begin();
}

void RunWorker::start_preparing(SizePlan plan) {
  plan_ = std::move(plan);
  clock_.set_plan(*plan_);
  failures_ = 0;
  was_prepared_ = false;
  if (is_open() && channel_->pump() == Channel::Status::kEnded) drop();
  if (is_open()) return send_plan();
  if (state_ == State::kDead) start();
}

void RunWorker::revive() {
  if (state_ == State::kDead) start();
}

std::optional<RunWorker::Failure> RunWorker::opened(const std::optional<nlohmann::json>& answer) {
  if (!answer) {
    Failure failure{why_not_opened(*channel_), channel_->killed_from_outside(), true, true};
    drop();
    return failure;
  }
  if (text_in(*answer, "type") != "ready") {
    return Failure{reason_in(*answer, "reason"), flag_in(*answer, "retryable"), true,
                   flag_in(*answer, "refused")};
  }
  try {
    answer->at("facts").get_to(facts_);
  } catch (const nlohmann::json::exception&) {
    channel_->mark_corrupt("facts that make no sense");
    return opened(std::nullopt);
  }
  state_ = State::kOpen;
  if (plan_) send_plan();
  return std::nullopt;
}

std::optional<RunWorker::Failure> RunWorker::prepared(const std::optional<nlohmann::json>& answer) {
  if (!answer) {
    Failure failure = gone("the worker");
    if (plan_->problem) {
      failure.reason += ", perhaps in the problem '" + plan_->problem->name + "'";
    }
    if (plan_->reference) failure.given = given_text(*plan_, plan_->reference->arguments);
    return failure;
  }
  const std::string type = text_in(*answer, "type");
  if (type != "prepared") {
    const bool no_device = type == "unavailable";  // it could be asked, but not used
    return Failure{reason_in(*answer, no_device ? "reason" : "message"),
                   flag_in(*answer, "retryable"), no_device, flag_in(*answer, "refused"),
                   text_in(*answer, "constant")};
  }
  if (!std::exchange(was_prepared_, true)) {
    warnings_ = texts_in(*answer, "warnings");
    reference_ms_ = time_in(*answer, "reference_ms");
  }
  state_ = State::kReady;
  return std::nullopt;
}

// Another child is tried, later each time. For a size that was prepared before, whatever happens is
// no fault of the size.
Expected<bool, RunWorker::Unprepared> RunWorker::failed(const Failure& failure) {
  drop();
  ++failures_;
  const bool again =
      was_prepared_ ? failures_ < kRevivals : failure.retryable && failures_ <= kRetries;
  if (again) {
    state_ = State::kStarting;
    deadline_ = after(Clock::now(), pause_seconds(failures_));
    return false;
  }
  if (was_prepared_) {
    throw UnavailableError("the run worker cannot be brought back: " + failure.reason);
  }
  if (failure.refused) throw RefusedError(text_of_missing(failure.reason));
  if (failure.no_device) throw UnavailableError(text_of_missing(failure.reason));
  return Unexpected{Unprepared{failure.reason, failure.constant, failure.given}};
}

Expected<bool, RunWorker::Unprepared> RunWorker::advance() {
  if (!is_coming_up()) return state_ != State::kDead;
  if (!channel_) {
    if (Clock::now() >= deadline_) connect();
    return false;
  }
  deadline_ += stopped_.take(channel_->pid());
  channel_->pump();
  const auto answer = channel_->take();
  if (!answer && !channel_->has_ended() && Clock::now() < deadline_) return false;
  auto failure = state_ == State::kStarting ? opened(answer) : prepared(answer);
  return failure ? failed(*failure) : !is_coming_up();
}

bool RunWorker::is_ready() {
  if (state_ != State::kReady) return false;
  // One that ended after its last verdict, as after a write into memory that it needed later.
  if (channel_->pump() == Channel::Status::kEnded) drop();
  if (channel_ && channel_->take()) {
    breach_ = kAnsweredTwice;
    drop();
  }
  return state_ == State::kReady;
}

// Until advance() has something to do, or it is time to ask whether it is over.
void RunWorker::wait_for_answer() const {
  PollSet awaited;
  watch(awaited);
  awaited.until(after(Clock::now(), Channel::kLookSeconds));
  awaited.wait();
}

void RunWorker::wait_until_prepared() {
  try {
    while (is_coming_up()) {
      if (!advance()) return;
      if (is_coming_up()) wait_for_answer();
    }
  } catch (const UnavailableError&) {
  }
}

// Only when it was prepared. False when it was over before it was ready.
bool RunWorker::make_ready(const IsOver& is_over) {
  if (is_ready()) return true;
  revive();
  while (!*advance()) {
    if (is_over()) return false;
    wait_for_answer();
  }
  return true;
}

// ---- one configuration --------------------------------------------------------------------------

void RunWorker::begin(const VariantPlan& variant) {
  channel_->clear_output();
  state_ = State::kBusy;
  begun_ = false;
  // A random id: kernels in a `cpu` worker can write to its connection, but cannot guess this.
  id_ = drawn_secret();
  clock_.begin("load", channel_->pid());
  channel_->send({{"type", "evaluate"}, {"id", id_}, {"variant", variant}});
}

void RunWorker::watch(PollSet& awaited) const {
  const bool is_busy = state_ == State::kBusy;
  if (!is_busy && !is_coming_up()) return;
  if (channel_) awaited.sockets.push_back(channel_->watched());
  awaited.until(is_busy ? clock_.deadline() : deadline_);
}

Verdict RunWorker::verdict_of_death(const std::string& how) const {
  Verdict verdict;
  verdict.state = TrialState::kRuntime;
  verdict.message = "the worker " + how + ", during " + clock_.phase();
  verdict.context_dead = true;
  return verdict;
}

Verdict RunWorker::finish(Verdict verdict) {
  state_ = State::kReady;
  work_.add(clock_.started());
  had_run_ = std::exchange(has_run_, has_run_ || may_leave_traces(verdict));
  if (verdict.context_dead || verdict.device_lost || verdict.is_last) drop();
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
    channel_->mark_corrupt("an answer that nobody asked for");
  } catch (const nlohmann::json::exception&) {
    channel_->mark_corrupt("a verdict that makes no sense");
  } catch (const ProtocolError& error) {
    channel_->mark_corrupt(error.what());
  }
  return std::nullopt;
}

std::optional<Verdict> RunWorker::handle() {
  if (state_ != State::kBusy) return std::nullopt;
  clock_.give_back_stopped();
  channel_->pump();
  while (auto message = channel_->take()) {
    if (auto verdict = take_message(*message)) return finish(std::move(*verdict));
  }
  if (channel_->has_ended()) {
    Verdict verdict = verdict_of_death("was " + channel_->exit_reason());
    // Who had not begun yet is innocent: it was an earlier one's doing.
    verdict.retryable = channel_->killed_from_outside() || !begun_;
    return finish(std::move(verdict));
  }
  if (Clock::now() >= clock_.deadline() && !clock_.gets_more_time()) {
    channel_->exit_reason();
    Verdict verdict = verdict_of_death("hung");
    verdict.retryable = channel_->killed_from_outside();  // with the machine that it was on
    verdict.state = TrialState::kTimeout;
    verdict.message = fmt::format("killed after {:.1f} s, during {}",
                                  seconds_since(clock_.started()), clock_.phase());
    return finish(std::move(verdict));
  }
  return std::nullopt;
}

std::uint64_t RunWorker::peak_memory() const {
  return channel_ ? peak_resident_bytes(channel_->pid()) : 0;
}

void RunWorker::abort() {
  if (state_ == State::kBusy) work_.add(clock_.started());
  if (state_ == State::kBusy || (is_coming_up() && plan_)) drop();
}

// Neither samples nor a culprit when it failed; `again` then says whether another try makes sense.
RunWorker::Remeasured RunWorker::try_remeasuring(nlohmann::json& request, bool& again,
                                                 const IsOver& is_over,
                                                 const std::function<void(int)>& round) {
  again = false;
  if (!make_ready(is_over)) return {};
  had_run_ = std::exchange(has_run_, true);
  id_ = drawn_secret();
  request["id"] = id_;
  channel_->send(request);
  const std::size_t finalists = request.at("variants").size();
  const TimePoint end = after(Clock::now(), limits_.remeasure_seconds);
  TimePoint until = end;
  Remeasured result;
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
      if (type != "remeasured" && type != "verdict") continue;
      if (answer->at("id").get<std::uint64_t>() != id_) break;
      if (type == "remeasured") {
        answer->at("samples").get_to(result.samples);
        if (answer->value("is_last", false)) drop();
        if (is_plausible(result.samples, finalists, request.at("plan").get<FinalPlan>()))
          return result;
        break;
      }
      result.failed.emplace(answer->at("plan").get<std::size_t>(),
                            answer->at("verdict").get<Verdict>());
      again =
          result.failed->second.retryable || (had_run_ && may_be_of_others(result.failed->second));
      drop();
      return result;
    } catch (const std::exception&) {  // no JSON of ours, or no message
      break;
    }
  }
  const bool has_crashed = channel_->has_ended();
  again = (gone("the worker").retryable || (had_run_ && has_crashed)) && !is_over();
  return {};
}

RunWorker::Remeasured RunWorker::remeasure(const std::vector<VariantPlan>& variants,
                                           const FinalPlan& plan, const IsOver& is_over,
                                           const std::function<void(int)>& round) {
  nlohmann::json request{{"type", "remeasure"}, {"variants", variants}, {"plan", plan}};
  Remeasured result;
  const TimePoint begun = Clock::now();
  bool again = true;
  for (int attempt = 0; again && attempt <= kRetries; ++attempt) {
    pause_before(attempt, is_over);
    result = try_remeasuring(request, again, is_over, round);
    const bool is_damaged = result.failed && result.failed->second.kept == Kept::kDamaged;
    if (is_damaged) request["plan"]["looks_at_each"] = true;
  }
  work_.add(begun);
  auto& failed = result.failed;
  if (failed && (failed->first >= variants.size() || failed->second.kept == Kept::kDamaged))
    failed.reset();
  return result;
}

}  // namespace tuner
