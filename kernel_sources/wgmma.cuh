#pragma once
// Hopper's matrix instructions (sm_90a): four warps together multiply a tile of 64 rows of A with N
// columns of B, both in shared memory, while they go on. 32 bytes of k at a time.

// A tile in shared memory as the instruction wants to have it described: made of rows of 128 bytes,
// swizzled by the copy engine, eight rows to 1024 bytes. `stride` leads from eight rows to the next
// eight; `chunk` from 128 bytes to the next 128 bytes of the same row (when the tile is wider).
__device__ __forceinline__ unsigned long long describe(const void* tile, int stride, int chunk) {
  const unsigned long long address = unsigned(__cvta_generic_to_shared(tile));
  constexpr unsigned long long kSwizzle128 = 1ull << 62;
  return kSwizzle128 | (unsigned long long)(stride >> 4) << 32 |
         (unsigned long long)(chunk >> 4) << 16 | ((address & 0x3FFFF) >> 4);
}

// Before the first instruction, and whenever threads have touched the sums since.
__device__ __forceinline__ void wgmma_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_end_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until at most PENDING groups are still running.
template <int PENDING>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

// Element types; for 16 bits also which operands are stored with k as the slow dimension.
#if TUNE_TYPE_IS_bf16
#define WGMMA_TYPE "k16.f32.bf16.bf16"
#define WGMMA_MAJOR ", 0, 1"
#elif TUNE_TYPE_IS_f16
#define WGMMA_TYPE "k16.f32.f16.f16"
#define WGMMA_MAJOR ", 0, 1"
#else
#define WGMMA_TYPE "k8.f32.tf32.tf32"
#define WGMMA_MAJOR ""
#endif

// The instruction names each of the N / 2 registers in which a thread holds its sums.
#define NAMES_0                                                            \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_1                                                                      \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_2                                                                      \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_3                                                                                  \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS_8(i)                                                                       \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), \
      "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define WGMMA(N, NAMES, A, B, ADD, ...)                                                        \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %" ADD                                      \
               ", 0;\n"                                                                        \
               "  wgmma.mma_async.sync.aligned.m64n" #N WGMMA_TYPE " {" NAMES "}, %" A ", %" B \
               ", add, 1, 1" WGMMA_MAJOR "; }"                                                 \
               : __VA_ARGS__                                                                   \
               : "l"(a), "l"(b), "r"(int(add)))

// sum = A * B, or sum + A * B where `add`. Thread t of the 128 holds in sum[4 * j + i] the element
// of row 16 * (t / 32) + t % 32 / 4 + i / 2 * 8 and column 8 * j + t % 4 * 2 + i % 2.
template <int N>
__device__ __forceinline__ void wgmma(float (&sum)[N / 2], unsigned long long a,
                                      unsigned long long b, bool add) {
  static_assert(N == 64 || N == 128 || N == 192 || N == 256, "columns of one instruction");
  if constexpr (N == 64) WGMMA(64, NAMES_0, "32", "33", "34", SUMS_32(0));
  if constexpr (N == 128) {
    WGMMA(128, NAMES_0 ", " NAMES_1, "64", "65", "66", SUMS_32(0), SUMS_32(32));
  }
  if constexpr (N == 192) {
    WGMMA(192, NAMES_0 ", " NAMES_1 ", " NAMES_2, "96", "97", "98", SUMS_32(0), SUMS_32(32),
          SUMS_32(64));
  }
  if constexpr (N == 256) {
    WGMMA(256, NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3, "128", "129", "130", SUMS_32(0),
          SUMS_32(32), SUMS_32(64), SUMS_32(96));
  }
}

// Gives registers back, or takes more: of the whole warp group.
template <int COUNT>
__device__ __forceinline__ void keep_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
template <int COUNT>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}
