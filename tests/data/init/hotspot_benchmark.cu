// As in benchmark suites: the block size in branches of #ifdef, chars of C, timers about the launch.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#ifdef RD_WG_SIZE_0_0
#define BLOCK_SIZE RD_WG_SIZE_0_0
#elif defined(RD_WG_SIZE)
#define BLOCK_SIZE RD_WG_SIZE
#else
#define BLOCK_SIZE 16
#endif

#define STR_SIZE 256
#define EXPAND_RATE 2  // add one iteration will extend the pyramid base by 2 per each borderline
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

#ifdef SINGLE_PRECISION_OFF
typedef double real;
#else
typedef float real;
#endif

void fatal(const char *s) { fprintf(stderr, "error: %s\n", s); }

__global__ void calculate_temp(const real *power, const real *temp_src, real *temp_dst, int grid_cols,
                               int grid_rows, real Cap, real Rx, real Ry, real Rz, real step) {
  __shared__ real temp_on_cuda[BLOCK_SIZE][BLOCK_SIZE];
  const real amb_temp = 80.0f;
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int small_block = BLOCK_SIZE - EXPAND_RATE;
  int y = small_block * by + ty - 1, x = small_block * bx + tx - 1;
  int yc = max(0, MIN(y, grid_rows - 1)), xc = max(0, MIN(x, grid_cols - 1));
  int index = grid_cols * yc + xc;
  temp_on_cuda[ty][tx] = temp_src[index];
  __syncthreads();
  if (IN_RANGE(tx, 1, BLOCK_SIZE - 2) && IN_RANGE(ty, 1, BLOCK_SIZE - 2) &&
      IN_RANGE(x, 0, grid_cols - 1) && IN_RANGE(y, 0, grid_rows - 1)) {
    const real here = temp_on_cuda[ty][tx];
    temp_dst[index] = here + step / Cap *
        (power[index] + (temp_on_cuda[ty + 1][tx] + temp_on_cuda[ty - 1][tx] - 2.0f * here) / Ry +
         (temp_on_cuda[ty][tx + 1] + temp_on_cuda[ty][tx - 1] - 2.0f * here) / Rx +
         (amb_temp - here) / Rz);
  }
}

int compute_tran_temp(real *MatrixPower, real *MatrixTemp[2], int col, int row, int total_iterations) {
  dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
  int smallBlockCol = BLOCK_SIZE - EXPAND_RATE;
  int smallBlockRow = BLOCK_SIZE - EXPAND_RATE;
  int blockCols = col / smallBlockCol + ((col % smallBlockCol == 0) ? 0 : 1);
  int blockRows = row / smallBlockRow + ((row % smallBlockRow == 0) ? 0 : 1);
  dim3 dimGrid(blockCols, blockRows);
  float t;
  int src = 1, dst = 0;
  for (t = 0; t < total_iterations; t += 1) {
    int temp = src;
    src = dst;
    dst = temp;
    calculate_temp<<<dimGrid, dimBlock>>>(MatrixPower, MatrixTemp[src], MatrixTemp[dst], col, row,
                                          0.5f, 1.0f, 1.5f, 2.0f, 0.001f);
  }
  return dst;
}

int main(int argc, char **argv) {
  if (argc < 2) fatal("usage: hotspot <grid_rows/grid_cols>");
  printf("block size is %d\n", BLOCK_SIZE);
  real *FilesavingTemp = (real *)malloc(STR_SIZE * sizeof(real));
  free(FilesavingTemp);
  return 0;
}
