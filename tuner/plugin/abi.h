/* The boundary between tuner and its plugins, interface 2.3. C only; compiles as C11 and C++20.
 *
 * A plugin is a shared object that exports one data symbol, `tuner_plugin_v2`, of type
 * tuner_plugin. The host checks magic, abi_major and abi_minor, which must be its own, then asks
 * get_factory() for the kinds it knows; null means "not here". Before version 1.0 of the program
 * anything here may change with the minor: a plugin is built again.
 *
 * Whoever fills a struct that begins with struct_size sets it to the struct's size. What a backend
 * may or may not be able to do is an ability, asked for by name: an unknown name is answered with
 * null.
 *
 * Rules. No exception crosses. Memory is freed by the side that allocated it: results of variable
 * size leave through sinks that the host supplies and copies from. Views (tuner_str, pointers in
 * request structs) are valid during the call only. Unless a comment says otherwise, the host calls
 * an object from one thread at a time. C++ authors use plugin/sdk.h and never see a table.
 */
#ifndef TUNER_PLUGIN_ABI_H
#define TUNER_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNER_ABI_MAGIC 0x544e5231u /* "TNR1" */
#define TUNER_ABI_MAJOR 2
#define TUNER_ABI_MINOR 3

#define TUNER_KIND_BACKEND "tuner.backend/2"
#define TUNER_KIND_COMPILER "tuner.compiler/2"
#define TUNER_KIND_STRATEGY "tuner.strategy/2"
#define TUNER_KIND_EXPORTER "tuner.exporter/2"
#define TUNER_KIND_PROBLEM "tuner.problem/1"
#define TUNER_KIND_OBSERVER "tuner.observer/1"
#define TUNER_KIND_ADVISOR "tuner.advice/1"

typedef struct tuner_str {
  const char* data; /* not terminated; may hold zero bytes */
  size_t size;
} tuner_str;

/* May be called several times; the pieces are concatenated. */
typedef struct tuner_sink {
  void* context;
  void (*emit)(void* context, const void* data, size_t size);
} tuner_sink;

typedef struct tuner_pair {
  tuner_str key;
  tuner_str value;
} tuner_pair;

typedef struct tuner_plugin {
  uint32_t magic;
  uint16_t abi_major;
  uint16_t abi_minor;
  uint32_t struct_size;
  const char* name;
  const char* version;
  /* One of the factory structs below for a TUNER_KIND_..., or null. Lives as long as the plugin. */
  const void* (*get_factory)(const char* kind);
} tuner_plugin;

/* An option that an item takes. The host checks values against `allowed` before the plugin sees
 * them: "integer 1..100", "number 0..0.5", "flag" (true or false), "one of up, down"; null: any
 * text, which the plugin judges. */
typedef struct tuner_option_info {
  const char* name;
  const char* default_value;
  const char* help;
  const char* allowed;
} tuner_option_info;

/* What a factory offers. */

typedef struct tuner_item_info {
  uint32_t struct_size;
  const char* name;
  const char* summary;
  const tuner_option_info* options;
  uint32_t option_count;
} tuner_item_info;

/* ---- compiler: source text -> image -------------------------------------------------------- */

typedef struct tuner_compile_request {
  uint32_t struct_size;
  tuner_str source, source_name, entry, arch;
  const tuner_str* include_dirs;
  size_t include_dir_count;
  const tuner_str* options;
  size_t option_count;
  const tuner_pair* defines;
  size_t define_count;
  const tuner_str* symbols; /* __constant__ names that will be set */
  size_t symbol_count;
  const tuner_str* next_entries; /* further kernels that will be launched */
  size_t next_entry_count;
  const tuner_str* units; /* paths of further sources: their device code is linked with it */
  size_t unit_count;
  uint32_t is_host_function; /* the entry is a function of the host, which launches by itself */
} tuner_compile_request;

