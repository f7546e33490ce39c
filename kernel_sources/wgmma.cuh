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

#if TUNE_TYPE_IS_tf32
#define WGMMA_TYPE "k8.f32.tf32.tf32"
#elif TUNE_TYPE_IS_f16
#define WGMMA_TYPE "k16.f32.f16.f16"
#else  // also parts of float32 numbers
#define WGMMA_TYPE "k16.f32.bf16.bf16"
#endif

// The instruction names each of the N / 2 registers in which a thread holds its sums: NAMES_i and
// SUMS_i are the first 8 * i of them.
#define NAMES_1 "%0, %1, %2, %3, %4, %5, %6, %7"
#define NAMES_2 NAMES_1 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define NAMES_3 NAMES_2 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define NAMES_4 NAMES_3 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_5 NAMES_4 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define NAMES_6 NAMES_5 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define NAMES_7 NAMES_6 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define NAMES_8 NAMES_7 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_9 NAMES_8 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define NAMES_10 NAMES_9 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define NAMES_11 NAMES_10 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define NAMES_12 NAMES_11 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_13 NAMES_12 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define NAMES_14 NAMES_13 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define NAMES_15 NAMES_14 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define NAMES_16 NAMES_15 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define EIGHT_SUMS(i)                                                                   \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), \
      "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define FOUR_SUMS(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS_1 EIGHT_SUMS(0)
#define SUMS_2 SUMS_1, EIGHT_SUMS(8)
#define SUMS_3 SUMS_2, EIGHT_SUMS(16)
#define SUMS_4 SUMS_3, EIGHT_SUMS(24)
#define SUMS_5 SUMS_4, EIGHT_SUMS(32)
#define SUMS_6 SUMS_5, EIGHT_SUMS(40)
#define SUMS_7 SUMS_6, EIGHT_SUMS(48)
#define SUMS_8 SUMS_7, EIGHT_SUMS(56)
#define SUMS_9 SUMS_8, EIGHT_SUMS(64)
#define SUMS_10 SUMS_9, EIGHT_SUMS(72)
#define SUMS_11 SUMS_10, EIGHT_SUMS(80)
#define SUMS_12 SUMS_11, EIGHT_SUMS(88)
#define SUMS_13 SUMS_12, EIGHT_SUMS(96)
#define SUMS_14 SUMS_13, EIGHT_SUMS(104)
#define SUMS_15 SUMS_14, EIGHT_SUMS(112)
#define SUMS_16 SUMS_15, EIGHT_SUMS(120)

#if TUNE_TYPE_IS_tf32  // has k along the rows of both
#define WGMMA_DOWN(DOWN_A, DOWN_B)
#else
#define WGMMA_DOWN(DOWN_A, DOWN_B) ", %" DOWN_A ", %" DOWN_B
#endif
#define WGMMA(N, NAMES, A, B, ADD, DOWN_A, DOWN_B, ...)                                        \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %" ADD                                      \
               ", 0;\n"                                                                        \
               "  wgmma.mma_async.sync.aligned.m64n" #N WGMMA_TYPE " {" NAMES "}, %" A ", %" B \
               ", add, 1, 1" WGMMA_DOWN(DOWN_A, DOWN_B) "; }"                                  \
               : __VA_ARGS__                                                                   \
               : "l"(a), "l"(b), "r"(int(add)), "n"(int(A_DOWN)), "n"(int(B_DOWN)))

