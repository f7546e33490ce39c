/* A descriptor that ends before get_factory. */
#include "tuner/plugin/abi.h"

static const void* get_factory(const char* kind) {
  (void)kind;
  return NULL;
}

const tuner_plugin tuner_plugin_v2 = {TUNER_ABI_MAGIC,    TUNER_ABI_MAJOR,
                                      TUNER_ABI_MINOR,    offsetof(tuner_plugin, get_factory),
                                      "short_descriptor", "1",
                                      get_factory};
