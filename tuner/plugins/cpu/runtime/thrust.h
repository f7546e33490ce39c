#pragma once
// The parts of Thrust that kernels use: tuples, pairs, complex numbers, functors, pointers to
// memory of the device, and algorithms that one thread runs.
#include <algorithm>
#include <complex>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::complex;
using std::divides;
using std::equal_to;
using std::get;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::make_pair;
using std::make_tuple;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::pair;
using std::plus;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

using std::abs;
using std::arg;
using std::conj;
using std::cos;
using std::cosh;
using std::exp;
using std::log;
using std::log10;
using std::norm;
using std::polar;
using std::pow;
using std::proj;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

template <class T = void>
struct identity {
  const T& operator()(const T& x) const { return x; }
};
template <class T = void>
struct maximum {
  T operator()(const T& x, const T& y) const { return x < y ? y : x; }
};
template <class T = void>
struct minimum {
  T operator()(const T& x, const T& y) const { return y < x ? y : x; }
};
template <class Argument, class Result>
struct unary_function {
  typedef Argument argument_type;
  typedef Result result_type;
};
template <class First, class Second, class Result>
struct binary_function {
  typedef First first_argument_type;
  typedef Second second_argument_type;
  typedef Result result_type;
};

template <class T>
class device_ptr {
 public:
  typedef std::random_access_iterator_tag iterator_category;
  typedef T value_type;
  typedef std::ptrdiff_t difference_type;
  typedef T* pointer;
  typedef T& reference;

  device_ptr() = default;
  explicit device_ptr(T* to) : to_(to) {}
  T* get() const { return to_; }
  operator T*() const { return to_; }
  device_ptr& operator++() { return ++to_, *this; }
  device_ptr& operator--() { return --to_, *this; }
  device_ptr& operator+=(std::ptrdiff_t by) { return to_ += by, *this; }
  device_ptr& operator-=(std::ptrdiff_t by) { return to_ -= by, *this; }

 private:
  T* to_ = nullptr;
};
template <class T>
inline device_ptr<T> device_pointer_cast(T* to) {
  return device_ptr<T>(to);
}
template <class T>
inline T* raw_pointer_cast(T* to) {
  return to;
}
template <class T>
inline T* raw_pointer_cast(const device_ptr<T>& to) {
  return to.get();
}

struct tuner_cpu_policy {};
inline constexpr tuner_cpu_policy seq, device, host;

#define TUNER_CPU_ALGORITHM(name, of_std)                                     \
  template <class... A>                                                       \
  inline auto name(const tuner_cpu_policy&, A... a) {                         \
    return std::of_std(a...);                                                 \
  }                                                                           \
  template <class First, class... A>                                          \
  inline auto name(First first, A... a)->decltype(std::of_std(first, a...)) { \
    return std::of_std(first, a...);                                          \
  }
TUNER_CPU_ALGORITHM(binary_search, binary_search)
TUNER_CPU_ALGORITHM(copy, copy)
TUNER_CPU_ALGORITHM(count, count)
TUNER_CPU_ALGORITHM(exclusive_scan, exclusive_scan)
TUNER_CPU_ALGORITHM(fill, fill)
TUNER_CPU_ALGORITHM(find, find)
TUNER_CPU_ALGORITHM(for_each, for_each)
TUNER_CPU_ALGORITHM(inclusive_scan, partial_sum)
TUNER_CPU_ALGORITHM(inner_product, inner_product)
TUNER_CPU_ALGORITHM(is_sorted, is_sorted)
TUNER_CPU_ALGORITHM(lower_bound, lower_bound)
TUNER_CPU_ALGORITHM(max_element, max_element)
TUNER_CPU_ALGORITHM(min_element, min_element)
TUNER_CPU_ALGORITHM(reverse, reverse)
TUNER_CPU_ALGORITHM(sequence, iota)
TUNER_CPU_ALGORITHM(sort, sort)
TUNER_CPU_ALGORITHM(stable_sort, stable_sort)
TUNER_CPU_ALGORITHM(transform, transform)
TUNER_CPU_ALGORITHM(unique, unique)
TUNER_CPU_ALGORITHM(upper_bound, upper_bound)
#undef TUNER_CPU_ALGORITHM
template <class I>
inline auto reduce(const tuner_cpu_policy&, I first, I last) {
  return std::accumulate(first, last, typename std::iterator_traits<I>::value_type{});
}
template <class I, class T, class... Sum>
inline T reduce(const tuner_cpu_policy&, I first, I last, T sum, Sum... plus) {
  return std::accumulate(first, last, sum, plus...);
}

}  // namespace thrust
