// Runs the threads of blocks as plain calls, and as fibers once one of them waits.

#include "tuner/plugins/cpu/block_runner.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <span>
#include <utility>

#include "tuner/plugin/sdk.h"

namespace tuner::cpu {
namespace {

std::string text_of(const tuner_cpu_index& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

std::string hexadecimal(std::uint32_t mask) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[mask >> shift & 15];
  return "0x" + digits;
}

bool is_same(const tuner_cpu_index& a, const tuner_cpu_index& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The last one that began on this OS thread.
thread_local const BlockRunner* running = nullptr;

}  // namespace

BlockRunner::BlockRunner(ThreadOrder order)
    : usual_order_(order), order_(order), services_{this,     on_barrier,       on_vote, on_warp,
                                                    on_fault, on_wait_for_grid, false} {
  main_.owner = this;
}

void BlockRunner::begin(const Grid& grid) {
  grid_ = &grid;
  ++launch_;
  order_ = grid.order.value_or(usual_order_);
  thread_count_ = grid.block.x * grid.block.y * grid.block.z;
  const std::uint32_t warps = (thread_count_ + kWarpSize - 1) / kWarpSize;
  threads_.assign(thread_count_, {});
  lanes_.assign(std::size_t{warps} * kWarpSize, {});
  warps_.assign(warps, {});
  slots_ = grid.image->slots();
  running = this;
  prepare_for_crashes();
  services_.is_cooperative = grid.meeting != nullptr;
}

bool BlockRunner::run(std::uint64_t block) {
  prepare(block);
  const std::uint32_t first = pick();
  enter(first);
  jump(main_, fiber_for(first).context());
  if (fault_.empty() && grid_->poison_shared) look_behind_shared_memory();
  if (fault_.empty()) return true;
  // The fibers of a block that failed stay where they are; they start afresh.
  idle_.clear();
  for (auto& fiber : fibers_) {
    fiber->restart(fiber_main);
    idle_.push_back(fiber.get());
  }
  return false;
}

void BlockRunner::look_behind_shared_memory() {
  const std::uint64_t bytes = grid_->dynamic_shared_bytes;
  const std::uint64_t behind = grid_->image->written_behind_shared_memory(bytes);
  if (behind == 0) return;
  fault_ = "block " + text_of(block_index_) + " writes " + std::to_string(behind) +
           " bytes outside of the block's shared memory, behind its " + std::to_string(bytes) +
           " dynamic ones";
}

void BlockRunner::prepare(std::uint64_t block) {
  const tuner_cpu_index& size = grid_->size;
  block_index_ = {static_cast<unsigned>(block % size.x),
                  static_cast<unsigned>(block / size.x % size.y),
                  static_cast<unsigned>(block / size.x / size.y)};
  if (grid_->poison_shared) grid_->image->poison_shared_memory(grid_->dynamic_shared_bytes);
  *slots_.block_index = block_index_;
  *slots_.block_size = grid_->block;
  *slots_.grid_size = size;
  *slots_.runtime = &services_;

  for (Thread& thread : threads_) thread = {};
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    const std::uint32_t lanes = std::min(kWarpSize, thread_count_ - w * kWarpSize);
    warps_[w].live = lanes == kWarpSize ? ~0U : (1U << lanes) - 1;
    warps_[w].group_count = 0;
  }
  ready_.clear();
  ready_begin_ = 0;
  at_barrier_.clear();
  ended_ = 0;
  votes_ = 0;
  fault_.clear();
  next_unstarted_ = 0;
  if (order_.random) {
    random_state_ = order_.seed + sdk::elements::splitmix(block);
    for (; next_unstarted_ < thread_count_; ++next_unstarted_) ready_.push_back(next_unstarted_);
  }
}

std::uint64_t BlockRunner::random() { return sdk::elements::splitmix(random_state_++); }

// ---- the fibers' side ---------------------------------------------------------------------------

void BlockRunner::fiber_main(boost::context::detail::transfer_t back) {
  const Context& from = arrive(back);
  auto& runner = *static_cast<BlockRunner*>(from.owner);
  runner.run_threads(*runner.threads_[runner.current_].fiber);
}

// Runs one thread after the other on this fiber's stack. Never returns.
void BlockRunner::run_threads(Fiber& self) {
  for (;;) {
    const std::uint32_t thread = current_;
    grid_->run_thread(grid_->arguments);
    end_thread(thread);

    const std::uint32_t next = ended_ == thread_count_ ? kNone : pick();
    if (next != kNone && threads_[next].fiber == nullptr) {
      threads_[next].fiber = &self;
      enter(next);
      continue;
    }
    idle_.push_back(&self);
    if (next != kNone) {
      enter(next);
      jump(self.context(), threads_[next].fiber->context());
    } else {
      if (ended_ < thread_count_) fault_ = deadlock();
      jump(self.context(), main_);
    }
  }
}

void BlockRunner::end_thread(std::uint32_t thread) {
  threads_[thread].fiber = nullptr;
  ++ended_;
  Warp& warp = warps_[thread / kWarpSize];
  warp.live &= ~(1U << thread % kWarpSize);
  if (warp.group_count > 0) complete_finished_groups(thread / kWarpSize);
  if (!at_barrier_.empty() && at_barrier_.size() + ended_ == thread_count_) release_barrier();
}

// ---- scheduling ---------------------------------------------------------------------------------

// The thread to go on with, kNone when all wait. Woken threads come before those not started, so
// that a warp that works together ends before the next one needs stacks.
std::uint32_t BlockRunner::pick() {
  do {
    if (ready_begin_ < ready_.size()) {
      if (order_.random) {
        const std::size_t left = ready_.size() - ready_begin_;
        std::swap(ready_[ready_begin_], ready_[ready_begin_ + random() % left]);
      }
      const std::uint32_t thread = ready_[ready_begin_++];
      if (ready_begin_ == ready_.size()) {
        ready_.clear();
        ready_begin_ = 0;
      }
      return thread;
    }
    if (next_unstarted_ < thread_count_) return next_unstarted_++;
  } while (complete_an_active_mask());
  return kNone;
}

Fiber& BlockRunner::fiber_for(std::uint32_t thread) {
  Fiber*& fiber = threads_[thread].fiber;
  if (fiber == nullptr) {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>(this, fibers_.size()));
      fibers_.back()->restart(fiber_main);
      idle_.push_back(fibers_.back().get());
    }
    fiber = idle_.back();
    idle_.pop_back();
    // A fiber keeps how its threads had numbers rounded: the next kernel is not to find that.
    if (std::exchange(fiber->launch, launch_) != launch_) fiber->restart(fiber_main);
  }
  return *fiber;
}

