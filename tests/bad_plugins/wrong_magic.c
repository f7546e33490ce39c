/* Starts with another magic number. */
#include "tuner/plugin/abi.h"

static const void* get_factory(const char* kind) {
  (void)kind;
  return NULL;
}

const tuner_plugin tuner_plugin_v2 = {0x12345678u,          TUNER_ABI_MAJOR, TUNER_ABI_MINOR,
                                      sizeof(tuner_plugin), "wrong_magic",   "1",
                                      get_factory};
