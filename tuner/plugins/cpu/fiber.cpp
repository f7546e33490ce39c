// Makes stacks and switches between contexts.

#include "tuner/plugins/cpu/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace tuner::cpu {
namespace {

// The tops of neighbouring stacks fall into different cache sets; without that, the hot lines of
// all threads of a block would compete for the same few ways.
constexpr std::size_t kColours = 29;
constexpr std::size_t kColourBytes = 320;

std::atomic<std::size_t> usual_bytes{Fiber::kStackBytes};

std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

void Fiber::set_stack_bytes(std::size_t bytes) {
  constexpr std::size_t kForCalls = 16384;  // what the runtime itself and the colours take
  const std::size_t pages = (bytes + kForCalls) / guard_bytes() + 1;
  usual_bytes = std::max(kStackBytes, bytes == 0 ? 0 : pages * guard_bytes());
}

std::size_t Fiber::stack_bytes() { return usual_bytes; }

Fiber::Fiber(void* owner, std::size_t number) : bytes_(usual_bytes) {
  memory_ = mmap(nullptr, bytes_ + guard_bytes(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  // Fails when the process has too many mappings: the fiber then works without its guard.
  mprotect(memory_, guard_bytes(), PROT_NONE);
  top_ = guard_bytes() + bytes_ - number % kColours * kColourBytes;
  context_.owner = owner;
  context_.stack = static_cast<char*>(memory_) + guard_bytes();
  context_.stack_size = top_ - guard_bytes();
}

Fiber::~Fiber() {
  forget_red_zones();
  munmap(memory_, bytes_ + guard_bytes());
}

// Clears the sanitizer's marks that the fiber's code has left: whatever is mapped here next would
// inherit them.
void Fiber::forget_red_zones() {
#ifdef TUNER_SANITIZED
  __asan_unpoison_memory_region(context_.stack, context_.stack_size);
#endif
}

void Fiber::restart(Function function) {
#ifdef TUNER_SANITIZED
  context_.fake_stack = nullptr;
#endif
  forget_red_zones();
  context_.at = boost::context::detail::make_fcontext(static_cast<char*>(memory_) + top_,
                                                      context_.stack_size, function);
}

}  // namespace tuner::cpu
