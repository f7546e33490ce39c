#pragma once
// The one child that holds a device. Exactly one configuration is in flight in it, announced
// before it is launched, so a crash, a hang or a poisoned context has exactly one culprit. The
// child is then replaced and the problem prepared anew.

#include <poll.h>

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
  bool is_open() const { return channel_ != nullptr && !is_starting_; }
  const DeviceId& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  // Has buffers allocated and filled and the reference run, while the caller goes on; throws
  // UnavailableError when there is no device.
  void start_preparing(SizePlan plan);
  // Why a problem size cannot be prepared.
  struct Unprepared {
    std::string reason;
    std::string constant;  // the one that the study gives another size than the source; or empty
    std::string given;     // to the reference kernel, if that may have ended the worker
  };
  // Whether that is done now, or why it cannot be; throws UnavailableError when the device turned
  // out to be unusable.
  Expected<bool, Unprepared> handle_preparing();
  // What the preparation found suspicious, once.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }
  // Of the size that was prepared last: the reference's time; 0 where it was not timed.
  double reference_ms() const { return reference_ms_; }

  // Only when prepared. Revives the child if it ended; throws UnavailableError when it cannot be
  // brought back. False when it was over before that was done.
  bool make_ready(const IsOver& is_over);
  // Whether it is ready as it is.
  bool is_ready();
  // As make_ready(), for who has other devices to look after meanwhile: begins with it.
  void start_reviving();
  // Whether that is done; throws UnavailableError when it cannot be brought back.
  bool handle_reviving();
  // Only when it is ready, and neither busy nor preparing.
  void begin(const VariantPlan& variant);
  // Best valid launch of the current size in ms, which the deadlines follow; 0 = not known.
  void set_best(double ms) { clock_.set_best(ms); }

  void watch(std::vector<pollfd>& fds) const;
  TimePoint deadline() const;
  // The verdict on the configuration in flight, once there is one.
  std::optional<Verdict> handle();
  // Once: that the worker has answered for the configuration before once more. Its first answer may
  // have been the configuration's own.
  std::optional<std::string> take_breach() { return std::exchange(breach_, std::nullopt); }
  // Ends a child that is at work at once; what was in flight gets no verdict.
  void abort();

  // Interleaved re-measurement of finalists: samples[variant][round]. Blocks. When a variant
  // failed, its place and verdict instead; neither when the child died without saying why, or when
  // it was over.
  struct Duel {
    std::vector<std::vector<double>> samples;
    std::optional<std::pair<std::size_t, Verdict>> failed;
  };
  // `round` is told of each round that begins, counted from 0, and may be empty.
  Duel duel(const std::vector<VariantPlan>& variants, const FinalPlan& plan, const IsOver& is_over,
            const std::function<void(int)>& round = {});

  std::uint64_t peak_memory() const;  // of the child, in main memory
  double busy_seconds() const { return work_.seconds(); }
  const std::vector<BusySpan>& busy() const { return work_.spans(); }

 private:
  // Why a child could not be set up.
  struct Failure {
    std::string reason;
    bool excusable = false;  // the cause may be outside
    bool no_device = false;
    std::string constant{};
    std::string given{};  // as in Unprepared
  };
  std::optional<Failure> try_open(const IsOver& is_over);
  void send_plan();
  std::optional<Failure> not_prepared(const std::optional<nlohmann::json>& answer);
  Failure gone(const std::string& what);
  UnavailableError unavailable(const std::string& reason) const;
  Duel try_duel(nlohmann::json& request, bool& again, const IsOver& is_over,
                const std::function<void(int)>& round);
  std::optional<Failure> go_on_reviving();
  Verdict verdict_of_death(const std::string& how) const;
  std::optional<Verdict> take_message(const nlohmann::json& message);
  Verdict finish(Verdict verdict);

  Connect connect_;
  std::string backend_;
  DeviceId device_;
  std::vector<std::pair<std::string, std::string>> options_;
  RunLimits limits_;
  std::unique_ptr<Channel> channel_;
  bool is_starting_ = false;  // the child was not heard of yet
  TimePoint start_deadline_;
  DeviceFacts facts_;
  std::optional<SizePlan> plan_;
  bool preparing_ = false;
  int preparations_ = 0;  // that failed by something outside
  std::vector<std::string> warnings_;
  double reference_ms_ = 0;
  TimePoint prepare_deadline_ = TimePoint::max();
  bool is_reviving_ = false;
  int revivals_ = 0;     // that failed, of this one
  TimePoint revive_at_;  // not before then
  bool busy_ = false;
  bool begun_ = false;    // the child has said that it is at work on what is in flight
  std::uint64_t id_ = 0;  // of the question, drawn at random
  std::optional<std::string> breach_;
  PhaseClock clock_;
  WorkLog work_;
};

}  // namespace tuner
