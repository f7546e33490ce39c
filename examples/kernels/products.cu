// Two matrix products as the CUDA C++ Programming Guide teaches them: matrices are structs that are
// passed by value, the second product goes through tiles in shared memory.

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif

struct Matrix {
  int width;
  int height;
  float* elements;  // row after row
};

// One thread for each element of C.
__global__ void product(Matrix A, Matrix B, Matrix C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= C.height || column >= C.width) return;
  float sum = 0;
  for (int k = 0; k < A.width; ++k) {
    sum += A.elements[row * A.width + k] * B.elements[k * B.width + column];
  }
  C.elements[row * C.width + column] = sum;
}

// One block for each tile of C. Extents are multiples of BLOCK_SIZE.
__global__ void tiled_product(Matrix A, Matrix B, Matrix C) {
  __shared__ float a[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ float b[BLOCK_SIZE][BLOCK_SIZE];
  const int y = threadIdx.y, x = threadIdx.x;
  const int row = blockIdx.y * BLOCK_SIZE + y, column = blockIdx.x * BLOCK_SIZE + x;
  float sum = 0;
  for (int tile = 0; tile < A.width; tile += BLOCK_SIZE) {
    a[y][x] = A.elements[row * A.width + tile + x];
    b[y][x] = B.elements[(tile + y) * B.width + column];
    __syncthreads();
    for (int k = 0; k < BLOCK_SIZE; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  C.elements[row * C.width + column] = sum;
}
