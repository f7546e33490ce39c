/* Made for another major version of the interface. */
#include "tuner/plugin/abi.h"

static const void* get_factory(const char* kind) {
  (void)kind;
  return NULL;
}

const tuner_plugin tuner_plugin_v2 = {
    TUNER_ABI_MAGIC, TUNER_ABI_MAJOR + 1, 0, sizeof(tuner_plugin), "wrong_major", "1", get_factory};
