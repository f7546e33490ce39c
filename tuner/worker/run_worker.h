#pragma once
// The one child that holds a device. Exactly one configuration is in flight in it, announced
// before it is launched, so a crash, a hang or a poisoned context has exactly one culprit. The
// child is then replaced and the problem prepared anew.

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/expected.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/phase_clock.h"

namespace tuner {

class RunWorker {
 public:
  // Whether there is no more time to wait.
  using IsOver = Channel::IsOver;

  using Connect = std::function<std::unique_ptr<Channel>()>;

  // `connect` starts what holds the device, and may throw an UnavailableError.
  RunWorker(Connect connect, std::string backend, DeviceId device,
            std::vector<std::pair<std::string, std::string>> options, RunLimits limits);
  // A child process.
  RunWorker(const WorkerProgram& program, std::string backend, unsigned device,
            std::vector<std::pair<std::string, std::string>> options, RunLimits limits);

  // Starts the child and asks for the device, without waiting for it: open() does. So several
  // devices open at the same time.
  void start();
  // Starts the child and opens the device. Throws UnavailableError with the reason.
  // This and the preparation try again, a few times, when the cause may be outside: a device that
  // is busy, no memory, a child that somebody killed.
  const DeviceFacts& open();
  bool is_open() const { return state_ >= State::kOpen; }
  const DeviceId& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  // Has buffers allocated and filled and the reference run, while the caller goes on: advance()
  // says when that is done. Throws UnavailableError when there is no device.
  void start_preparing(SizePlan plan);
  // The child has ended since it was prepared: a new one is prepared for the same size, while the
  // caller goes on. Nothing where that has begun.
  void revive();
  // Why a problem size cannot be prepared.
  struct Unprepared {
    std::string reason;
    std::string constant;  // the one that the study gives another size than the source; or empty
    std::string given;     // to the reference kernel, if that may have ended the worker
  };
  // Goes on with what was started, as far as that goes without waiting. Whether all of it is done,
  // or why the size cannot be prepared; throws UnavailableError when the device turned out to be
  // unusable, or cannot be brought back.
  Expected<bool, Unprepared> advance();
  // Waits for what was started; whatever is wrong shows when it is used.
  void wait_until_prepared();
  // Whether advance() has something to go on with.
  bool is_coming_up() const { return state_ == State::kStarting || state_ == State::kPreparing; }
  // Returns what the preparation found suspicious, once.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }
  // Returns the reference's time at the size prepared last; 0 where it was not timed.
  double reference_ms() const { return reference_ms_; }

  // Whether it is ready as it is: prepared, and its child is there.
  bool is_ready();
  // Only when it is ready.
  void begin(const VariantPlan& variant);
  // Best valid launch of the current size in ms, which the deadlines follow; 0 = not known.
  void set_best(double ms) { clock_.set_best(ms); }

  // Adds what there is to wait for until advance() or handle() has something to do.
  void watch(PollSet& awaited) const;
  // The verdict on the configuration in flight, once there is one.
  std::optional<Verdict> handle();
  // Whether another variant has run in the child that is there.
  bool has_run() const { return has_run_; }
  // Returns has_run() as it was before the last verdict.
  bool had_run() const { return had_run_; }
  // Once: that the worker has answered for the configuration before once more. Its first answer may
  // have been the configuration's own.
  std::optional<std::string> take_breach() { return std::exchange(breach_, std::nullopt); }
  // Ends a child that is at work at once; what was in flight gets no verdict.
  void abort();
  // Ends the child, whatever it is at; the next that is wanted is another one.
  void end() {
    abort();
    drop();
  }

  // Interleaved re-measurement of finalists: samples[variant][round]. Blocks. When a variant
  // failed, its place and verdict instead; neither when the child died without saying why, or when
  // it was over.
  struct Remeasured {
    std::vector<std::vector<double>> samples;
    std::optional<std::pair<std::size_t, Verdict>> failed;
  };
  // `round` is told of each round that begins, counted from 0, and may be empty.
  Remeasured remeasure(const std::vector<VariantPlan>& variants, const FinalPlan& plan,
                       const IsOver& is_over, const std::function<void(int)>& round = {});

  std::uint64_t peak_memory() const;  // of the child, in main memory
  double busy_seconds() const { return work_.seconds(); }
  const std::vector<BusySpan>& busy() const { return work_.spans(); }

 private:
  enum class State {
    kDead,       // there is no child, and none is wanted
    kStarting,   // it was asked for the device; while there is none, the next waits for deadline_
    kOpen,       // nothing is prepared
    kPreparing,  // the plan was sent
    kReady,
    kBusy,  // a configuration is in flight
  };
  // Why a child could not be brought up.
  struct Failure {
    std::string reason;
    bool retryable = false;  // the cause may be outside
    bool no_device = false;
    bool refused = false;  // there is one, which cannot be used
    std::string constant{};
    std::string given{};  // as in Unprepared
  };
  void connect();
  void send_plan();
  // Takes the child's answer to being started or prepared; empty: it is gone, or too late.
  std::optional<Failure> opened(const std::optional<nlohmann::json>& answer);
  std::optional<Failure> prepared(const std::optional<nlohmann::json>& answer);
  Expected<bool, Unprepared> failed(const Failure& failure);
  // Reaps the child, and says how it ended.
  Failure gone(const std::string& what);
  void drop();
  void wait_for_answer() const;
  std::string text_of_missing(const std::string& reason) const;
  bool make_ready(const IsOver& is_over);
  Remeasured try_remeasuring(nlohmann::json& request, bool& again, const IsOver& is_over,
                             const std::function<void(int)>& round);
  Verdict verdict_of_death(const std::string& how) const;
  std::optional<Verdict> take_message(const nlohmann::json& message);
  Verdict finish(Verdict verdict);

  Connect connect_;
  std::string backend_;
  DeviceId device_;
  std::vector<std::pair<std::string, std::string>> options_;
  RunLimits limits_;
  std::unique_ptr<Channel> channel_;
  State state_ = State::kDead;
  TimePoint deadline_;  // of kStarting and kPreparing
  StoppedTime stopped_;
  int failures_ = 0;           // of this bringing up
  bool was_prepared_ = false;  // for the present plan: the next failure is none of the plan's
  DeviceFacts facts_;
  std::optional<SizePlan> plan_;
  std::vector<std::string> warnings_;
  double reference_ms_ = 0;
  bool has_run_ = false;
  bool had_run_ = false;
  bool begun_ = false;    // the child has said that it is at work on what is in flight
  std::uint64_t id_ = 0;  // of the question, drawn at random
  std::optional<std::string> breach_;
  PhaseClock clock_;
  WorkLog work_;
};

}  // namespace tuner
