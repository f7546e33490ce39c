/* What a plugin of interface 1 exports. */
#include "tuner/plugin/abi.h"

extern const tuner_plugin tuner_plugin_v1;
const tuner_plugin tuner_plugin_v1 = {TUNER_ABI_MAGIC, 1,   4,   sizeof(tuner_plugin),
                                      "old",           "1", NULL};
