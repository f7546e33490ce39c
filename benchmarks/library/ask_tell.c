// How long ask and tell take through the C functions, with the strategy `random` on a space of 10^4
// configurations: bench_ask_tell PREFIX [SEARCHES] (51), where tuner is installed at PREFIX.
//
// Each search asks and tells the whole space, a pair of calls for each configuration, and is timed
// as a whole, because a clock that is read for each call would be most of what is measured. Printed
// is the median over the searches of the mean time of a call.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tuner/library/tuner_c.h"

enum { kConfigurations = 10000, kMostSearches = 1000 };

static const char kStudy[] =
    "schema: 1\n"
    "launch: {block: [1], grid: [1]}\n"
    "arguments: [{name: x, type: float32, shape: [1], role: inout}]\n"
    "problem_sizes: [{n: 1}]\n"
    "parameters:\n"
    "  BM: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
    "  BN: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
    "  TM: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"
    "  TN: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double difference = *(const double*)a - *(const double*)b;
  return (difference > 0) - (difference < 0);
}

// Nanoseconds of one call; negative when it went wrong.
static double time_of_search(const char* study, const char* prefix, uint64_t seed) {
  char error[1000] = "";
  char configuration[1000];
  tuner_search* search =
      tuner_search_open(study, NULL, "random", seed, prefix, error, sizeof error);
  uint64_t question = 0;
  int asked = 0;
  double begin = nanoseconds();
  while (search != NULL && tuner_search_ask(search, &question, configuration, sizeof configuration,
                                            error, sizeof error) == 1) {
    ++asked;
    if (tuner_search_tell(search, question, 1.0 + asked % 100, 0, error, sizeof error) != 0) break;
  }
  const double spent = nanoseconds() - begin;
  tuner_search_close(search);
  if (asked != kConfigurations) {
    fprintf(stderr, "%d configurations were asked for: %s\n", asked, error);
    return -1;
  }
  return spent / (2.0 * asked);
}

// The study names a kernel that nobody looks at: itself.
static int write_study(int file, const char* path) {
  return file >= 0 && write(file, kStudy, sizeof kStudy - 1) == (ssize_t)(sizeof kStudy - 1) &&
         dprintf(file, "kernel: {name: space, source: %s, entry: space}\n", path) > 0;
}

int main(int count, char** words) {
  static double times[kMostSearches];
  char study[] = "/tmp/tuner-bench-XXXXXX";
  int searches = count > 2 ? atoi(words[2]) : 51;
  if (count < 2 || searches < 1 || searches > kMostSearches) {
    fprintf(stderr, "bench_ask_tell PREFIX [SEARCHES]: 1 to %d searches\n", kMostSearches);
    return 2;
  }
  const int file = mkstemp(study);
  int failed = !write_study(file, study);
  for (int i = 0; i < searches && !failed; ++i) {
    times[i] = time_of_search(study, words[1], (uint64_t)i + 1);
    failed = times[i] < 0;
  }
  if (file >= 0) {
    close(file);
    unlink(study);
  }
  if (failed) return 1;
  qsort(times, (size_t)searches, sizeof *times, compare);
  printf("%.0f ns for a call (median of %d searches of %d asks and tells; %.0f to %.0f ns)\n",
         times[searches / 2], searches, kConfigurations, times[0], times[searches - 1]);
  return 0;
}
