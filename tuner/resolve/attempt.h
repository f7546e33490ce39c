#pragma once
// Plans whose parts may fail: the first failure is that of the whole.

#include <string>
#include <utility>

#include "tuner/base/expected.h"

namespace tuner {

// Why there is no plan. Only attempt() sees it.
struct NoPlan {
  std::string why;
};

// `who` begins the sentence where there is none.
template <class T>
T needed(Expected<T, std::string> part, const std::string& who = {}) {
  if (!part) throw NoPlan{who + part.error()};
  return std::move(*part);
}

// What `make` returns, or the first failure of what it needed.
template <class Make>
auto attempt(Make make) -> Expected<decltype(make()), std::string> {
  try {
    return make();
  } catch (NoPlan& none) {
    return Unexpected{std::move(none.why)};
  }
}

}  // namespace tuner
