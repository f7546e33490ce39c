#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace tuner::fuzz {

void require(bool holds, const char* fact) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", fact);
  std::abort();
}

}  // namespace tuner::fuzz
