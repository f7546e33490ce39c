/* The problems' part of abi.h, which includes it: nobody else should. */
#ifndef TUNER_PLUGIN_ABI_PROBLEM_H
#define TUNER_PLUGIN_ABI_PROBLEM_H

#include "tuner/plugin/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- problem: inputs, right answers and their judgement ---------------------------------------
 * What a study cannot say in YAML: sparse matrices, graphs, errors of its own. The study says what
 * is left to it; nothing else is asked for. Runs in the run worker, on the host. */

typedef struct tuner_extent {
  tuner_str name; /* a dimension of the problem size */
  int64_t value;
} tuner_extent;

typedef struct tuner_problem_setup {
  uint32_t struct_size;
  const tuner_pair* options; /* names are among those of the item's info */
  size_t option_count;
  const tuner_extent* extents; /* of the problem size */
  size_t extent_count;
} tuner_problem_setup;

/* An argument or a constant of the kernel. Elements lie row by row, the last extent the fastest. */
typedef struct tuner_array {
  tuner_str name;
  uint32_t type;         /* tuner_type */
  uint32_t extent_count; /* 0: a scalar, one element */
  const uint64_t* extents;
  uint64_t elements;
  const void* data; /* null where it is to be written, through a pointer of its own */
} tuner_array;

typedef struct tuner_judgement {
  uint32_t struct_size;
  uint32_t right; /* 1: the answer counts as right */
  double error;   /* how far it is off, in the problem's own measure; shown as the largest error */
} tuner_judgement;

/* Functions return a tuner_status and, when it is not TUNER_OK, a reason through `error`. The same
 * options, extents and set must give the same bytes each time and on every machine. */
typedef struct tuner_problem {
  uint32_t struct_size;
  void* self;
  void (*destroy)(void* self);
  /* Writes all elements of an input. `set`: 0 is what is timed; the others hold other numbers of
   * the same kind, on which answers are compared as well. */
  int (*fill)(void* self, uint32_t set, const tuner_array* input, void* data, tuner_sink error);
  /* Writes the right answer of an output. `inputs`: arguments and constants as a launch begins with
   * them, but those that depend on the configuration. */
  int (*answer)(void* self, uint32_t set, const tuner_array* inputs, size_t input_count,
                const tuner_array* output, void* data, tuner_sink error);
  /* Whether `actual` counts as right where `expected` is the right answer, for an output that the
   * study leaves to it; where it does not, `why` is told in words. */
  int (*judge)(void* self, uint32_t set, const tuner_array* actual, const tuner_array* expected,
               tuner_judgement* out, tuner_sink why, tuner_sink error);
} tuner_problem;

typedef struct tuner_problem_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  int (*create)(uint32_t item, const tuner_problem_setup* setup, tuner_problem* out,
                tuner_sink error);
} tuner_problem_factory;

#ifdef __cplusplus
}
#endif
#endif