/* -1 = not known. */
typedef struct tuner_resources {
  int64_t registers, static_shared_bytes, constant_bytes, local_bytes, spill_bytes, max_threads;
} tuner_resources;

typedef struct tuner_compile_sinks {
  uint32_t struct_size;
  tuner_sink image;
  tuner_sink entry; /* lowered name of the kernel */
  tuner_sink log;
  void* context; /* for the functions below */
  void (*symbol)(void* context, tuner_str asked, tuner_str lowered);
  void (*resources)(void* context, const tuner_resources* resources);
  /* Once for each of the request's next_entries, in their order: otherwise it did not compile. */
  void (*next_kernel)(void* context, tuner_str lowered, const tuner_resources* resources);
  /* For good and for failed compilations: once for each file that was read, but the source and
     what belongs to the compiler itself; then, if these were all, opened_all once. Without it
     nobody knows what the image was made from, and the host trusts its own scan of the source, or
     keeps neither artifact nor result. */
  void (*opened)(void* context, tuner_str path);
  void (*opened_all)(void* context);
} tuner_compile_sinks;

typedef struct tuner_compiler {
  uint32_t struct_size;
  void* self;
  void (*destroy)(void* self);
  void (*identity)(void* self, tuner_sink out);
  /* 0 = compiled; otherwise the log says why not. TUNER_OUT_OF_MEMORY: tried again, a few times.
     TUNER_DEVICE_LOST: it cannot work any more (no room for its files), the run ends. All else is
     the source's fault. */
  int (*compile)(void* self, const tuner_compile_request* request, const tuner_compile_sinks* out);
} tuner_compiler;

/* Whose options a compiler reads: a study's are nvcc's and some of others, and each compiler gets
 * those that mean something to it. */
typedef enum tuner_option_dialect {
  TUNER_OPTIONS_OWN = 0, /* its own: it gets all */
  TUNER_OPTIONS_NVRTC = 1,
  TUNER_OPTIONS_NVCC = 2,
  TUNER_OPTIONS_HOST = 3, /* of the host's C++ compiler, for kernels in CUDA C++ */
  TUNER_OPTIONS_OPENCL = 4
} tuner_option_dialect;

typedef struct tuner_compiler_traits {
  /* The backend for which it compiles what the compiler of the backend's name does not take: host
   * functions, device code that is linked. Null: it has a backend's name. */
  const char* second_for;
  uint32_t options; /* tuner_option_dialect */
} tuner_compiler_traits;

typedef struct tuner_compiler_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item); /* name = the backend's that it compiles for */
  /* 0 = created; otherwise `error` says why not ("libnvrtc.so not found"). */
  int (*create)(uint32_t item, const tuner_pair* options, size_t option_count, tuner_compiler* out,
                tuner_sink error);
  tuner_compiler_traits (*traits)(uint32_t item); /* null: all zero */
} tuner_compiler_factory;

/* ---- backend: one opened device ------------------------------------------------------------ */

/* A number that the backend cannot tell is -1: expressions that need it are refused. */
typedef struct tuner_device_facts {
  uint32_t struct_size;
  int32_t compute_capability;                     /* 90; 0 = has no meaning here */
  char name[128], uuid[64], arch[32], driver[64]; /* zero-terminated */
  int64_t multiprocessors, warp_size, max_threads_per_block, max_threads_per_multiprocessor,
      max_blocks_per_multiprocessor, registers_per_block, registers_per_multiprocessor,
      max_shared_memory_per_block, max_shared_memory_per_block_optin,
      shared_memory_per_multiprocessor, reserved_shared_memory_per_block, l2_bytes, memory_bytes,
      clock_khz;
  int64_t max_block[3], max_grid[3];
} tuner_device_facts;

typedef enum tuner_status {
  TUNER_OK = 0,
  TUNER_INVALID = 1, /* impossible arguments, an image that does not load */
  TUNER_OUT_OF_MEMORY = 2,
  TUNER_LAUNCH_REFUSED = 3, /* nothing ran, the device is still good */
  TUNER_RUNTIME_FAULT = 4,  /* illegal access, trap, ...: the context may be dead */
  TUNER_UNSUPPORTED = 5,
  TUNER_DEVICE_LOST = 6
} tuner_status;

