/* libtuner for C, and for languages that can call C: ask and tell, runs, stored results, and tuning
 * in the idle time of a program; tuner.h says what each does. Texts are
 * UTF-8 and end with a zero byte. Where `error` is a parameter it has `error_room` bytes (may be
 * null and 0) and is filled, cut if need be, when a function fails. Null where something is needed
 * is an error with its reason; null settings mean the defaults. A handle ends with its close, which
 * takes null, too. One search is used by one thread at a time. */
#ifndef TUNER_LIBRARY_TUNER_C_H
#define TUNER_LIBRARY_TUNER_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tuner_search tuner_search;

/* Null, but for the study, has the meaning of an empty text in tuner.h: the study's first size and
 * its strategy, the installation of this library. Null when it fails. tuner_search_close() ends it.
 */
tuner_search* tuner_search_open(const char* study, const char* size, const char* strategy,
                                uint64_t seed, const char* prefix, char* error, size_t error_room);
void tuner_search_close(tuner_search* search);

/* How many configurations there are. 0, or -1. */
int tuner_search_size(const tuner_search* search, uint64_t* count, char* error, size_t error_room);

/* 1: `question` is open, `configuration` is a JSON object of parameters and values; 0: none now
 * (tell what is open first; with nothing open: all is done); -1: it failed, also for want of room.
 */
int tuner_search_ask(tuner_search* search, uint64_t* question, char* configuration, size_t room,
                     char* error, size_t error_room);
/* The answer: a value to be minimised, and the seconds that it cost; or that it failed, which a
 * value that is no finite number says, too. 0, or -1. */
int tuner_search_tell(tuner_search* search, uint64_t question, double value, double seconds,
                      char* error, size_t error_room);
int tuner_search_fail(tuner_search* search, uint64_t question, char* error, size_t error_room);
/* 1: the best that was told; 0: there is none; -1: no room, or something is null. */
int tuner_search_best(tuner_search* search, char* configuration, size_t room, double* value);

/* What a run is to do; zero and null mean what the defaults of RunSettings in tuner.h mean. */
typedef struct tuner_run_settings {
  const char *backend, *strategy, *results, *prefix;
  uint64_t seed, evaluations;
  double seconds;
  uint32_t jobs;
} tuner_run_settings;

/* As libtuner::run(). `trial` (may be null) gets each as a JSON object of configuration, state,
 * time_ms, objective and message, and the seconds since the size was begun; `stop` (may be null)
 * ends the run when it returns anything but 0. 0, or -1. */
int tuner_run(const char* study, const tuner_run_settings* settings,
              void (*trial)(void* context, const char* text, double seconds),
              int (*stop)(void* context), void* context, char* error, size_t error_room);

/* What `tuner export --format json` writes, to `emit`, in pieces. 0, or -1. */
int tuner_results(const char* study, const char* folder,
                  void (*emit)(void* context, const char* text, size_t size), void* context,
                  char* error, size_t error_room);

/* A recording (a store, ranked CSV, a cache of Kernel Tuner, T4; what `tuner run --replay` takes),
 * to `emit`, in pieces: a JSON object of `kernel`, `device`, `objective`, `maximize`, `parameters`
 * (name and values), `notes` and `trials`, each with `configuration`, `state`, `objective` and
 * `cost_seconds` (null: not known). 0, or -1. */
int tuner_recording(const char* path, void (*emit)(void* context, const char* text, size_t size),
                    void* context, char* error, size_t error_room);

/* Writes a file by the rules of the commands (docs/contract.md): -1, and nothing is written, where
 * it is not one of tuner's that nobody has edited, unless `force` is not 0. `is_study`: the text is
 * a study, which says itself that it is unedited. 0, or -1. */
int tuner_write_file(const char* path, const char* text, int is_study, int force, char* error,
                     size_t error_room);

