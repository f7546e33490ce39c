#pragma once
// Strategies as they are written in books: a loop that measures and decides. Such a loop is a
// coroutine that is suspended while its answers are outstanding. When more questions are wanted
// than the running loops have, another loop is started beside them, so that every strategy keeps
// many questions open.

#include <coroutine>
#include <deque>
#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/plugins/strategies/parts/candidates.h"

namespace tuner::strategies {

class Walkers;

// The coroutine's handle. A walk that returns is replaced by a new one.
class Walk {
 public:
  struct promise_type {
    std::exception_ptr failure;
    Walk get_return_object() { return Walk(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Walk(Handle handle) : handle_(handle) {}
  Walk(Walk&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Walk& operator=(Walk&&) = delete;
  ~Walk() {
    if (handle_) handle_.destroy();
  }

  bool done() const { return handle_.done(); }
  // Runs to the next unanswered question or to the end; throws what the walk threw.
  void resume();

 private:
  Handle handle_;
};

// The functions that one walk may call. Lives as long as the walk.
class Guide {
 public:
  Guide(Walkers& owner, std::uint64_t seed, std::uint64_t stream)
      : owner_(&owner), rng_(seed, stream) {}

  Rng& rng() { return rng_; }
  const Space& space() const;
  const History& history() const;

  // co_await measure(index): it with its value, infinity when it failed. Known ones answer at once.
  // co_await measure_all(indices): the same for several, in their order.
  class Measured;
  class MeasuredAll;
  Measured measure(Index index);
  MeasuredAll measure_all(std::vector<Index> indices);

  // Configurations that nobody has asked for, uniformly random: where a walk starts. Fewer near
  // the end of the space.
  std::vector<Index> fresh(std::size_t count);

  // Returns configurations that nobody has asked for, sensible ones (candidates.h) and far from
  // each other.
  std::vector<Index> sensible(std::size_t count);

  // Whether annealing goes where it is worse by this much: always where it is better, else with a
  // chance that grows with the temperature, in units of median minus best.
  bool accepts(double worse, double temperature);

  std::vector<Index> first(std::size_t count, bool are_sensible) {
    return are_sensible ? sensible(count) : fresh(count);
  }

 private:
  friend class Walkers;

  Member measured(Index index) const;
  // Asks for what is not known; true when all is known already.
  bool request(std::span<const Index> indices);

  Walkers* owner_;
  Rng rng_;
  std::deque<Index> questions_;  // claimed, not handed out yet
  std::size_t missing_ = 0;      // answers that the walk waits for
  std::size_t revisits_ = 0;     // measurements without a new question
  bool stalled_ = false;
};

class Guide::Measured {
 public:
  Measured(Guide* guide, Index index) : guide_(guide), index_(index) {}
  bool await_ready() { return guide_->request(std::span(&index_, 1)); }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  Member await_resume() const { return guide_->measured(index_); }

 private:
  Guide* guide_;
  Index index_;
};

class Guide::MeasuredAll {
 public:
  MeasuredAll(Guide* guide, std::vector<Index> indices)
      : guide_(guide), indices_(std::move(indices)) {}
  bool await_ready() { return guide_->request(indices_); }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  Population await_resume() const;

 private:
  Guide* guide_;
  std::vector<Index> indices_;
};

// A strategy made of walks.
class Walkers : public sdk::Strategy {
 public:
  explicit Walkers(const StrategySetup& setup)
      : moves_(setup.space),
        history_(setup.space, setup.seed),
        source_(setup.space, mix64(setup.seed)),
        options_(setup.options),
        seed_(setup.seed) {}

  std::vector<Index> ask(std::size_t count) final;
  void tell(const Observation& observation) final;

 protected:
  // One walk; `guide` outlives it. Must measure something fresh before it returns.
  virtual Walk walk(Guide& guide) = 0;

  const Moves& moves() const { return moves_; }
  const sdk::Options& options() const { return options_; }
  template <typename T>
  T option(std::string_view name) const {
    return options_.get<T>(name);
  }

 private:
  friend class Guide;

  struct Walker {
    Guide guide;
    Walk walk;
    Walker(Walkers& owner, std::uint64_t seed, std::uint64_t stream)
        : guide(owner, seed, stream), walk(owner.walk(guide)) {}
  };

  // A walk that measures known configurations this often without a new question is going round in
  // circles and is ended.
  static constexpr std::size_t kRevisitLimit = 300;

  void start_walk();
  void remove_finished();

  Moves moves_;
  History history_;
  CandidateSource source_;
  sdk::Options options_;
  std::uint64_t seed_;
  std::uint64_t started_ = 0;
  std::vector<std::unique_ptr<Walker>> walkers_;
  std::unordered_multimap<Index, Guide*, IndexHash> waiting_;  // who waits for which answer
};

}  // namespace tuner::strategies