/* Element i (from the start of the range) is made from r = splitmix64(seed + i), u = (r >> 11) *
 * 2^-53 in [0, 1), the same on every backend:
 *   BYTES      every byte is (uint8_t)a
 *   CONSTANT   a
 *   UNIFORM    a + (b - a) * u, computed in double, then converted (nearest) to the type
 *   NORMAL     a + b * z, z = sum of the four 16-bit fields of r, each / 65535, minus 2,
 *              times sqrt(3): variance 1, bounded, and no library function that could differ
 *   INTEGERS   a + floor((b - a + 1) * u): whole numbers from a to b
 *   SEQUENCE   a + b * i
 *   MASK       the present value XOR splitmix64(r ^ (uint64_t)a), of TUNER_UINT64 only: done twice,
 *              it restores the value. A backend without it returns an error; the host does it then
 *   ZIPF       a whole number k from 0 to b - 1 with a probability in proportion to 1 / (k + 1)^a:
 *              element_zipf() of sdk_elements.h says which. A backend without it returns an error
 */
typedef enum tuner_fill_kind {
  TUNER_FILL_BYTES = 0,
  TUNER_FILL_CONSTANT = 1,
  TUNER_FILL_UNIFORM = 2,
  TUNER_FILL_NORMAL = 3,
  TUNER_FILL_INTEGERS = 4,
  TUNER_FILL_SEQUENCE = 5,
  TUNER_FILL_MASK = 6,
  TUNER_FILL_ZIPF = 7
} tuner_fill_kind;

/* The numbers of model/data_type.h; what else there is to know stands in sdk_types.h. */
typedef enum tuner_type {
  TUNER_FLOAT32 = 0,
  TUNER_FLOAT64 = 1,
  TUNER_FLOAT16 = 2,
  TUNER_BFLOAT16 = 3,
  TUNER_INT8 = 4,
  TUNER_INT16 = 5,
  TUNER_INT32 = 6,
  TUNER_INT64 = 7,
  TUNER_UINT8 = 8,
  TUNER_UINT16 = 9,
  TUNER_UINT32 = 10,
  TUNER_UINT64 = 11,
  TUNER_FLOAT8_E4M3 = 12, /* of OCP; what is too large becomes the largest number */
  TUNER_FLOAT8_E5M2 = 13
} tuner_type;

typedef struct tuner_fill {
  uint32_t kind; /* tuner_fill_kind */
  uint32_t type; /* tuner_type */
  double a, b;
  uint64_t seed;
} tuner_fill;

typedef struct tuner_range {
  uint64_t buffer, offset; /* bytes */
} tuner_range;

/* Element i passes when |actual - expected| <= atol + rtol * |expected|; equal infinities pass;
 * a NaN on either side never does. Differences are taken in double; 64-bit integers in integers. */
typedef struct tuner_comparison {
  uint64_t mismatches;
  uint64_t first_mismatch; /* element index, valid when mismatches > 0 */
  double max_abs_error;    /* +infinity when a NaN was seen */
  double first_value, first_expected;
} tuner_comparison;

typedef struct tuner_argument {
  uint32_t is_buffer;
  uint32_t scalar_size;
  tuner_range buffer;
  const void* scalar;
} tuner_argument;

/* Argument number `argument`, a buffer, is passed as a map of the dense row-major matrix there, for
 * the device's copy engine: slowest dimension first, in elements; swizzle in bytes, 0 = none. */
typedef struct tuner_tensor_map {
  uint32_t argument, type, rank, swizzle;
  uint64_t extents[5];
  uint32_t box[5];
} tuner_tensor_map;

/* `bytes` from there on. */
typedef struct tuner_zeros {
  tuner_range at;
  uint64_t bytes;
} tuner_zeros;