/* How long a configuration is measured: the keys of 'measure' in a study. */
typedef struct tuner_sampling {
  int min_samples, max_samples;
  double max_milliseconds, precision, drop_above;
} tuner_sampling;
/* The step that follows `count` samples, by the rules of a run: 0 one more, 1 none, since they are
 * enough, 2 none, since the first three are so slow that the configuration is dropped. `best_ms` is
 * the best median known, 0 for none; -1 where a pointer is null. */
int tuner_after_samples(const tuner_sampling* how, const double* milliseconds, size_t count,
                        double best_ms);

/* ---- what a program measured by itself ----------------------------------------------------------
 * In the store of `tuner run`, ranked by its rules, for the first size of a study that need not
 * have a kernel. `context` is a JSON object: `device`, an object of `name`, `arch`, `driver`, and
 * `identity`, a list of pairs of texts: all that can change what is measured. What was recorded in
 * another context never answers for this one; with `fresh`, a truth value, what was in this one is
 * not seen any more. */
typedef struct tuner_own tuner_own;

/* Null when it fails. tuner_own_close() ends it. One is used by one thread at a time. */
tuner_own* tuner_own_open(const char* study, const char* folder, const char* context, char* error,
                          size_t error_room);
void tuner_own_close(tuner_own* own);
/* A JSON list of trials, which are committed when it returns: `configuration`, `state` and, of
 * those that are right, `samples` (milliseconds); if known `final` (samples in turns), `message`,
 * `compile_ms`, `cost_seconds`, `max_error`. 0, or -1. */
int tuner_own_record(tuner_own* own, const char* trials, char* error, size_t error_room);
/* What is known in this context, as `tuner export --format json` writes it, with `finalists`: the
 * configurations that a final is due for. 0, or -1. */
int tuner_own_results(tuner_own* own, void (*emit)(void* context, const char* text, size_t size),
                      void* context, char* error, size_t error_room);

/* ---- tuning in the idle time of a program -------------------------------------------------------
 * As libtuner::Tuning: one thread at a time, but for tuner_tuning_best(). */
typedef struct tuner_tuning tuner_tuning;

/* A piece of the application's memory, for one of the study's arguments. */
typedef struct tuner_buffer {
  const char* argument;
  void* data; /* device memory; of the host, for tuner_tuning_add() only, where on_host is not 0 */
  size_t bytes;
  int on_host;
} tuner_buffer;

/* Zero and null mean what the defaults of TuningSettings in tuner.h mean. */
typedef struct tuner_tuning_settings {
  const char *backend, *strategy, *results, *prefix;
  uint64_t seed, evaluations;
  uint32_t jobs, device;
  /* The application's own launch of a configuration, a JSON object: once, waited for. Returns 0 and
   * stores the milliseconds, unless the library is to look at the clock; anything else: it failed.
   */
  int (*launch)(void* context, const char* size, const char* configuration, double* milliseconds);
  void* context;
} tuner_tuning_settings;

typedef struct tuner_progress {
  int done, waiting;
  uint64_t trials;
} tuner_progress;

/* Null when it fails. tuner_tuning_close() ends it. */
tuner_tuning* tuner_tuning_open(const char* study, const tuner_tuning_settings* settings,
                                char* error, size_t error_room);
void tuner_tuning_close(tuner_tuning* tuning);
/* These return 0, or -1. */
int tuner_tuning_add(tuner_tuning* tuning, const char* size, const tuner_buffer* data, size_t count,
                     char* error, size_t error_room);
int tuner_tuning_step(tuner_tuning* tuning, double milliseconds, tuner_progress* progress,
                      char* error, size_t error_room);
/* These return 1; 0 where there is nothing yet; -1. `milliseconds` and `tuned` may be null, as may
 * the `progress` of a step. */
int tuner_tuning_best(const tuner_tuning* tuning, const char* size, char* configuration,
                      size_t room, double* milliseconds, int* tuned, char* error,
                      size_t error_room);
int tuner_tuning_launch(tuner_tuning* tuning, const char* size, const tuner_buffer* buffers,
                        size_t count, char* error, size_t error_room);

#ifdef __cplusplus
}
#endif
#endif
