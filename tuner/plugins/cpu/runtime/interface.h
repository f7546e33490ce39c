#pragma once
// What a compiled variant and the plugin that runs it know of each other. Plain C types only: this
// text is the beginning of every variant as well as a header of the plugin.

struct tuner_cpu_index {
  unsigned x, y, z;
};

enum tuner_cpu_vote { TUNER_CPU_COUNT, TUNER_CPU_AND, TUNER_CPU_OR };

enum tuner_cpu_warp_op {
  TUNER_CPU_SYNC,
  TUNER_CPU_SHUFFLE,  // argument: mode | delta << 2 | (width - 1) << 8
  TUNER_CPU_BALLOT,   // value: predicate; result: mask
  TUNER_CPU_ALL,
  TUNER_CPU_ANY,
  TUNER_CPU_UNIFORM,      // result: 1 when all predicates are equal
  TUNER_CPU_MATCH_ANY,    // result: mask of the lanes with the same value
  TUNER_CPU_ACTIVE_MASK,  // argument: number of the call; result: the lanes that stand there
  TUNER_CPU_ADD,          // 32 bits from here on
  TUNER_CPU_MIN_SIGNED,
  TUNER_CPU_MIN_UNSIGNED,
  TUNER_CPU_MAX_SIGNED,
  TUNER_CPU_MAX_UNSIGNED,
  TUNER_CPU_BIT_AND,
  TUNER_CPU_BIT_OR,
  TUNER_CPU_BIT_XOR
};

enum tuner_cpu_shuffle { TUNER_CPU_FROM, TUNER_CPU_UP, TUNER_CPU_DOWN, TUNER_CPU_XOR };

// The services of the thread that runs a block; one for each OS thread.
struct tuner_cpu_runtime {
  void* self;
  void (*barrier)(void* self);
  int (*barrier_vote)(void* self, unsigned vote, int predicate);
  unsigned long long (*warp)(void* self, unsigned op, unsigned mask, unsigned long long value,
                             unsigned argument);
  void (*fault)(void* self, const char* what, const char* file, int line);  // does not return
  void (*wait_for_grid)(void* self);  // by one thread of each block, while its others wait for it
  bool is_cooperative;                // whether that is possible
};

// What a texture or surface object points to. The numbers are those of tuner_texture
// (plugin/abi_abilities.h). What stands for an array of a device is the memory itself.
struct tuner_cpu_texture {
  void* data;
  unsigned type, lanes, filter, outside, normalized, as_floats, kind, element_bytes;
  long long width, height, depth;  // height 0: a vector; depth 0: no volume
};

// Where a variant keeps the built-in variables of the calling OS thread.
struct tuner_cpu_slots {
  struct tuner_cpu_index *thread_index, *block_index, *block_size, *grid_size;
  const struct tuner_cpu_runtime** runtime;
};

// A variant exports, all extern "C":
//   void tuner_cpu_slots_of_thread(tuner_cpu_slots*);
//   void tuner_cpu_entry_N(void** arguments);         runs one thread; N counts kernels from 0
//   unsigned tuner_cpu_entry_N_parameters(unsigned* sizes);   returns how many; sizes holds as
//   many,
//                                                             or is null
//   tuner_cpu_symbol_N: one for each symbol that was asked for
//   tuner_cpu_dynamic_shared: thread-local, only where dynamic shared memory is used
struct tuner_cpu_symbol {
  void* address;
  unsigned long bytes;
};