/* How the device spreads the blocks of a cluster over its multiprocessors. */
typedef enum tuner_scheduling {
  TUNER_SCHEDULING_DEFAULT = 0,
  TUNER_SCHEDULING_SPREAD = 1,
  TUNER_SCHEDULING_LOAD_BALANCING = 2
} tuner_scheduling;

/* What a launch asks for besides its shape. */
typedef struct tuner_launch_attributes {
  uint32_t struct_size;
  uint32_t cluster[3];   /* blocks; 1 in all: what the kernel itself says */
  uint32_t cooperative;  /* 1: all blocks at once */
  int32_t carveout;      /* percent of the cache's memory that is shared; -1: the driver's choice */
  uint32_t scheduling;   /* tuner_scheduling */
  uint32_t programmatic; /* 1: may begin before the launch in front of it has ended */
} tuner_launch_attributes;

typedef struct tuner_launch {
  uint32_t struct_size;
  uint32_t grid[3], block[3];
  uint64_t dynamic_shared_bytes;
  const tuner_argument* arguments;
  size_t argument_count;
  const tuner_tensor_map* maps; /* none for who has not TUNER_ABILITY_TENSOR_MAPS */
  size_t map_count;
  /* What follows in the same stream, null at the end: kernels that were loaded together. Launched
   * and timed as one with what goes before. */
  uint64_t next_kernel;
  const struct tuner_launch* next;
  /* What becomes zero in the stream before this kernel, each time, and is timed with it. Who cannot
   * do it refuses the launch with TUNER_UNSUPPORTED. */
  const tuner_zeros* zeros;
  size_t zeros_count;
  /* Null: none; always so for who has not TUNER_ABILITY_LAUNCH_ATTRIBUTES. */
  const tuner_launch_attributes* attributes;
  /* Where memory begins for which an object over an array stands in the arguments. The arrays get
   * what that memory holds before the first of all launches, when they are timed before each
   * sample, and it gets what they hold behind the last. Neither is timed. */
  const tuner_range* arrays;
  size_t array_count;
} tuner_launch;

typedef struct tuner_restore {
  uint64_t to, from, bytes;
} tuner_restore;
typedef struct tuner_byte_fill { /* every byte from there on becomes `value` */
  tuner_range at;
  uint64_t bytes;
  uint32_t value, reserved;
} tuner_byte_fill;

typedef struct tuner_timing {
  uint32_t struct_size, samples, launches_per_sample, flush_cache;
  const tuner_restore* restores; /* before every sample, outside the timed region */
  size_t restore_count;
  /* The same kernels on other buffers: launch i of the call, over all samples, is
   * turns[i % turn_count]. None, and without TUNER_ABILITY_ROTATION: always the launch itself. */
  const tuner_launch* const* turns;
  size_t turn_count;
  const tuner_byte_fill* fills; /* as restores, behind them */
  size_t fill_count;
} tuner_timing;

/* Functions return a tuner_status, and a reason through `error` unless it is TUNER_OK. */
typedef struct tuner_memory {
  uint32_t struct_size;
  int (*allocate)(void* self, uint64_t bytes, uint64_t* buffer, tuner_sink error);
  void (*release)(void* self, uint64_t buffer);
  int (*upload)(void* self, tuner_range to, const void* data, uint64_t bytes, tuner_sink error);
  int (*download)(void* self, tuner_range from, void* data, uint64_t bytes, tuner_sink error);
  int (*fill)(void* self, tuner_range to, uint64_t elements, const tuner_fill* how,
              tuner_sink error);
  int (*copy)(void* self, tuner_range to, tuner_range from, uint64_t bytes, tuner_sink error);
  int (*compare)(void* self, tuner_range actual, tuner_range expected, uint32_t type,
                 uint64_t elements, double rtol, double atol, tuner_comparison* out,
                 tuner_sink error);
} tuner_memory;

