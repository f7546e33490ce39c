/* What only some backends can do, asked for by name. Included by abi.h, whose rules hold. */
#ifndef TUNER_PLUGIN_ABI_ABILITIES_H
#define TUNER_PLUGIN_ABI_ABILITIES_H

#include "tuner/plugin/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Measures the power that launches draw. */
#define TUNER_ABILITY_POWER "tuner.power/1"
typedef struct tuner_power {
  uint32_t struct_size;
  /* Mean watts while launches follow each other for about a second. */
  int (*watts)(void* self, uint64_t kernel, const tuner_launch* launch, double* watts,
               tuner_sink error);
} tuner_power;

/* Looks at the maps of a launch. */
#define TUNER_ABILITY_TENSOR_MAPS "tuner.tensor_maps/1"
typedef struct tuner_tensor_maps {
  uint32_t struct_size;
  uint32_t max_rank;
} tuner_tensor_maps;

/* Runs the threads of a block in another order than usual: wrong answers then show that a barrier
 * is missing. */
#define TUNER_ABILITY_THREAD_ORDER "tuner.thread_order/1"
typedef struct tuner_thread_order {
  uint32_t struct_size;
  /* As tuner_kernels' launch(), in an order drawn from `seed`, the same for the same seed. */
  int (*launch)(void* self, uint64_t kernel, const tuner_launch* launch, uint64_t seed,
                tuner_sink error);
} tuner_thread_order;

/* Makes `address`, memory of its own process, a buffer until release(), which does not free it. */
#define TUNER_ABILITY_ADOPT "tuner.adopt/1"
typedef struct tuner_adopt {
  uint32_t struct_size;
  int (*adopt)(void* self, uint64_t address, uint64_t bytes, uint64_t* buffer, tuner_sink error);
} tuner_adopt;

/* Says where its memory is, as kernels see it: for structs and tables that hold addresses. */
#define TUNER_ABILITY_ADDRESSES "tuner.addresses/2"
typedef struct tuner_addresses {
  uint32_t struct_size;
  int (*address)(void* self, tuner_range at, uint64_t* out, tuner_sink error);
  /* Allocates like tuner_memory's allocate(), the first byte at `address` for kernels: for data
   * that was copied with the addresses in it. Two such buffers may be as near to each other as they
   * like. */
  int (*allocate_at)(void* self, uint64_t address, uint64_t bytes, uint64_t* buffer,
                     tuner_sink error);
} tuner_addresses;

/* Makes texture objects over its memory, dense and row-major, and objects over arrays of its own
 * that hold what the memory holds: see tuner_launch::arrays. */
#define TUNER_ABILITY_TEXTURES "tuner.textures/1"
enum tuner_texture_kind {
  TUNER_TEXTURE_OVER_MEMORY = 0,
  TUNER_TEXTURE_OVER_ARRAY = 1,
  TUNER_SURFACE = 2 /* over an array, too; filter, outside, normalized and as_floats mean nothing */
};
enum tuner_texture_filter { TUNER_FILTER_POINT = 0, TUNER_FILTER_LINEAR = 1 };
enum tuner_texture_outside { /* which element stands for one that is outside */
                             TUNER_OUTSIDE_CLAMP = 0,
                             TUNER_OUTSIDE_WRAP = 1,
                             TUNER_OUTSIDE_MIRROR = 2,
                             TUNER_OUTSIDE_BORDER = 3 /* zero */
};
typedef struct tuner_texture {
  uint32_t struct_size;
  uint32_t type;  /* tuner_type */
  uint32_t lanes; /* numbers of an element: 1, 2 or 4 */
  uint32_t filter, outside;
  uint32_t normalized; /* 1: coordinates from 0 to 1 */
  uint32_t as_floats;  /* 1: integers are read as numbers from 0 or -1 to 1 */
  uint32_t kind;       /* tuner_texture_kind; who has no arrays refuses with TUNER_UNSUPPORTED */
  uint64_t width, height, depth; /* elements; height 0: a vector; depth 0: no volume */
} tuner_texture;
typedef struct tuner_textures {
  uint32_t struct_size;
  /* What a kernel takes as cudaTextureObject_t or cudaSurfaceObject_t. It stays until the buffer is
   * released, and is the same for the same question. */
  int (*object)(void* self, tuner_range at, const tuner_texture* how, uint64_t* out,
                tuner_sink error);
} tuner_textures;

/* Launches what has been captured once. */
#define TUNER_ABILITY_GRAPH "tuner.graph/1"
typedef struct tuner_graph {
  uint32_t struct_size;
  /* As tuner_kernels' time(), of launches from a graph: one that holds all launches of a sample,
   * and is made before anything is timed. */
  int (*time)(void* self, uint64_t kernel, const tuner_launch* launch, const tuner_timing* timing,
              double* milliseconds, tuner_sink error);
} tuner_graph;

/* Looks at the turns of a timing. */
#define TUNER_ABILITY_ROTATION "tuner.rotation/1"
typedef struct tuner_rotation {
  uint32_t struct_size;
  uint32_t reserved;
} tuner_rotation;

/* Looks at the attributes of a launch. */
#define TUNER_ABILITY_LAUNCH_ATTRIBUTES "tuner.launch_attributes/1"
typedef struct tuner_launch_attribute_use {
  uint32_t struct_size;
  uint32_t reserved;
} tuner_launch_attribute_use;

/* Knows what the device runs at. */
#define TUNER_ABILITY_CONDITIONS "tuner.conditions/1"
typedef struct tuner_conditions {
  uint32_t struct_size;
  /* During the last call that timed something: the multiprocessors' clock and the power that the
   * board took. 0 = not known. */
  int (*last)(void* self, double* megahertz, double* watts, tuner_sink error);
  /* What users should know of how it measures in this process, a sentence; nothing: as usual. Asked
   * once a size is prepared. */
  int (*remark)(void* self, tuner_sink out, tuner_sink error);
} tuner_conditions;

/* Changes what the device keeps for all kernels beside their buffers. */
#define TUNER_ABILITY_LIMITS "tuner.limits/1"
typedef struct tuner_limits {
  uint32_t struct_size;
  /* Bytes of the heap that malloc() in kernels takes from, of each thread's stack, and of what
   * printf() in kernels fills; 0: as the device does by itself. */
  int (*set)(void* self, uint64_t heap, uint64_t stack, uint64_t printf_bytes, tuner_sink error);
} tuner_limits;

/* Reads hardware counters. */
#define TUNER_ABILITY_COUNTERS "tuner.counters/1"
typedef struct tuner_counters {
  uint32_t struct_size;
  /* values[0 .. count): of one launch, with all that follow it; NaN: the device cannot tell. */
  int (*read)(void* self, uint64_t kernel, const tuner_launch* launch, const tuner_str* names,
              size_t count, double* values, tuner_sink error);
  /* Before that: so many launches are to be read, for these names. *passes is how often all of them
   * are, in the same order, each time from the same memory: the values of all are written by the
   * last call of the last pass. flush_cache: as in tuner_timing. TUNER_INVALID: no such counter.
   * Nothing is timed in this process afterwards. */
  int (*begin)(void* self, const tuner_str* names, size_t count, uint32_t launches,
               uint32_t flush_cache, uint32_t* passes, tuner_sink error);
} tuner_counters;

#ifdef __cplusplus
}
#endif

#endif
