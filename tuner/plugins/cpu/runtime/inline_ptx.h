#pragma once
// PTX instructions as functions: inline assembly becomes calls of them. Registers and operands are
// bits, of which an instruction says what they are.
#include "small_floats.h"

template <class T, class X>
inline T tuner_ptx_get(const X& x) {
  T out{};
  __builtin_memcpy(&out, &x, sizeof(X) < sizeof(T) ? sizeof(X) : sizeof(T));
  return out;
}
inline float tuner_ptx_widened(float x) { return x; }
inline double tuner_ptx_widened(double x) { return x; }
template <class T>
inline long long tuner_ptx_widened(T x) {
  return (long long)x;
}
template <class D, class T>
inline void tuner_ptx_set(D& to, T value) {
  to = tuner_ptx_get<D>(tuner_ptx_widened(value));
}

inline unsigned tuner_ptx_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned tuner_ptx_lane() { return tuner_ptx_thread() % 32; }
inline unsigned tuner_ptx_warp() { return tuner_ptx_thread() / 32; }

inline void* tuner_ptx_generic(unsigned long long address) { return (void*)address; }
// Programs keep addresses of shared memory in 32 bits: the others are those of what lies nearby.
inline void* tuner_ptx_shared(unsigned long long address) {
  const unsigned long long near = (unsigned long long)&threadIdx;
  return (void*)(near + (long long)(int)((unsigned)address - (unsigned)near));
}
inline void tuner_ptx_copy(char* to, const char* from, unsigned bytes, unsigned read) {
  if (read > bytes) read = bytes;
  if (read > 0) __builtin_memcpy(to, from, read);
  __builtin_memset(to + read, 0, bytes - read);
}

#define TUNER_PTX_2(name, result)       \
  template <class T>                    \
  inline T tuner_ptx_##name(T x, T y) { \
    return (T)(result);                 \
  }
TUNER_PTX_2(add, x + y)
TUNER_PTX_2(sub, x - y)
TUNER_PTX_2(mul, x* y)
TUNER_PTX_2(div, x / y)
TUNER_PTX_2(rem, x % y)
TUNER_PTX_2(min, y < x || x != x ? y : x)
TUNER_PTX_2(max, x < y || x != x ? y : x)
TUNER_PTX_2(and, x& y)
TUNER_PTX_2(or, x | y)
TUNER_PTX_2(xor, x ^ y)
TUNER_PTX_2(shl, (unsigned)y < 8 * sizeof(T) ? x << (unsigned)y : 0)
TUNER_PTX_2(shr, x >> ((unsigned)y < 8 * sizeof(T) ? (unsigned)y : 8 * sizeof(T) - 1) >>
                     ((unsigned)y >= 8 * sizeof(T) ? 1 : 0))
#undef TUNER_PTX_2
#define TUNER_PTX_1(name, result)  \
  template <class T>               \
  inline T tuner_ptx_##name(T x) { \
    return (T)(result);            \
  }
TUNER_PTX_1(not, sizeof(T) == 1 ? !x : ~x)
TUNER_PTX_1(neg, -x)
TUNER_PTX_1(abs, x < 0 ? -x : x)
TUNER_PTX_1(ex2, __builtin_exp2(x))
TUNER_PTX_1(lg2, __builtin_log2(x))
TUNER_PTX_1(rcp, 1 / x)
TUNER_PTX_1(sqrt, __builtin_sqrt(x))
TUNER_PTX_1(rsqrt, 1 / __builtin_sqrt(x))
TUNER_PTX_1(sin, __builtin_sin(x))
TUNER_PTX_1(cos, __builtin_cos(x))
TUNER_PTX_1(tanh, __builtin_tanh(x))
TUNER_PTX_1(popc, __builtin_popcountll(x))
#undef TUNER_PTX_1
template <class T>
inline unsigned tuner_ptx_clz(T x) {
  return x == 0 ? 8 * sizeof(T) : __builtin_clzll(x) - (64 - 8 * sizeof(T));
}
// The place of the highest bit that is no sign; all bits where there is none.
template <class T>
inline unsigned tuner_ptx_bfind(T x) {
  if (x < 0) x = ~x;
  return x == 0 ? ~0u : 63 - __builtin_clzll((unsigned long long)x);
}
template <class T>
inline T tuner_ptx_brev(T x) {
  T out = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) out = (T)(out << 1 | (x >> i & 1));
  return out;
}
// Bits from `begin` on; past the end, and of signed types also above them, they are the sign.
template <class T>
inline T tuner_ptx_bfe(T x, T begin, T count) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned from = (unsigned)begin & 255, many = (unsigned)count & 255;
  if (many == 0) return 0;
  const unsigned last = from + many - 1 < kBits - 1 ? from + many - 1 : kBits - 1;
  const bool sign = (T)-1 < (T)0 && (x >> last & 1);
  T out = sign ? (T)-1 : (T)0;
  for (unsigned i = 0; i < many && i < kBits; ++i) {
    const T bit = (T)1 << i;
    const bool is_set = from + i < kBits ? x >> (from + i) & 1 : sign;
    out = is_set ? out | bit : out & ~bit;
  }
  return out;
}
template <class T>
inline T tuner_ptx_bfi(T from, T to, T begin, T count) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned first = (unsigned)begin & 255, many = (unsigned)count & 255;
  for (unsigned i = 0; i < many && first + i < kBits; ++i) {
    const T bit = (T)1 << (first + i);
    to = from >> i & 1 ? to | bit : to & ~bit;
  }
  return to;
}
template <class T>
inline T tuner_ptx_prmt(T x, T y, T selector) {
  const unsigned long long bytes = (unsigned long long)(unsigned)y << 32 | (unsigned)x;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned which = (unsigned)selector >> 4 * i;
    const unsigned byte = bytes >> 8 * (which & 7) & 255;
    out |= (which & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
  }
  return (T)out;
}
// Each bit of the table is the answer for three bits. A hash has hundreds of them, which a compiler
// takes minutes for if it unrolls each.
template <class T>
__attribute__((noinline)) T tuner_ptx_lop3(T x, T y, T z, T table) {
  T out = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if (table >> i & 1) out |= (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
  }
  return out;
}
template <class T>
inline T tuner_ptx_fma(T x, T y, T z) {
  return sizeof(T) == 4 ? (T)__builtin_fmaf(x, y, z) : (T)__builtin_fma(x, y, z);
}
template <class T>
inline T tuner_ptx_mad(T x, T y, T z) {
  return (T)(x * y + z);
}
template <class T>
inline T tuner_ptx_mul_hi(T x, T y) {
  return (T)((unsigned __int128)(__int128)x * (unsigned __int128)(__int128)y >> 8 * sizeof(T));
}
template <class T>
inline T tuner_ptx_mad_hi(T x, T y, T z) {
  return tuner_ptx_mul_hi(x, y) + z;
}
template <class T>
inline long long tuner_ptx_mul_wide(T x, T y) {
  return (long long)((unsigned long long)(long long)x * (unsigned long long)(long long)y);
}
template <class T>
inline T tuner_ptx_dp4a(T x, T y, T z) {
  for (int i = 0; i < 32; i += 8) {
    z += (T)-1 < (T)0 ? (T)(signed char)(x >> i) * (T)(signed char)(y >> i)
                      : (T)(x >> i & 255) * (T)(y >> i & 255);
  }
  return z;
}

