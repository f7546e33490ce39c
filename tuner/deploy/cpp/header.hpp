// Tuned configurations of the kernel TUNER_KERNEL_NAME. Made by TUNER_GENERATOR; do not edit.
TUNER_TITLE\
// source TUNER_SOURCE, objective TUNER_OBJECTIVE
//each DEVICES
// device TUNER_I: TUNER_SAID
//end
// TUNER_ENTRY_COUNT sizes, TUNER_CONFIG_COUNT configurations
//if TIMED
// timed: TUNER_TIMED
//end
//if UNVERIFIED
// WARNING, not verified: TUNER_UNVERIFIED; configurations that give wrong answers may be among these.
//end
//if RULE
// domain TUNER_DOMAIN
// other sizes: TUNER_RULE
//end
//if WEIGHTS
// weights of the dimensions, for what is near:TUNER_WEIGHTS
//end
#ifndef TUNER_PREFIX_H
#define TUNER_PREFIX_H
#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "this header needs C++17: compile with -std=c++17 or later"
#else
#define TUNER_PREFIX_SCHEMA 1
#define TUNER_PREFIX_SOURCE_HASH 0xTUNER_HASHull
#ifdef __CUDACC_RTC__
#define TUNER_FN __device__ constexpr
#define TUNER_TABLE static __device__ constexpr
#else
#define TUNER_FN constexpr
#define TUNER_TABLE inline constexpr
#endif
TUNER_INCLUDES\
#if defined(TUNER_SWITCH) && !defined(__CUDACC_RTC__)
#define TUNER_PREFIX_COUNTS  // which sizes are asked for
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#ifdef _WIN32
#include <process.h>
#else
#include <pthread.h>
#include <unistd.h>
#endif
#endif
#ifndef __CUDACC_RTC__
//each MACROS
#pragma push_macro("TUNER_NAME")
#undef TUNER_NAME
//end
#endif
namespace TUNER_SPACE {
//each PARAMETERS
//if ENUMERATORS
enum class TUNER_TYPE : unsigned char { TUNER_ENUMERATORS };
//end
//end
// What the kernel is compiled with. The defaults are the default configuration.
struct config {
//each PARAMETERS
  TUNER_TYPE TUNER_NAME = TUNER_USUAL;
//end
};
// The size of a problem.
struct dims {
//each DIMS
  long long TUNER_NAME = 0;
//end
};
// Facts of a device, as the study's expressions see them. The defaults are what every device has.
struct device {
  const char* name = "";
  const char* arch = "";
  long long compute_capability = 0;  // 90 for 9.0
//each FACTS
  long long TUNER_NAME = TUNER_USUAL;
//end
};
// dev, cfg: places in devices[] and configs[]; lg: 256 * log2 of the size.
struct entry {
  int dev;
  int cfg;
  dims size;
  int lg[TUNER_DIMENSIONS];
};
// How a selection came about; in_words() says what each means.
//if LEARNED
enum class match : unsigned char {
  exact, near_size, near_device, fallback, unsupported, predicted
};
//else
enum class match : unsigned char { exact, near_size, near_device, fallback, unsupported };
//end
struct selection {
  config cfg;
  match how;
  int config_id;    // place in configs[]
  int entry_index;  // place in entries[]; -1: none
  int tier;         // 0 same device, 1 same compute capability, 2 same major, 3 older, 4 none
  double log2_distance_sq;  // squared log2 of the ratio, weighted, summed over the dimensions
};
struct extent {
  unsigned x, y, z;  // 0: the study's expression has no value here
};
TUNER_TABLE config configs[] = {
//each CONFIGS
    TUNER_LITERAL,
//end
};
TUNER_TABLE device devices[] = {
//each DEVICES
    TUNER_LITERAL,
//end
};
TUNER_TABLE entry entries[] = {
//each ENTRIES
    {TUNER_DEVICE, TUNER_CONFIG, {TUNER_EXTENTS}, {TUNER_LOGS}},
//end
};
// Limits of architectures, for devices that were never tuned.
TUNER_TABLE device architectures[] = {
//each ARCHITECTURES
    TUNER_LITERAL,
//end
};
TUNER_TABLE int config_count = TUNER_CONFIG_COUNT;
TUNER_TABLE int device_count = TUNER_DEVICE_COUNT;
TUNER_TABLE int entry_count = TUNER_ENTRY_COUNT;
#ifndef __CUDACC_RTC__
// From a cudaDeviceProp; its name must live as long as the result.
template <class Properties>
constexpr device device_from(const Properties& p) {
  device v;
  v.name = p.name;
  v.compute_capability = p.major * 10 + p.minor;
//each FACTS
  v.TUNER_NAME = static_cast<long long>(p.TUNER_PROPERTY);
//end
  return v;
}
#endif

namespace detail {
//part numbers.hpp

//part choice.hpp
}  // namespace detail

//if ATTRIBUTES
//part attributes.hpp
//end
//part rules.hpp
//if LEARNED
namespace detail {
//part predicted.hpp
}  // namespace detail

//part predictors.hpp
//end
//part selection.hpp
TUNER_MORE\
}  // namespace TUNER_SPACE
// X(id, TUNER_PARAMETER_NAMES) for each configuration; id is selection::config_id.
#define TUNER_PREFIX_FOR_EACH_CONFIG(X)TUNER_EACH_CONFIG
#ifndef __CUDACC_RTC__
//each MACROS
#pragma pop_macro("TUNER_NAME")
//end
#endif
#undef TUNER_FN
#undef TUNER_TABLE
#endif  // of C++17
#endif
// What was measured. The default configuration was valid for TUNER_COVERAGE of the sizes and loses there at most TUNER_SLOWDOWN %.
//if RULE
// other sizes: TUNER_WHOLE_RULE
//end
