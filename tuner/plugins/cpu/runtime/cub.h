#pragma once
// CUB's reductions and scans of a block and of a warp, and their operators: what kernels use most.
// The first thread, or each in turn, goes over what all have put into the shared storage.
#include "execution.h"

namespace cub {

struct Sum {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
struct Max {
  template <class A, class B>
  constexpr A operator()(const A& a, const B& b) const {
    return b > a ? static_cast<A>(b) : a;
  }
};
struct Min {
  template <class A, class B>
  constexpr A operator()(const A& a, const B& b) const {
    return b < a ? static_cast<A>(b) : a;
  }
};
template <class K, class V>
struct KeyValuePair {
  K key;
  V value;
};
struct ArgMax {
  template <class P>
  constexpr P operator()(const P& a, const P& b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class P>
  constexpr P operator()(const P& a, const P& b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace details {

inline int thread() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}

struct BlockOfThreads {
  static int rank() { return thread(); }
  static void sync() { __syncthreads(); }
};
template <int Lanes>
struct WarpOfThreads {
  static int rank() { return thread() % 32 % Lanes; }
  static void sync() { __syncwarp(); }
};

// Values of the threads of a group.
template <class T, int Threads>
struct Storage {
  alignas(T) char bytes[sizeof(T) * Threads];
  T& operator[](int at) { return reinterpret_cast<T*>(bytes)[at]; }
};

template <class T, int Threads, class Group>
class Reduction {
 public:
  using TempStorage = Storage<T, Threads>;
  explicit Reduction(TempStorage& storage) : s_(storage) {}
  Reduction() : s_(own()) {}

  template <class Op>
  T combined(T value, Op op, int valid) {
    const int rank = Group::rank();
    s_[rank] = value;
    Group::sync();
    if (rank != 0) return value;
    for (int i = 1; i < valid; ++i) value = op(value, s_[i]);
    return value;
  }

 protected:
  static TempStorage& own() {
    static __shared__ TempStorage storage;
    return storage;
  }
  TempStorage& s_;
};

template <class T, int Threads, class Group>
class Scan {
 public:
  using TempStorage = Storage<T, Threads>;
  explicit Scan(TempStorage& storage) : s_(storage) {}

  template <class Op>
  void InclusiveScan(T in, T& out, Op op, T& all) {
    const int rank = share(in);
    all = s_[0];
    if (rank == 0) out = all;
    for (int i = 1; i < Threads; ++i) {
      all = op(all, s_[i]);
      if (i == rank) out = all;
    }
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T first, Op op, T& all) {
    const int rank = share(in);
    all = s_[0];
    for (int i = 0; i < Threads; ++i) {
      if (i == rank) out = first;
      first = op(first, s_[i]);
      if (i > 0) all = op(all, s_[i]);
    }
  }
  template <class Op>
  void InclusiveScan(T in, T& out, Op op) {
    T all;
    InclusiveScan(in, out, op, all);
  }
  template <class Op>
  void ExclusiveScan(T in, T& out, T first, Op op) {
    T all;
    ExclusiveScan(in, out, first, op, all);
  }
  void InclusiveSum(T in, T& out) { InclusiveScan(in, out, Sum()); }
  void InclusiveSum(T in, T& out, T& all) { InclusiveScan(in, out, Sum(), all); }
  void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T(), Sum()); }
  void ExclusiveSum(T in, T& out, T& all) { ExclusiveScan(in, out, T(), Sum(), all); }

 private:
  int share(const T& value) {
    s_[Group::rank()] = value;
    Group::sync();
    return Group::rank();
  }
  TempStorage& s_;
};

}  // namespace details

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
struct BlockReduce : details::Reduction<T, X * Y * Z, details::BlockOfThreads> {
  using details::Reduction<T, X * Y * Z, details::BlockOfThreads>::Reduction;
  template <class Op>
  T Reduce(T value, Op op, int valid = X * Y * Z) {
    return this->combined(value, op, valid);
  }
  template <int Items, class Op>
  T Reduce(T (&values)[Items], Op op) {
    for (int i = 1; i < Items; ++i) values[0] = op(values[0], values[i]);
    return this->combined(values[0], op, X * Y * Z);
  }
  T Sum(T value, int valid = X * Y * Z) { return Reduce(value, cub::Sum(), valid); }
  template <int Items>
  T Sum(T (&values)[Items]) {
    return Reduce(values, cub::Sum());
  }
};

template <class T, int Lanes = 32, int = 0>
struct WarpReduce : details::Reduction<T, Lanes, details::WarpOfThreads<Lanes>> {
  using details::Reduction<T, Lanes, details::WarpOfThreads<Lanes>>::Reduction;
  template <class Op>
  T Reduce(T value, Op op, int valid = Lanes) {
    return this->combined(value, op, valid);
  }
  T Sum(T value, int valid = Lanes) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
struct BlockScan : details::Scan<T, X * Y * Z, details::BlockOfThreads> {
  using details::Scan<T, X * Y * Z, details::BlockOfThreads>::Scan;
};

template <class T, int Lanes = 32, int = 0>
struct WarpScan : details::Scan<T, Lanes, details::WarpOfThreads<Lanes>> {
  using details::Scan<T, Lanes, details::WarpOfThreads<Lanes>>::Scan;
};

}  // namespace cub
