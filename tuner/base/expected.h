#pragma once
// A value or the reason why there is none, and the word by which the reason goes on to the caller.
// std::expected needs C++23; this is the part we need.

#include <utility>
#include <variant>

namespace tuner {

template <typename E>
struct Unexpected {
  E error;
};
template <typename E>
Unexpected(E) -> Unexpected<E>;

template <typename T, typename E>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  template <typename G>
  Expected(Unexpected<G> failure)  // NOLINT: implicit
      : state_(std::in_place_index<1>, std::move(failure.error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(**this); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }
  E& error() { return *std::get_if<1>(&state_); }
  const E& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, E> state_;
};

}  // namespace tuner

// The value of an Expected. Where there is none, the function around it returns the error.
#define TUNER_TRY(...)                                                  \
  __extension__({                                                       \
    auto tried_ = (__VA_ARGS__);                                        \
    if (!tried_) return ::tuner::Unexpected{std::move(tried_.error())}; \
    *std::move(tried_);                                                 \
  })
