/* What the module tuner-mpi.so offers the program: messages between the ranks of an MPI job. It is
   no plugin for others to write, and loaded only in a program that mpirun or srun has started. */
#ifndef TUNER_PLUGIN_ABI_RANKS_H
#define TUNER_PLUGIN_ABI_RANKS_H

#include <stddef.h>
#include <stdint.h>

#define TUNER_RANKS_SYMBOL "tuner_ranks_v1"

/* All functions are called by one thread: the one that has called start. Texts stay valid until the
   next call. */
typedef struct tuner_ranks {
  uint32_t struct_size;
  /* Joins the other ranks. NULL, or a sentence that says why that is not possible. */
  const char* (*start)(void);
  int (*rank)(void);
  int (*count)(void);
  const char* (*node)(void);
  /* Takes a copy, and does not wait. NULL, or why nothing can be sent to that rank. */
  const char* (*send)(int rank, const void* bytes, size_t size);
  /* A message that has come, if there is one: the rank that sent it, else -1. Also lets what is
     being sent go on, so it has to be called again and again. The bytes stay valid until the next
     call. */
  int (*receive)(const void** bytes, size_t* size);
  /* How many messages are still being sent. */
  size_t (*unsent)(void);
  /* Leaves; waits until all ranks do so. */
  void (*finish)(void);
} tuner_ranks;

#endif