// sum = A * B, or sum + A * B where `add`. Thread t of the 128 holds in sum[4 * j + i] the element
// of row 16 * (t / 32) + t % 32 / 4 + i / 2 * 8 and column 8 * j + t % 4 * 2 + i % 2. A_DOWN and
// B_DOWN: k runs down the operand's rows rather than along them (16-bit types only).
template <int N, bool A_DOWN, bool B_DOWN>
__device__ __forceinline__ void wgmma(float (&sum)[N / 2], unsigned long long a,
                                      unsigned long long b, bool add) {
  static_assert(N % 8 == 0 && (N <= 192 || N == 256), "columns of one instruction");
  if constexpr (N == 8) WGMMA(8, "%0, %1, %2, %3", "4", "5", "6", "7", "8", FOUR_SUMS(0));
  if constexpr (N == 16) WGMMA(16, NAMES_1, "8", "9", "10", "11", "12", SUMS_1);
  if constexpr (N == 24) WGMMA(24, NAMES_1 ", %8, %9, %10, %11", "12", "13", "14", "15", "16", SUMS_1, FOUR_SUMS(8));
  if constexpr (N == 32) WGMMA(32, NAMES_2, "16", "17", "18", "19", "20", SUMS_2);
  if constexpr (N == 40) WGMMA(40, NAMES_2 ", %16, %17, %18, %19", "20", "21", "22", "23", "24", SUMS_2, FOUR_SUMS(16));
  if constexpr (N == 48) WGMMA(48, NAMES_3, "24", "25", "26", "27", "28", SUMS_3);
  if constexpr (N == 56) WGMMA(56, NAMES_3 ", %24, %25, %26, %27", "28", "29", "30", "31", "32", SUMS_3, FOUR_SUMS(24));
  if constexpr (N == 64) WGMMA(64, NAMES_4, "32", "33", "34", "35", "36", SUMS_4);
  if constexpr (N == 72) WGMMA(72, NAMES_4 ", %32, %33, %34, %35", "36", "37", "38", "39", "40", SUMS_4, FOUR_SUMS(32));
  if constexpr (N == 80) WGMMA(80, NAMES_5, "40", "41", "42", "43", "44", SUMS_5);
  if constexpr (N == 88) WGMMA(88, NAMES_5 ", %40, %41, %42, %43", "44", "45", "46", "47", "48", SUMS_5, FOUR_SUMS(40));
  if constexpr (N == 96) WGMMA(96, NAMES_6, "48", "49", "50", "51", "52", SUMS_6);
  if constexpr (N == 104) WGMMA(104, NAMES_6 ", %48, %49, %50, %51", "52", "53", "54", "55", "56", SUMS_6, FOUR_SUMS(48));
  if constexpr (N == 112) WGMMA(112, NAMES_7, "56", "57", "58", "59", "60", SUMS_7);
  if constexpr (N == 120) WGMMA(120, NAMES_7 ", %56, %57, %58, %59", "60", "61", "62", "63", "64", SUMS_7, FOUR_SUMS(56));
  if constexpr (N == 128) WGMMA(128, NAMES_8, "64", "65", "66", "67", "68", SUMS_8);
  if constexpr (N == 136) WGMMA(136, NAMES_8 ", %64, %65, %66, %67", "68", "69", "70", "71", "72", SUMS_8, FOUR_SUMS(64));
  if constexpr (N == 144) WGMMA(144, NAMES_9, "72", "73", "74", "75", "76", SUMS_9);
  if constexpr (N == 152) WGMMA(152, NAMES_9 ", %72, %73, %74, %75", "76", "77", "78", "79", "80", SUMS_9, FOUR_SUMS(72));
  if constexpr (N == 160) WGMMA(160, NAMES_10, "80", "81", "82", "83", "84", SUMS_10);
  if constexpr (N == 168) WGMMA(168, NAMES_10 ", %80, %81, %82, %83", "84", "85", "86", "87", "88", SUMS_10, FOUR_SUMS(80));
  if constexpr (N == 176) WGMMA(176, NAMES_11, "88", "89", "90", "91", "92", SUMS_11);
  if constexpr (N == 184) WGMMA(184, NAMES_11 ", %88, %89, %90, %91", "92", "93", "94", "95", "96", SUMS_11, FOUR_SUMS(88));
  if constexpr (N == 192) WGMMA(192, NAMES_12, "96", "97", "98", "99", "100", SUMS_12);
  if constexpr (N == 256) WGMMA(256, NAMES_16, "128", "129", "130", "131", "132", SUMS_16);
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
