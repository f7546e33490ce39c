/* The observers' part of abi.h, which includes it: nobody else should. */
#ifndef TUNER_PLUGIN_ABI_OBSERVER_H
#define TUNER_PLUGIN_ABI_OBSERVER_H

#include "tuner/plugin/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- observer: further values of a variant ----------------------------------------------------
 * Such as a hardware counter, or a figure of the compiled image. Runs in the run worker, in the
 * process that launches, after a variant was timed and found right. */

/* A value that an observer gives. */
typedef struct tuner_value_info {
  const char* name;
  const char* unit; /* "bytes"; empty for a mere number */
  const char* help;
} tuner_value_info;

typedef struct tuner_observed {
  uint32_t struct_size;
  uint32_t launch_count;           /* how often it is launched between begin and end */
  tuner_str backend, device, arch; /* "cuda", the device's name, "sm_90" */
  tuner_str image, entry;
  tuner_resources resources;
  uint32_t grid[3], block[3]; /* of the main kernel */
  uint64_t dynamic_shared_bytes;
  const double* milliseconds; /* of one launch each, as the search measured them */
  size_t sample_count;
} tuner_observed;

/* Functions return a tuner_status and, when it is not TUNER_OK, a reason through `error`. */
typedef struct tuner_observer {
  uint32_t struct_size;
  uint32_t launches; /* that it wants between begin and end: each waited for; 0: none */
  void* self;
  void (*destroy)(void* self);
  int (*begin)(void* self, const tuner_observed* variant, tuner_sink error);
  /* values[0 .. value_count), in the order of the factory's values(). NaN: it has none here. */
  int (*end)(void* self, const tuner_observed* variant, double* values, size_t value_count,
             tuner_sink error);
} tuner_observer;

typedef struct tuner_observer_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  /* What it gives, at least one value; they live as long as the plugin. */
  const tuner_value_info* (*values)(uint32_t item, uint32_t* value_count);
  int (*create)(uint32_t item, const tuner_pair* options, size_t option_count, tuner_observer* out,
                tuner_sink error);
} tuner_observer_factory;

#ifdef __cplusplus
}
#endif
#endif