void BlockRunner::enter(std::uint32_t thread) {
  current_ = thread;
  *slots_.thread_index = grid_->thread_indices[thread];
}

// The current thread waits; returns when another has woken it.
void BlockRunner::suspend() {
  const std::uint32_t self = current_;
  const std::uint32_t next = pick();
  if (next == kNone) {
    fault_ = deadlock();
    leave();
  }
  enter(next);
  if (next == self) return;
  jump(threads_[self].fiber->context(), fiber_for(next).context());
}

void BlockRunner::wait_at_barrier() {
  threads_[current_].at_barrier = true;
  at_barrier_.push_back(current_);
  if (at_barrier_.size() + ended_ < thread_count_) return suspend();
  release_barrier();
  suspend();
}

void BlockRunner::release_barrier() {
  votes_counted_ = votes_;
  votes_all_ = std::cmp_equal(votes_, at_barrier_.size());
  votes_ = 0;
  for (const std::uint32_t thread : at_barrier_) threads_[thread].at_barrier = false;
  ready_.insert(ready_.end(), at_barrier_.begin(), at_barrier_.end());
  at_barrier_.clear();
}

// ---- warps --------------------------------------------------------------------------------------

void BlockRunner::complete(Warp& warp, const WarpGroup& group, std::uint32_t except) {
  const auto first = static_cast<std::uint32_t>(&warp - warps_.data()) * kWarpSize;
  exchange(group, std::span(lanes_).subspan(first, kWarpSize));
  for (std::uint32_t rest = group.arrived; rest != 0; rest &= rest - 1) {
    const std::uint32_t thread = first + static_cast<std::uint32_t>(std::countr_zero(rest));
    if (thread != except) ready_.push_back(thread);
  }
  warp.remove(group);
}

