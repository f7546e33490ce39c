// Made by TUNER_GENERATOR; do not edit. The kernel TUNER_KERNEL_NAME in TUNER_VARIANTS variants; compile with
//   nvcc -std=c++17 TUNER_FLAGS -c TUNER_FILE
//if LEFT_OUT
// and with those of the study's 'options' that are left out here, because a shell might obey them.
//end
//each DEFINITIONS
#undef TUNER_MACRO
#define TUNER_NAME TUNER_VALUE
//end
#include "TUNER_STEM.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <type_traits>
//if WORKSPACES
#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <vector>
//end
//if MAPS
#include <cuda.h>
//end
//if UNVERIFIED
// WARNING, not verified: see TUNER_STEM.hpp
//end
//each INCLUDES
TUNER_LINE
//end

#pragma nv_diag_suppress 177  // a variant does not use all that its source has
//if CONSTANT_MEMORY
// Constants of several variants follow one another in memory: aligned, vectors of them can be read.
#pragma push_macro("__constant__")
#undef __constant__
#define __constant__ __location__(constant) __align__(16)
//end
namespace TUNER_SPACE_kernels {
//each SHARED
#define TUNER_NAME TUNER_VALUE
//end
//each VARIANTS

#define TUNER_VARIANT variant_TUNER_V
//each DEFINES
#define TUNER_NAME TUNER_VALUE
//end
#include "TUNER_STEM.inl"
//end

//each SHARED
#undef TUNER_MACRO
//end
}  // namespace TUNER_SPACE_kernels
#pragma nv_diag_default 177
//if CONSTANT_MEMORY
#pragma pop_macro("__constant__")
//end
//if ARRAYS

namespace TUNER_SPACE {
namespace detail {
//each ARRAYS
//if COUNT
constexpr num constant_bytes_TUNER_NAME(const names& n) {
  static_cast<void>(n);
  return TUNER_BYTES;
}
//else
constexpr std::size_t constant_bytes_TUNER_NAME =
    static_cast<std::size_t>((TUNER_BYTES).i);
//end
//end
}  // namespace detail
}  // namespace TUNER_SPACE
//end
//if MAPS

namespace TUNER_SPACE {
namespace detail {
namespace {
// What a map says, a failed number where the study's expression has no value.
struct map_numbers {
  CUtensorMapDataType type;
  unsigned element;  // bytes
  int rank;
  num extents[5];  // the fastest last
  num box[5];
  num swizzle;
};
//each MAPS
map_numbers map_TUNER_N(const names& n) {  // TUNER_NAME
  static_cast<void>(n);
  return {CU_TENSOR_MAP_DATA_TYPE_TUNER_TYPE, TUNER_ELEMENT, TUNER_RANK, {TUNER_EXTENTS}, {TUNER_BOX}, TUNER_SWIZZLE};
}
//end
}  // namespace
}  // namespace detail
}  // namespace TUNER_SPACE
//end

//part launcher_state.hpp

//if ATTRIBUTES
//part launcher_attributes.hpp

//end
//if SCRATCH
//part launcher_scratch.hpp

//end
//if CAPTURES
//part launcher_captures.hpp

//end
//if WORKSPACES
//part launcher_workspaces.hpp

//else
//if ARRAYS
//part launcher_stream_number.hpp

//end
//end
//if MAPS
//part launcher_maps.hpp

//end
//if COMPUTED
//part launcher_number.hpp

//end
//if SIZED
// The kernel is compiled for each size that was tuned.
struct sized_variant {
  int config_id;
  dims size;
  int variant;
};
constexpr sized_variant sized_variants[] = {
//each SIZED
    {TUNER_CONFIG, {TUNER_EXTENTS}, TUNER_V},
//end
};
// -1: none.
int variant_for(const selection& chosen, const dims& problem) {
  for (const sized_variant& one : sized_variants) {
    if (one.config_id == chosen.config_id && TUNER_SAME_VARIANT) return one.variant;
  }
  return -1;
}

//else
// Configurations that differ in how they are launched only share a variant.
constexpr int variant_of[] = {TUNER_OF_CONFIGURATION};
int variant_for(const selection& chosen, const dims&) {
  return variant_of[chosen.config_id];
}

//end
const void* kernel_of(int variant, int which) {
  using function = const void* (*)(int);
  static constexpr function of[] = {\
//each VARIANTS

      TUNER_SPACE_kernels::variant_TUNER_V::tuner_kernel,\
//end
};
  return of[variant](which);
}

//part launcher_plan.hpp

//each CONSTANTS
cudaError_t put_TUNER_NAME(int variant, const void* from, std::size_t bytes, cudaStream_t stream) {
  void* place = nullptr;
  using function = cudaError_t (*)(std::size_t, void**);
  static constexpr function of[] = {\
//each VARIANTS

      TUNER_SPACE_kernels::variant_TUNER_V::tuner_place_of_TUNER_NAME,\
//end
};
  cudaError_t failed = cudaSuccess;
//if IS_SCALAR
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  failed = cudaStreamIsCapturing(stream, &capturing);
  if (failed != cudaSuccess) return failed;
  if (capturing != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
//end
  {
    const outside_of_captures here;
    failed = of[variant](bytes, &place);
  }
  if (failed != cudaSuccess) return failed;
  return cudaMemcpyAsync(place, from, bytes, cudaMemcpyDefault, stream);
}
//end
//if ARRAYS

//part launcher_constants.hpp
//end
}  // namespace

