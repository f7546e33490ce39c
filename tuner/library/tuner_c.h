/* libtuner for C, and for languages that can call C: ask and tell, and stored results. Texts are
 * UTF-8 and end with a zero byte. Where `error` is a parameter it has `error_room` bytes (may be
 * null and 0) and is filled, cut if need be, when a function fails. One search is used by one
 * thread at a time. */
#ifndef TUNER_LIBRARY_TUNER_C_H
#define TUNER_LIBRARY_TUNER_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tuner_search tuner_search;

/* Null arguments have the meaning of empty ones in tuner.h: the study's first size and its
 * strategy, the installation of this library. Null when it fails. tuner_search_close() ends it. */
tuner_search* tuner_search_open(const char* study, const char* size, const char* strategy,
                                uint64_t seed, const char* prefix, char* error, size_t error_room);
void tuner_search_close(tuner_search* search);

/* 1: `question` is open, `configuration` is a JSON object of parameters and values; 0: none now
 * (tell what is open first; with nothing open: all is done); -1: it failed, also for want of room.
 */
int tuner_search_ask(tuner_search* search, uint64_t* question, char* configuration, size_t room,
                     char* error, size_t error_room);
/* The answer: a value to be minimised, and what it cost; or that it failed. 0, or -1. */
int tuner_search_tell(tuner_search* search, uint64_t question, double value, double seconds,
                      char* error, size_t error_room);
int tuner_search_fail(tuner_search* search, uint64_t question, char* error, size_t error_room);
/* 1: the best that was told; 0: there is none; -1: no room. */
int tuner_search_best(tuner_search* search, char* configuration, size_t room, double* value);

/* What `tuner export --format json` writes, to `emit`, in pieces. 0, or -1. */
int tuner_results(const char* study, const char* folder,
                  void (*emit)(void* context, const char* text, size_t size), void* context,
                  char* error, size_t error_room);

#ifdef __cplusplus
}
#endif
#endif
