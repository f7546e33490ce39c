// Doubles n numbers; each value of FAULT breaks it in one way.

extern "C" __global__ void __launch_bounds__(1024) twice(const float* x, float* y, int n) {
#if TUNE_FAULT_IS_compile
  this is not C++;
#endif
#if TUNE_FAULT_IS_shared
  __shared__ volatile float large[TUNE_BLOCK * 100000];
  large[threadIdx.x] = 0;
#endif
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if TUNE_FAULT_IS_illegal
  if (i == 7) *reinterpret_cast<volatile int*>(16) = 1;
#endif
#if TUNE_FAULT_IS_trap
  if (i == 7) __trap();
#endif
#if TUNE_FAULT_IS_hang
  while (*const_cast<const volatile float*>(x) < 1e30f) {
  }
#endif
  float value = 2 * x[i];
#if TUNE_FAULT_IS_nan
  if (i == n / 2) value = value / 0.0f - value / 0.0f;
#endif
#if TUNE_FAULT_IS_one_wrong
  if (i == n - 1) value += 1;
#endif
#if TUNE_FAULT_IS_unwritten
  if (i == 3) return;
#endif
  y[i] = value;
#if TUNE_FAULT_IS_past_end
  if (i == n - 1) y[n] = value;
#endif
}

extern "C" __global__ void twice_reference(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i];
}
