// The entry that libFuzzer calls. TUNER_FUZZ_TARGET is one of targets.h.
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tuner::fuzz::TUNER_FUZZ_TARGET(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
