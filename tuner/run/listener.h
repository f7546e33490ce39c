#pragma once
// Events of a run, reported one after the other: to a terminal, to a program that reads JSON lines,
// to a test, to an application.

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/model/problem_size.h"
#include "tuner/model/trial.h"

namespace tuner {

struct SizeOutcome;

// One problem size on one device.
struct RunPart {
  std::string title;      // "matmul on NVIDIA H200, M1024_N1024_K1024: 4096 valid configurations"
  std::string total;      // how many trials there may be
  bool is_search = true;  // else the strategy has no say: winners of other sizes are tried
  std::optional<double> seconds{};  // that the search may take, where that is limited
};

struct RunEvent {
  enum class Kind {
    kNote,
    // A step on the way to the first result is done: "device opened", "store opened", "compiler
    // ready"; of each size, unless its artifacts are kept, "reference compiled", "device prepared",
    // "first variant compiled".
    kStep,
    kBegin,     // of a part
    kTrial,     // came to its end; it is committed already
    kSearched,  // the search has ended
    kRound,     // of a final
    kRanked,    // the ranking of a part stands, and its CSV is written
  };

  Kind kind = Kind::kNote;
  std::size_t lane = 0;  // from 1 for sizes that are tuned side by side; 0: one after the other
  std::string device{};  // and the size that the event is about; empty: it is about the whole run
  ProblemSize size{};
  double seconds = 0;       // since kBegin, of a trial and of the search
  std::string_view text{};  // of a note or a step
  const RunPart* part = nullptr;
  const Trial* trial = nullptr;
  const SizeOutcome* outcome = nullptr;  // of kRanked
  int done = 0;                          // rounds of the final,
  int rounds = 0;                        // of so many
};

// Receiver of a run's events. Copies share one function, which is called for one event at a time,
// whichever threads report.
class RunListener {
 public:
  using Hear = std::function<void(const RunEvent&)>;
  using Kind = RunEvent::Kind;

  explicit RunListener(Hear hear) : hearer_(std::make_shared<Hearer>(std::move(hear))) {}

  // Returns a copy that reports sizes in this lane.
  RunListener in_lane(std::size_t lane) const {
    RunListener out = *this;
    out.lane_ = lane;
    return out;
  }
  // Sets the size that all further events are about.
  void turn_to(const std::string& device, const ProblemSize& size) {
    device_ = device;
    size_ = size;
  }

  void note(std::string_view text) const { tell(Kind::kNote, &RunEvent::text, text); }
  void reached(std::string_view step) const { tell(Kind::kStep, &RunEvent::text, step); }
  void begin(const RunPart& part) const { tell(Kind::kBegin, &RunEvent::part, &part); }
  void ranked(const SizeOutcome& one) const { tell(Kind::kRanked, &RunEvent::outcome, &one); }
  void searched(double seconds) const { tell(Kind::kSearched, &RunEvent::seconds, seconds); }
  void trial(const Trial& trial, double seconds) const {
    RunEvent event = made(Kind::kTrial);
    event.trial = &trial;
    event.seconds = seconds;
    tell(event);
  }
  void round(int done, int rounds) const {
    RunEvent event = made(Kind::kRound);
    event.done = done;
    event.rounds = rounds;
    tell(event);
  }

 private:
  struct Hearer {
    explicit Hearer(Hear with) : hear(std::move(with)) {}
    Hear hear;
    std::mutex mutex{};
  };

  RunEvent made(Kind kind) const { return {kind, lane_, device_, size_}; }
  template <typename Value>
  void tell(Kind kind, Value RunEvent::*what, Value value) const {
    RunEvent event = made(kind);
    event.*what = value;
    tell(event);
  }
  void tell(const RunEvent& event) const {
    const std::lock_guard lock(hearer_->mutex);
    hearer_->hear(event);
  }

  std::shared_ptr<Hearer> hearer_;
  std::size_t lane_ = 0;
  std::string device_;
  ProblemSize size_;
};

}  // namespace tuner
