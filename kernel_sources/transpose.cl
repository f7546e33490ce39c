// B = transpose of A in OpenCL C: A is M x N, B is N x M, both row-major float32, any size.
//
// What each value of FORM changes:
//   coalesced_read   neighbouring work-items read neighbouring elements and write them M apart
//   coalesced_write  neighbouring work-items write neighbouring elements and read them N apart
//   local            both sides are coalesced: the group turns a TILE x TILE tile of A in local memory
//
// A group has TILE x TILE / TM work-items, and each moves TM elements. Where neighbours walk down a
// column of the tile they would all meet in one bank: PAD lengthens the tile's rows by one element.
// SHARED says whether the tile is a variable of the kernel or an argument of it. The rules that tie
// them are the constraints of search_spaces/opencl/transpose.yaml.

#define TILE TUNE_TILE
#define TM TUNE_TM
#define ROWS (TILE / TM)  // of work-items in a group
#define STRIDE (TILE + TUNE_PAD)

__kernel void transpose(__global const float* restrict A, __global float* restrict B, int M, int N
#if TUNE_SHARED_IS_dynamic
                        , __local float* tile
#endif
) {
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * TILE, col = get_group_id(0) * TILE;  // of the tile in A
#if TUNE_FORM_IS_coalesced_read
  for (int i = 0; i < TILE; i += ROWS) {
    const int r = row + y + i, c = col + x;
    if (r < M && c < N) B[(size_t)c * M + r] = A[(size_t)r * N + c];
  }
#elif TUNE_FORM_IS_coalesced_write
  for (int i = 0; i < TILE; i += ROWS) {
    const int r = row + x, c = col + y + i;
    if (r < M && c < N) B[(size_t)c * M + r] = A[(size_t)r * N + c];
  }
#else
#if !TUNE_SHARED_IS_dynamic
  __local float tile[TILE * STRIDE];
#endif
  for (int i = 0; i < TILE; i += ROWS) {
    const int r = row + y + i, c = col + x;
    if (r < M && c < N) tile[(y + i) * STRIDE + x] = A[(size_t)r * N + c];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < TILE; i += ROWS) {
    const int r = row + x, c = col + y + i;
    if (r < M && c < N) B[(size_t)c * M + r] = tile[x * STRIDE + y + i];
  }
#endif
}

__kernel void transpose_reference(__global const float* restrict A, __global float* restrict B,
                                  int M, int N) {
  const int col = get_global_id(0), row = get_global_id(1);
  if (row < M && col < N) B[(size_t)col * M + row] = A[(size_t)row * N + col];
}
