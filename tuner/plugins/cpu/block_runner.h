#pragma once
// Runs blocks on one OS thread. A kernel's threads run one after the other until they wait; only
// then do they get a fiber of their own. A kernel that never waits is a loop of plain calls.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/plugins/cpu/fiber.h"
#include "tuner/plugins/cpu/image.h"
#include "tuner/plugins/cpu/warp.h"

namespace tuner::cpu {

// The place where the blocks of a cooperative launch, each on an OS thread, wait for each other.
class GridMeeting {
 public:
  explicit GridMeeting(std::uint64_t blocks) : blocks_(blocks) {}

  // Returns when all blocks have come. False when one has ended and can no longer come.
  bool wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t round = round_;
    if (!left_ && ++waiting_ == blocks_) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ != round || left_; });
    return round_ != round;
  }

  // A block has ended, and the others need not wait.
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    all_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::uint64_t blocks_;
  std::uint64_t waiting_ = 0;
  std::uint64_t round_ = 0;
  bool left_ = false;
};

// The order in which threads go on that could: by number, or random (the same for the same seed).
struct ThreadOrder {
  bool random = false;
  std::uint64_t seed = 0;
};

// One launch; shared by all OS threads that run its blocks.
struct Grid {
  const Image* image = nullptr;
  void (*run_thread)(void** arguments) = nullptr;
  tuner_cpu_index size{1, 1, 1};
  tuner_cpu_index block{1, 1, 1};
  void** arguments = nullptr;
  std::uint64_t dynamic_shared_bytes = 0;
  bool poison_shared = false;
  GridMeeting* meeting = nullptr;                     // of a cooperative launch
  std::optional<ThreadOrder> order{};                 // instead of the runner's own
  std::vector<tuner_cpu_index> thread_indices;        // of a block's threads, x fastest
  std::vector<std::span<const std::byte>> buffers{};  // what each argument points to

  std::uint64_t block_count() const { return std::uint64_t{size.x} * size.y * size.z; }
};

class BlockRunner {
 public:
  explicit BlockRunner(ThreadOrder order);
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  // Makes run() run blocks of this grid, on the OS thread that called begin().
  void begin(const Grid& grid);
  // Runs one block to its end. False when it failed; fault() then says why.
  bool run(std::uint64_t block);
  const std::string& fault() const { return fault_; }
  // Writes what the kernel on the calling OS thread did when it was interrupted. Returns the length
  // of the text, 0 if no kernel runs there; allocates nothing.
  enum class Crash { kDivision, kAddress, kUnknownAddress };
  static std::size_t explain_crash(Crash how, const void* address, std::span<char> text);

 private:
  struct Thread {
    Fiber* fiber = nullptr;  // null: not started, or ended
    bool at_barrier = false;
  };
  static constexpr std::uint32_t kNone = ~0U;

  // Functions that kernels call, through tuner_cpu_runtime.
  static void on_barrier(void* self);
  static int on_vote(void* self, unsigned vote, int predicate);
  static unsigned long long on_warp(void* self, unsigned op, unsigned mask,
                                    unsigned long long value, unsigned argument);
  static void on_fault(void* self, const char* what, const char* file, int line);
  static void on_wait_for_grid(void* self);
  static void fiber_main(boost::context::detail::transfer_t back);

  void prepare(std::uint64_t block);
  void look_behind_shared_memory();
  void run_threads(Fiber& self);
  void wait_at_barrier();
  void end_thread(std::uint32_t thread);
  void release_barrier();
  void complete(Warp& warp, const WarpGroup& group, std::uint32_t except);
  void complete_finished_groups(std::uint32_t warp);
  bool complete_an_active_mask();

  std::uint32_t pick();
  void suspend();
  Fiber& fiber_for(std::uint32_t thread);
  void enter(std::uint32_t thread);
  void leave();
  std::string deadlock() const;
  std::string place(std::uint32_t thread) const;
  void write_reason(const void* address, std::span<char> text) const;
  std::uint64_t random();

  ThreadOrder usual_order_;
  ThreadOrder order_;  // of the grid that is running
  tuner_cpu_runtime services_;
  const Grid* grid_ = nullptr;
  tuner_cpu_slots slots_{};
  Context main_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::uint64_t launch_ = 0;  // how many have begun

  // The block that is running.
  std::uint32_t thread_count_ = 0;
  std::vector<Thread> threads_;
  std::vector<Lane> lanes_;  // one for each thread, warps padded to 32
  std::vector<Warp> warps_;
  std::vector<std::uint32_t> ready_;  // woken threads, from ready_begin_ on
  std::size_t ready_begin_ = 0;
  std::vector<std::uint32_t> at_barrier_;
  std::uint32_t next_unstarted_ = 0;
  std::uint32_t current_ = 0;
  std::uint32_t ended_ = 0;
  int votes_ = 0;
  int votes_counted_ = 0;  // of the barrier that was released last
  bool votes_all_ = false;
  std::uint64_t random_state_ = 0;
  tuner_cpu_index block_index_{};
  std::string fault_;
};

// ---- what a kernel did that ends the process, told on standard error before it ends ------------

// While one lives, a signal that a kernel's own instruction caused is explained. Then the process
// ends as it would have without.
class CrashReport {
 public:
  CrashReport();
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;
};

// Gives the calling OS thread a stack for signals: that of a kernel may be what is full.
void prepare_for_crashes();

}  // namespace tuner::cpu