launched TUNER_FUNCTION(TUNER_PARAMETERS) {
  launched done{};
  device_state* state = nullptr;
  done.status = current_device(state);
  if (done.status != cudaSuccess) return done;
  dims problem;
//each SIZES
  problem.TUNER_DIM = static_cast<long long>(TUNER_VALUE);
//end
  const launch_plan& plan = plan_for(*state, problem);
  done.status = plan.status;
  done.chosen = plan.chosen;
#ifdef TUNER_PREFIX_COUNTS
  detail::count_at(plan.asked);
#endif
  if (done.status != cudaSuccess) return done;
  const int variant = plan.variant;
//if SCRATCH
  scratch_memory words(stream);
  done.status = words.get(scratch.data, scratch.bytes, scratch.zeroed,
                          static_cast<std::size_t>(plan.scratch));
  if (done.status != cudaSuccess) return done;
//end
//if WORKSPACES
  workspace_hold held;
  done.status = held.get(state->number, stream, plan.clean, plan.other);
  if (done.status != cudaSuccess) return done;
//end
//each SCRATCH
  void* TUNER_NAME = words.take(plan.scratch_TUNER_N);
//end
//each WORKSPACES
  void* TUNER_NAME = held.take(held.TUNER_KIND, plan.workspace_TUNER_N);
//if IS_ZEROED
  done.status =
      cudaMemsetAsync(TUNER_NAME, 0, static_cast<std::size_t>(plan.workspace_TUNER_N), stream);
  if (done.status != cudaSuccess) return done;
//end
//end
//each COMPUTED
  TUNER_TYPE TUNER_NAME = plan.computed_TUNER_N;
//end
//each MAPS
  done.status = map_matrix(*state, plan.map_TUNER_N, TUNER_MATRIX);
  if (done.status != cudaSuccess) return done;
  const CUtensorMap& TUNER_NAME = plan.map_TUNER_N.made;
//end
//each CONSTANTS
//if IS_SCALAR
  done.status = put_TUNER_NAME(variant, &TUNER_NAME, sizeof TUNER_NAME, stream);
//else
  done.status =
      set_constant(kept_on(state->number).of[TUNER_N], put_TUNER_NAME, variant, TUNER_NAME,
                   TUNER_HERE, stream);
//end
  if (done.status != cudaSuccess) return done;
//end
  void* list[] = {TUNER_LISTnullptr};
  done.status = put_in_stream(*state, variant * TUNER_KERNELS_OF_ONE, kernel_of(variant, 0), plan.grid,
                              plan.block, plan.shared, \
//if ATTRIBUTES
plan.attributes, \
//end
list, stream);
//if WORKSPACES
  const bool begun = done.status == cudaSuccess;
//end
//each NEXT
  if (const next_launch& next = plan.next[TUNER_I];
      done.status == cudaSuccess && next.takes_part) {
    void* next_list[] = {TUNER_LISTnullptr};
    done.status = put_in_stream(*state, variant * TUNER_KERNELS_OF_ONE + TUNER_NUMBER,
                                kernel_of(variant, TUNER_NUMBER), next.grid, next.block,
                                next.dynamic_shared_bytes, \
//if ATTRIBUTES
next.attributes, \
//end
next_list, stream);
  }
//end
//if WORKSPACES
  if (begun && done.status != cudaSuccess) held.spoil();
//end
  return done;
}

//if WORKSPACES
cudaError_t release_workspaces() {
  return release_those([](const workspace_key&) { return true; });
}

cudaError_t release_workspaces(cudaStream_t stream) {
  int device = 0;
  unsigned long long number = 0;
  cudaError_t failed = cudaGetDevice(&device);
  if (failed == cudaSuccess) failed = number_of(stream, number);
  if (failed != cudaSuccess) return failed;
  return release_those([&](const workspace_key& key) {
    return key[0] == static_cast<unsigned long long>(device) &&
           key[1] == (key[2] == 0 ? number : reinterpret_cast<std::uintptr_t>(stream));
  });
}

//end
//each ARRAYS
cudaError_t set_TUNER_NAME(const TUNER_TYPE* from, TUNER_COUNTcudaStream_t stream) {
//if COUNT
  constexpr std::size_t most = static_cast<std::size_t>(-1) / sizeof *from;
  if (count > most) return cudaErrorInvalidValue;
  return keep_constant(TUNER_N, from, count * sizeof *from, stream);
//else
  return keep_constant(TUNER_N, from, detail::constant_bytes_TUNER_NAME, stream);
//end
}

//end
//if ARRAYS
cudaError_t release_constants() { return release_kept(); }

//end
}  // namespace TUNER_SPACE