void BlockRunner::complete_finished_groups(std::uint32_t number) {
  Warp& warp = warps_[number];
  for (std::uint32_t i = warp.group_count; i-- > 0;) {
    if (warp.groups[i].complete(warp.live)) complete(warp, warp.groups[i], kNone);
  }
}

// Nobody can go on: the lanes that have come to the same __activemask() are the active ones.
bool BlockRunner::complete_an_active_mask() {
  for (Warp& warp : warps_) {
    for (std::uint32_t i = 0; i < warp.group_count; ++i) {
      if (warp.groups[i].op != TUNER_CPU_ACTIVE_MASK) continue;
      complete(warp, warp.groups[i], kNone);
      return true;
    }
  }
  return false;
}

// ---- what kernels call --------------------------------------------------------------------------

void BlockRunner::on_barrier(void* self) { static_cast<BlockRunner*>(self)->wait_at_barrier(); }

int BlockRunner::on_vote(void* self, unsigned vote, int predicate) {
  auto& runner = *static_cast<BlockRunner*>(self);
  if (predicate != 0) ++runner.votes_;
  runner.wait_at_barrier();
  if (vote == TUNER_CPU_COUNT) return runner.votes_counted_;
  if (vote == TUNER_CPU_AND) return runner.votes_all_ ? 1 : 0;
  return runner.votes_counted_ != 0 ? 1 : 0;
}

unsigned long long BlockRunner::on_warp(void* self, unsigned op, unsigned mask,
                                        unsigned long long value, unsigned argument) {
  auto& runner = *static_cast<BlockRunner*>(self);
  // A call's number tells branches apart, its address the inlined copies of one function.
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const std::uint64_t site =
      op == TUNER_CPU_ACTIVE_MASK ? address ^ std::uint64_t{argument} << 48 : 0;
  const std::uint32_t thread = runner.current_;
  const std::uint32_t lane = thread % kWarpSize;
  if ((mask >> lane & 1U) == 0) {
    runner.fault_ = "a warp function was called with a mask that leaves out the calling lane: " +
                    hexadecimal(mask) + " by " + runner.place(thread);
    runner.leave();
  }
  Lane& slot = runner.lanes_[thread];
  slot.value = value;
  slot.argument = argument;
  Warp& warp = runner.warps_[thread / kWarpSize];
  const WarpGroup& group = warp.join(op, mask, site, lane);
  if (!group.complete(warp.live)) {
    runner.suspend();
  } else if (runner.order_.random) {
    runner.complete(warp, group, kNone);
    runner.suspend();
  } else {
    runner.complete(warp, group, thread);
  }
  return slot.result;
}

void BlockRunner::on_fault(void* self, const char* what, const char* file, int line) {
  auto& runner = *static_cast<BlockRunner*>(self);
  runner.fault_ = what;
  if (file != nullptr) runner.fault_ += " at " + std::string(file) + ":" + std::to_string(line);
  runner.fault_ += ", in " + runner.place(runner.current_);
  runner.leave();
}

void BlockRunner::on_wait_for_grid(void* self) {
  auto& runner = *static_cast<BlockRunner*>(self);
  GridMeeting* meeting = runner.grid_->meeting;
  if (meeting == nullptr) {
    on_fault(self, "this_grid().sync() needs a cooperative launch", nullptr, 0);
  } else if (!meeting->wait()) {
    on_fault(self, "not all blocks of the grid reach this_grid().sync()", nullptr, 0);
  }
}

