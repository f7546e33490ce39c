// B is A transposed, in four kernels: the steps 1 to 4 of docs/learn.md. A has M rows of N floats.
// A block of 32 x 8 threads takes a tile of 32 x 32 elements, a warp one row of it at a time.
constexpr int TILE = 32;
constexpr int ROWS = 8;  // of the tile, at a time

// Step 1. Each warp reads a row of A and writes a column of B: of the 32 bytes that each element's
// write moves, 4 count.
extern "C" __global__ void plain(const float* A, float* B, int M, int N) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int row = blockIdx.y * TILE + i;
    if (row < M && col < N) B[col * M + row] = A[row * N + col];
  }
}

// Reads a tile by rows of A and writes it by rows of B. Its element (r, c) lies at place(r, c) in
// shared memory.
template <int kWords, class Place>
__device__ void through_a_tile(const float* A, float* B, int M, int N, Place place) {
  __shared__ float tile[kWords];
  const int x = threadIdx.x;
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int row = blockIdx.y * TILE + i, col = blockIdx.x * TILE + x;
    if (row < M && col < N) tile[place(i, x)] = A[row * N + col];  // a warp: one row of the tile
  }
  __syncthreads();  // all of the tile is there before anybody reads it
  for (int i = threadIdx.y; i < TILE; i += ROWS) {
    const int row = blockIdx.x * TILE + i, col = blockIdx.y * TILE + x;
    if (row < N && col < M) B[row * M + col] = tile[place(x, i)];  // a warp: one column of the tile
  }
}

// Step 2. A column lies in one bank: the warp that reads it takes 32 turns.
extern "C" __global__ void tiled(const float* A, float* B, int M, int N) {
  through_a_tile<TILE * TILE>(A, B, M, N, [](int r, int c) { return r * TILE + c; });
}

// Step 3. With a word more in each row a column lies in 32 banks.
extern "C" __global__ void padded(const float* A, float* B, int M, int N) {
  constexpr int WORDS = TILE + 1;  // in a row
  through_a_tile<TILE * WORDS>(A, B, M, N, [](int r, int c) { return r * WORDS + c; });
}

// Step 4. So it does where the elements of row r are exchanged by r, and no word is lost.
extern "C" __global__ void swizzled(const float* A, float* B, int M, int N) {
  through_a_tile<TILE * TILE>(A, B, M, N, [](int r, int c) { return r * TILE + (c ^ r); });
}

// The right answer, as simply as it can be said.
extern "C" __global__ void transpose_reference(const float* A, float* B, int M, int N) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) B[col * M + row] = A[row * N + col];
}
