#pragma once
// Stackful contexts on Boost.Context's fcontext, the layer below boost::context::fiber: a jump is
// some 5 ns, allocates nothing, and contexts that a fault leaves behind need no unwinding.

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

#ifdef TUNER_SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tuner::cpu {

// The state of a suspended computation, on an OS thread's own stack or on a fiber's.
struct Context {
  boost::context::detail::fcontext_t at = nullptr;  // null: not started
  void* owner = nullptr;
  const void* stack = nullptr;  // lowest address; for the address sanitizer
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;
};

// Suspends `from`, which must be what is running now, and goes on with `to`.
inline void jump(Context& from, Context& to) {
#ifdef TUNER_SANITIZED
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.stack_size);
#endif
  const auto back = boost::context::detail::jump_fcontext(to.at, &from);
  static_cast<Context*>(back.data)->at = back.fctx;
#ifdef TUNER_SANITIZED
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

// Finishes a jump into a fiber's function, which calls this first; returns the context that jumped
// here.
inline Context& arrive(boost::context::detail::transfer_t back) {
  auto& from = *static_cast<Context*>(back.data);
  from.at = back.fctx;
#ifdef TUNER_SANITIZED
  __sanitizer_finish_switch_fiber(nullptr, &from.stack, &from.stack_size);
#endif
  return from;
}

// A context with a stack of its own, below which lies a page that must not be touched.
class Fiber {
 public:
  using Function = void (*)(boost::context::detail::transfer_t);
  static constexpr std::size_t kStackBytes = std::size_t{128} * 1024;

  // Sets the size of the stacks of fibers that are made from now on: the study's wish, never less
  // than kStackBytes.
  static void set_stack_bytes(std::size_t bytes);
  static std::size_t stack_bytes();

  Fiber(void* owner, std::size_t number);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  Context& context() { return context_; }
  const Context& context() const { return context_; }
  // The next jump calls `function` from the top of the stack. Whatever ran here is forgotten.
  void restart(Function function);
  // The launch whose threads it last ran, as its owner counts them.
  std::uint64_t launch = 0;

 private:
  void forget_red_zones();

  Context context_;
  void* memory_ = nullptr;
  std::size_t bytes_;
  std::size_t top_ = 0;  // bytes from memory_
};

}  // namespace tuner::cpu
