// y = 2 x, wrong in the way that FAULT says.

__kernel void twice(__global const float* x, __global float* y, int n) {
  const int i = get_global_id(0);
#if TUNE_FAULT_IS_compile
  y[i] = not_declared;
#elif TUNE_FAULT_IS_wrong
  if (i < n) y[i] = i == 77 ? 0.0f : 2 * x[i];
#elif TUNE_FAULT_IS_nan
  if (i < n) y[i] = i == 77 ? nan(0u) : 2 * x[i];
#elif TUNE_FAULT_IS_past_the_end
  if (i < n) y[i] = 2 * x[i];
  if (i == 0) y[n] = 1;
#elif TUNE_FAULT_IS_unwritten
  if (i < n && i != 77) y[i] = 2 * x[i];
#elif TUNE_FAULT_IS_crash
  __global volatile float* nowhere = (__global volatile float*)(16 * (size_t)(n - n + 1));
  if (i == 0) nowhere[0] = 1;
#elif TUNE_FAULT_IS_hang
  if (i < n) y[i] = 2 * x[i];
  while (((__global volatile float*)y)[0] != 12345.0f) {  // which a compiler has to look at
  }
#else
  if (i < n) y[i] = 2 * x[i];
#endif
}

__kernel void twice_reference(__global const float* x, __global float* y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = 2 * x[i];
}
