/* Its strategy factory ends before create(). */
#include "tuner/plugin/abi.h"

static const tuner_strategy_factory kFactory = {offsetof(tuner_strategy_factory, create), 1, NULL,
                                                NULL};

static const void* get_factory(const char* kind) {
  return kind[6] == 's' ? &kFactory : NULL; /* "tuner.strategy/1" */
}

const tuner_plugin tuner_plugin_v2 = {TUNER_ABI_MAGIC,      TUNER_ABI_MAJOR, TUNER_ABI_MINOR,
                                      sizeof(tuner_plugin), "short_table",   "1",
                                      get_factory};
