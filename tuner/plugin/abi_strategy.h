/* The strategies' part of abi.h, which includes it: nobody else should. */
#ifndef TUNER_PLUGIN_ABI_STRATEGY_H
#define TUNER_PLUGIN_ABI_STRATEGY_H

#include "tuner/plugin/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- strategy: which configuration next ------------------------------------------------------ */

/* Number of a valid configuration; value = high * 2^64 + low. */
typedef struct tuner_index {
  uint64_t low, high;
} tuner_index;

typedef enum tuner_neighbourhood {
  TUNER_HAMMING = 0, /* one parameter differs */
  TUNER_ADJACENT = 1 /* one parameter differs, ordered ones by one step */
} tuner_neighbourhood;

/* The search space as the host shows it. All functions are thread-safe and deterministic. */
typedef struct tuner_space {
  uint32_t struct_size;
  uint32_t parameter_count;
  void* self;
  tuner_index size; /* number of valid configurations, saturated */
  tuner_str (*name)(void* self, uint32_t parameter);
  uint32_t (*value_count)(void* self, uint32_t parameter);
  /* The value as a number; its position for text. */
  double (*value)(void* self, uint32_t parameter, uint32_t position);
  int (*ordered)(void* self, uint32_t parameter);
  void (*positions)(void* self, tuner_index index, uint32_t* positions);
  /* 1 and *index when valid, 0 when not. */
  int (*index_of)(void* self, const uint32_t* positions, tuner_index* index);
  /* Valid configurations only; the sink receives tuner_index records. */
  void (*neighbours)(void* self, const uint32_t* positions, uint32_t neighbourhood, tuner_sink out);
} tuner_space;

typedef struct tuner_strategy_setup {
  uint32_t struct_size;
  uint32_t objective_count;
  const tuner_space* space; /* outlives the strategy */
  uint64_t seed;
  double budget_evaluations; /* 0 = not limited */
  double budget_seconds;     /* 0 = not limited */
  const tuner_pair* options; /* names are among those of the item's info; values are checked here */
  size_t option_count;
} tuner_strategy_setup;

/* state: the numbers of model/trial.h (0 ok, 1 constraints, 2 compile, 3 launch, 4 runtime,
 * 5 timeout, 6 correctness, 7 dropped). objectives: to be minimised; count 0 when it failed. */
typedef struct tuner_observation {
  uint32_t struct_size;
  uint32_t state;
  tuner_index index;
  const double* objectives;
  size_t objective_count;
  double cost_seconds;
  double compile_seconds; /* of these, a compile worker's */
} tuner_observation;

/* Logarithm of how many times worse it was than the best of its place; infinity: it failed. */
typedef struct tuner_prior_result {
  tuner_index index;
  double loss;
} tuner_prior_result;

/* What was measured in one other place: another problem size, device or version of the source. */
typedef struct tuner_prior {
  uint32_t struct_size;
  double likeness; /* a guess: 0 (nothing in common) .. 1 (nearly the same place) */
  const tuner_prior_result* results; /* no index twice */
  size_t result_count;
} tuner_prior;

typedef enum tuner_stage {
  TUNER_STAGE_QUEUED = 0, /* waits for a compile worker */
  TUNER_STAGE_COMPILING = 1,
  TUNER_STAGE_COMPILED = 2, /* waits for a device */
  TUNER_STAGE_RUNNING = 3   /* on a device */
} tuner_stage;

/* A question that is open. */
typedef struct tuner_under_way {
  tuner_index index;
  uint32_t stage; /* tuner_stage */
  uint32_t reserved;
  double seconds;  /* since it was asked */
  double in_stage; /* while it is compiled: since that began */
} tuner_under_way;

/* How the machine is occupied that answers the questions. */
typedef struct tuner_machine {
  uint32_t struct_size;
  uint32_t compile_workers;
  double compilers_busy, device_busy;    /* lately: 0 .. 1 */
  double evaluations_left, seconds_left; /* of the budget; infinity where there is none */
  const tuner_under_way* under_way;
  size_t under_way_count;
  uint32_t devices, reserved; /* that share the search */
} tuner_machine;

typedef struct tuner_strategy {
  uint32_t struct_size;
  void* self;
  void (*destroy)(void* self);
  /* Writes up to `count` indices never proposed before; returns how many, or -1 with `error`.
   * 0 with nothing outstanding: the search is over. */
  int64_t (*ask)(void* self, size_t count, tuner_index* out, tuner_sink error);
  int (*tell)(void* self, const tuner_observation* observation, tuner_sink error);
  /* Before the first ask, once for each place. */
  int (*prior)(void* self, const tuner_prior* prior, tuner_sink error);
  /* Before an ask, where the host knows of a machine. */
  int (*machine)(void* self, const tuner_machine* machine, tuner_sink error);
  /* May be null. Puts questions that are compiled and wait for a device in the order
   * in which they shall be measured. What is asked later must not depend on this call. */
  int (*order)(void* self, tuner_index* compiled, size_t count, tuner_sink error);
} tuner_strategy;

typedef struct tuner_strategy_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  int (*create)(uint32_t item, const tuner_strategy_setup* setup, tuner_strategy* out,
                tuner_sink error);
} tuner_strategy_factory;

#ifdef __cplusplus
}
#endif
#endif
