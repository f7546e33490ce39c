#pragma once
// <mma.h>: every lane keeps all of a fragment and computes all of it, so that what a kernel does
// with its elements gives the same matrix, whichever lane a device would keep them in.
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace details {

template <class Layout>
struct is_row_major {
  static constexpr bool value = true;
};
template <>
struct is_row_major<col_major> {
  static constexpr bool value = false;
};
template <class T>
struct element {
  typedef T type;
};
template <>
struct element<precision::tf32> {
  typedef float type;
};
// Integers are summed as such, all else in float or double.
inline int wide(signed char x) { return x; }
inline int wide(unsigned char x) { return x; }
inline int wide(int x) { return x; }
inline float wide(float x) { return x; }
inline double wide(double x) { return x; }
inline float wide(__half x) { return x.number(); }
inline float wide(__nv_bfloat16 x) { return x.number(); }
template <class Use, int M, int N, int K>
struct shape {
  static constexpr int kRows = M, kColumns = N;
};
template <int M, int N, int K>
struct shape<matrix_a, M, N, K> {
  static constexpr int kRows = M, kColumns = K;
};
template <int M, int N, int K>
struct shape<matrix_b, M, N, K> {
  static constexpr int kRows = K, kColumns = N;
};

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  typedef typename details::element<T>::type element_type;
  static constexpr int kRows = details::shape<Use, M, N, K>::kRows;
  static constexpr int kColumns = details::shape<Use, M, N, K>::kColumns;
  static constexpr int num_elements = kRows * kColumns;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class L, class V>
inline void fill_fragment(fragment<Use, M, N, K, T, L>& to, const V& value) {
  for (auto& x : to.x) x = value;
}
template <class Fragment, class Pointer>
inline void tuner_cpu_load(Fragment& to, Pointer from, unsigned stride, bool by_rows) {
  __syncwarp();
  for (int i = 0; i < Fragment::kRows; ++i) {
    for (int j = 0; j < Fragment::kColumns; ++j) {
      to.x[i * Fragment::kColumns + j] = by_rows ? from[i * stride + j] : from[j * stride + i];
    }
  }
  __syncwarp();
}
template <class Use, int M, int N, int K, class T, class L, class E>
inline void load_matrix_sync(fragment<Use, M, N, K, T, L>& to, const E* from, unsigned stride) {
  tuner_cpu_load(to, from, stride, details::is_row_major<L>::value);
}
template <int M, int N, int K, class T, class E>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const E* from, unsigned stride,
                             layout_t layout) {
  tuner_cpu_load(to, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class E>
inline void store_matrix_sync(E* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                              layout_t layout) {
  __syncwarp();
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      to[layout == mem_row_major ? i * stride + j : j * stride + i] = from.x[i * N + j];
    }
  }
  __syncwarp();
}
// Products are summed in the accumulator's type, at least in float.
template <int M, int N, int K, class A, class LA, class B, class LB, class C, class D>
inline void mma_sync(fragment<accumulator, M, N, K, D>& d,
                     const fragment<matrix_a, M, N, K, A, LA>& a,
                     const fragment<matrix_b, M, N, K, B, LB>& b,
                     const fragment<accumulator, M, N, K, C>& c) {
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      auto sum = details::wide(c.x[i * N + j]);
      for (int k = 0; k < K; ++k) {
        sum += details::wide(a.x[i * K + k]) * details::wide(b.x[k * N + j]);
      }
      d.x[i * N + j] = sum;
    }
  }
}
inline float __float_to_tf32(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & ~0x1fffu);
}

}  // namespace wmma
}  // namespace nvcuda