// Leaves the block for good. The current fiber never goes on: its callers must own nothing.
void BlockRunner::leave() { jump(threads_[current_].fiber->context(), main_); }

std::string BlockRunner::place(std::uint32_t thread) const {
  return "thread " + text_of(grid_->thread_indices[thread]) + " of block " + text_of(block_index_);
}

std::string BlockRunner::deadlock() const {
  std::string text = "barrier divergence: no thread of block " + text_of(block_index_) +
                     " can go on; " + std::to_string(ended_) + " have returned";
  if (!at_barrier_.empty()) {
    text += ", " + std::to_string(at_barrier_.size()) + " wait in __syncthreads()";
  }
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    for (std::uint32_t i = 0; i < warps_[w].group_count; ++i) {
      const WarpGroup& group = warps_[w].groups[i];
      text += "; lanes " + hexadecimal(group.arrived) + " of warp " + std::to_string(w) +
              " wait in a warp function for lanes " +
              hexadecimal(group.mask & warps_[w].live & ~group.arrived);
      return text;
    }
  }
  return text;
}

// ---- crashes ------------------------------------------------------------------------------------

std::size_t BlockRunner::explain_crash(Crash how, const void* address, std::span<char> text) {
  if (running == nullptr || running->grid_ == nullptr) return 0;
  const tuner_cpu_index& thread = running->grid_->thread_indices[running->current_];
  const tuner_cpu_index& block = running->block_index_;
  char reason[200] = "divides an integer by zero";
  if (how == Crash::kAddress) running->write_reason(address, reason);
  if (how == Crash::kUnknownAddress) {
    std::snprintf(reason, sizeof reason,
                  "uses an address that no memory has, or one that is misaligned");
  }
  const int length =
      std::snprintf(text.data(), text.size(), "thread (%u,%u,%u) of block (%u,%u,%u) %s\n",
                    thread.x, thread.y, thread.z, block.x, block.y, block.z, reason);
  return static_cast<std::size_t>(length);
}

// By the buffer next to the address, if one is near.
void BlockRunner::write_reason(const void* address, std::span<char> text) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Fiber* fiber = threads_[current_].fiber;
  const std::uintptr_t stack =
      fiber == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(fiber->context().stack);
  constexpr std::uintptr_t kNear = std::uintptr_t{1} << 32;
  std::uintptr_t nearest = kNear;
  std::size_t argument = 0;
  bool behind = false;
  for (std::size_t i = 0; i < grid_->buffers.size(); ++i) {
    const auto first = reinterpret_cast<std::uintptr_t>(grid_->buffers[i].data());
    const std::uintptr_t end = first + grid_->buffers[i].size();
    const std::uintptr_t distance = at >= end ? at - end : first - at;
    if (first == 0 || distance >= nearest) continue;
    nearest = distance;
    argument = i;
    behind = at >= end;
  }
  // Shared memory lies beside the built-in variables.
  const bool overwritten = *slots_.runtime != &services_ ||
                           !is_same(*slots_.block_size, grid_->block) ||
                           !is_same(*slots_.grid_size, grid_->size);
  if (overwritten) {
    std::snprintf(text.data(), text.size(),
                  "fails after a thread has written outside of the block's shared memory");
  } else if (at < 4096) {
    std::snprintf(text.data(), text.size(), "uses a null pointer (address %zu)", at);
  } else if (stack - at <= Fiber::stack_bytes()) {
    std::snprintf(text.data(), text.size(),
                  "needs more than %zu KiB of local memory (launch: {limits: {stack: BYTES}})",
                  Fiber::stack_bytes() / 1024);
  } else if (nearest < kNear) {
    std::snprintf(text.data(), text.size(),
                  "uses an address %zu bytes %s argument %zu, a buffer of %zu bytes", nearest,
                  behind ? "behind" : "before", argument + 1, grid_->buffers[argument].size());
  } else {
    std::snprintf(text.data(), text.size(), "uses the address 0x%zx, far from all its buffers", at);
  }
}

}  // namespace tuner::cpu
