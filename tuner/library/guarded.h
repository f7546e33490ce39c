#pragma once
// What the house throws, as the library's Error.

#include <exception>

#include "tuner/library/tuner.h"

namespace libtuner {

template <typename Body>
auto guarded(Body&& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

}  // namespace libtuner
