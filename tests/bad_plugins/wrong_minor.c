/* Made for another minor version of the interface. */
#include "tuner/plugin/abi.h"

static const void* get_factory(const char* kind) {
  (void)kind;
  return NULL;
}

const tuner_plugin tuner_plugin_v2 = {TUNER_ABI_MAGIC,      TUNER_ABI_MAJOR, TUNER_ABI_MINOR - 1,
                                      sizeof(tuner_plugin), "wrong_minor",   "1",
                                      get_factory};
