// A kernel as benchmark files have them: plain names for its parameters, sizes written in.
#ifndef kernel_tuner
#error "the parameters are to be given on the command line"
#endif

#define WIDTH 2000

__constant__ float factors[4];

extern "C" __global__ void scale(float* out, const float* in, const float* by, int n) {
  const int first = (blockIdx.x * block_size_x + threadIdx.x) * tile;
#pragma unroll
  for (int i = 0; i < tile; ++i) {
    const int at = first + i;
    if (at < n && at < WIDTH) {
#if use_constant == 1
      out[at] = factors[at % 4] * in[at];
#else
      out[at] = by[at % 4] * in[at];
#endif
#ifdef BREAK_LARGE_TILES
      if (tile == 4) out[at] += 1.0f;
#endif
    }
  }
}