typedef struct tuner_loaded_kernel {
  uint64_t kernel;
  tuner_resources resources; /* -1s when called */
} tuner_loaded_kernel;

typedef struct tuner_kernels {
  uint32_t struct_size;
  /* Fills loaded[0 .. entry_count). The kernels of one image share its variables; they go together,
   * when the first is unloaded. TUNER_UNSUPPORTED: only single kernels can be launched here. */
  int (*load)(void* self, tuner_str image, const tuner_str* entries, size_t entry_count,
              tuner_loaded_kernel* loaded, tuner_sink error);
  void (*unload)(void* self, uint64_t kernel);
  int (*set_symbol)(void* self, uint64_t kernel, tuner_str lowered_name, const void* data,
                    uint64_t bytes, tuner_sink error);
  /* Once, waited for. */
  int (*launch)(void* self, uint64_t kernel, const tuner_launch* launch, tuner_sink error);
  /* milliseconds[0 .. timing->samples): time of one launch each, with all that follow it. */
  int (*time)(void* self, uint64_t kernel, const tuner_launch* launch, const tuner_timing* timing,
              double* milliseconds, tuner_sink error);
} tuner_kernels;

typedef struct tuner_backend {
  uint32_t struct_size;
  void* self;
  const tuner_memory* memory; /* these live as long as the plugin */
  const tuner_kernels* kernels;
  void (*destroy)(void* self);
  void (*facts)(void* self, tuner_device_facts* out);
  /* One of the structs of abi_abilities.h for a TUNER_ABILITY_..., or null: it cannot do that. */
  const void* (*ability)(void* self, const char* name);
} tuner_backend;

/* Properties of a backend that the host knows without opening a device. */
typedef struct tuner_backend_traits {
  const char* language;  /* of its kernels ("opencl"), as a study names it; null: it names none */
  uint32_t runs_on_host; /* 1: kernels run in the process that opens the device. Their times say
                            nothing of a GPU, so it is tried when no other backend works */
  uint32_t is_sanitized; /* 1: NVIDIA's compute-sanitizer sees what its launches do */
} tuner_backend_traits;

typedef struct tuner_backend_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  /* How many devices there are where no option says otherwise; negative, a tuner_status times -1:
   * none can be used, and `error` says why. -TUNER_DEVICE_LOST, and open() with that status: there
   * is a device that does not work, and no other backend is tried in its place. Cheap, and safe to
   * call in the coordinator: must initialise no driver there (the host calls it in a worker). */
  int (*device_count)(uint32_t item, tuner_sink error);
  int (*open)(uint32_t item, uint32_t device, const tuner_pair* options, size_t option_count,
              tuner_backend* out, tuner_sink error);
  tuner_backend_traits (*traits)(uint32_t item); /* null: all zero */
} tuner_backend_factory;

/* ---- exporter: results -> bytes ---------------------------------------------------------------
 * Sees study and results as one JSON document (docs/exchange.md). */

typedef struct tuner_exporter_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  int (*write)(uint32_t item, const tuner_pair* options, size_t option_count,
               tuner_str results_json, tuner_sink out, tuner_sink error);
} tuner_exporter_factory;

/* ---- advisor: configurations that are measured first -------------------------------------------
 * Sees study, problem size and device as one JSON document, and writes a JSON list of maps from
 * parameters to values (docs/study-search.md#advice). */

typedef struct tuner_advisor_factory {
  uint32_t struct_size;
  uint32_t count;
  const tuner_item_info* (*info)(uint32_t item);
  int (*propose)(uint32_t item, const tuner_pair* options, size_t option_count,
                 tuner_str question_json, tuner_sink out, tuner_sink error);
} tuner_advisor_factory;

#ifdef __cplusplus
}
#endif

#include "tuner/plugin/abi_abilities.h"
#include "tuner/plugin/abi_observer.h"
#include "tuner/plugin/abi_problem.h"
#include "tuner/plugin/abi_strategy.h"

#endif
