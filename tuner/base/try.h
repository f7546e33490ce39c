#pragma once
// How a failure goes on to the caller: one word in front of what may fail.

#include <utility>

#include "tuner/base/expected.h"

namespace tuner {

template <typename T, typename E>
T taken(Expected<T, E>& result) {
  return std::move(*result);
}

}  // namespace tuner

// The value of an Expected. Where there is none, the function around it returns the error.
#define TUNER_TRY(...)                                       \
  __extension__({                                            \
    auto tried_ = (__VA_ARGS__);                             \
    if (!tried_) return ::tuner::Unexpected{tried_.error()}; \
    ::tuner::taken(tried_);                                  \
  })
