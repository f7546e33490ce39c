// Limits the addresses that a worker may take, by the memory that there is.

#include "tuner/worker/memory_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tuner/base/process_state.h"

namespace tuner {
namespace {

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

// Estimates what running kernels takes by itself, addresses more than memory: stacks for the
// threads of a block, and the allocator's room, for each core.
std::uint64_t overhead() {
  constexpr std::uint64_t kOfCore = std::uint64_t{256} << 20;
  return std::max(1U, std::thread::hardware_concurrency()) * kOfCore;
}

}  // namespace

std::uint64_t memory_allowance() {
  constexpr std::uint64_t kMost = std::uint64_t{16} << 30;
  constexpr std::uint64_t kLeast = std::uint64_t{2} << 30;
  static const std::uint64_t there = usable_memory();  // asked for with each variant
  return std::clamp(there / 2, std::min(kLeast, there / 4 * 3), kMost);
}

void limit_address_space([[maybe_unused]] std::uint64_t bytes) {
#ifndef TUNER_SANITIZED  // the sanitizer reserves terabytes of addresses
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = bytes == 0 ? limit.rlim_max : std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

void KernelMemory::lift() {
  if (!is_limited_) return;
  limit_address_space(0);
  is_enforced_ = false;
}

void KernelMemory::enforce() {
  if (!is_limited_ || is_enforced_) return;
  is_enforced_ = true;
  before_ = address_space();
  const std::uint64_t room = memory_allowance() + overhead();
  limit_address_space(before_ + room - std::min(kept_, room));
}

std::uint64_t KernelMemory::excess() {
  if (!is_enforced_) return 0;
  const std::uint64_t now = address_space();
  const std::uint64_t taken = now - std::min(now, before_);
  lift();  // what is to be said of it needs memory, too
  kept_ += taken;
  return taken > overhead() + memory_allowance() / 4 * 3 ? taken : 0;
}

bool KernelMemory::is_used_up() const { return kept_ > overhead() + memory_allowance() / 2; }

}  // namespace tuner