// ---- matrices that the lanes of a warp have together --------------------------------------------

// Each lane gives the address of a row of eight 16-bit numbers, and holds two numbers of each
// matrix: of a row, or of a column where it is read transposed.
template <bool Stores, bool Transposed, unsigned N>
inline void tuner_ptx_matrices(unsigned (&parts)[N], const void* own) {
  const unsigned lane = tuner_ptx_lane(), group = lane / 4, first = lane % 4 * 2;
  __syncwarp();
  for (unsigned i = 0; i < 2 * N; ++i) {
    const unsigned at = first + i % 2, row = Transposed ? at : group,
                   column = Transposed ? group : at;
    char* const of = (char*)__shfl_sync(~0u, (size_t)own, (int)(i / 2 * 8 + row)) + 2 * column;
    char* const part = (char*)parts + 2 * i;
    __builtin_memcpy(Stores ? of : part, Stores ? part : of, 2);
  }
  __syncwarp();
}

// Types of the numbers that a register holds one or several of.
struct tuner_ptx_f16 {
  static constexpr unsigned kBits = 16;
  static float number(unsigned bits) { return tuner_cpu_half_bits::to_float((unsigned short)bits); }
};
struct tuner_ptx_bf16 {
  static constexpr unsigned kBits = 16;
  static float number(unsigned bits) {
    return tuner_cpu_bfloat16_bits::to_float((unsigned short)bits);
  }
};
struct tuner_ptx_tf32 {
  static constexpr unsigned kBits = 32;
  static float number(unsigned bits) { return tuner_ptx_get<float>(bits & ~0x1fffu); }
};
struct tuner_ptx_s8 {
  static constexpr unsigned kBits = 8;
  static int number(unsigned bits) { return (signed char)bits; }
};
struct tuner_ptx_u8 {
  static constexpr unsigned kBits = 8;
  static int number(unsigned bits) { return (unsigned char)bits; }
};

// Adds the products of a row of A and a column of B, each in the registers of four lanes.
template <class TA, class TB, unsigned NB, class Sum>
inline Sum tuner_ptx_dot(const unsigned* const (&a)[4], unsigned half,
                         const unsigned* const (&b)[4], Sum sum) {
  for (unsigned i = 0; i < NB; ++i) {
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned x = a[lane][2 * i + half], y = b[lane][i];
      for (unsigned bit = 0; bit < 32; bit += TA::kBits)
        sum += TA::number(x >> bit) * TB::number(y >> bit);
    }
  }
  return sum;
}
// m16n8, whose A has two rows in each lane: "row" after its registers, and 8 below.
template <class TA, class TB, unsigned NA, unsigned NB, class Sum>
inline void tuner_ptx_mma(Sum (&sums)[4], const unsigned (&a)[NA], const unsigned (&b)[NB]) {
  static_assert(NA == 2 * NB, "no such shape");
  const unsigned lane = tuner_ptx_lane();
  const unsigned* rows[4];
  const unsigned* columns[2][4];
  __syncwarp();
  for (unsigned i = 0; i < 4; ++i) {
    const auto of = [](const unsigned* own, unsigned from) {
      return (const unsigned*)__shfl_sync(~0u, (size_t)own, (int)from);
    };
    rows[i] = of(a, lane / 4 * 4 + i);
    columns[0][i] = of(b, lane % 4 * 8 + i);
    columns[1][i] = of(b, lane % 4 * 8 + 4 + i);
  }
  for (unsigned i = 0; i < 4; ++i) {
    sums[i] = tuner_ptx_dot<TA, TB, NB>(rows, i / 2, columns[i % 2], sums[i]);
  }
  __syncwarp();  // nobody's registers go before all have read them
}
inline void tuner_ptx_unpack(const unsigned (&from)[2], float (&to)[4]) {
  for (unsigned i = 0; i < 4; ++i) to[i] = tuner_ptx_f16::number(from[i / 2] >> i % 2 * 16);
}
inline unsigned tuner_ptx_packed(float low, float high) {
  return tuner_cpu_half_bits::from_float(low) | (unsigned)tuner_cpu_half_bits::from_float(high)
                                                    << 16;
}
