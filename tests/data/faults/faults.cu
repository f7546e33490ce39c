// Doubles n numbers; each value of FAULT breaks it in one way.

#if TUNE_FAULT_IS_compile_hang
// Each instance takes a compiler a good part of a second, and little memory.
template <int N>
constexpr int burn() {
  int sum = N;
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 1000; ++j) sum = (sum * 31 + j) & 0xFFFF;
  }
  return sum;
}
template <int N>
struct Total {
  static constexpr int value = burn<N>() + Total<N - 1>::value;
};
template <>
struct Total<0> {
  static constexpr int value = 0;
};
static_assert(Total<500>::value != -1, "after minutes");
#endif

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
#if TUNE_FAULT_IS_misaligned
  if (i == 0) *reinterpret_cast<float4*>(y + 1) = *reinterpret_cast<const float4*>(x + 1);
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
