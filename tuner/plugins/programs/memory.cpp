// Allocates buffers that end right before a page that must not be touched; fills and compares them
// by the formulas of the plugin boundary.

#include "tuner/plugins/programs/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "tuner/plugins/programs/number_types.h"

namespace tuner::programs {
namespace {

constexpr std::uint64_t kAlignment = 256;  // what cudaMalloc promises

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

constexpr std::array<std::size_t, 14> kBytes{4, 8, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1};

// visit(T{}) with the C++ type of the number; what it returns for a number that is no type.
template <typename Visit>
auto with_type(std::uint32_t type, Visit visit) -> decltype(visit(float{})) {
  switch (type) {
    case TUNER_FLOAT32:
      return visit(float{});
    case TUNER_FLOAT64:
      return visit(double{});
    case TUNER_FLOAT16:
      return visit(Half{});
    case TUNER_BFLOAT16:
      return visit(BFloat16{});
    case TUNER_FLOAT8_E4M3:
      return visit(Float8E4M3{});
    case TUNER_FLOAT8_E5M2:
      return visit(Float8E5M2{});
    case TUNER_INT8:
      return visit(std::int8_t{});
    case TUNER_INT16:
      return visit(std::int16_t{});
    case TUNER_INT32:
      return visit(std::int32_t{});
    case TUNER_INT64:
      return visit(std::int64_t{});
    case TUNER_UINT8:
      return visit(std::uint8_t{});
    case TUNER_UINT16:
      return visit(std::uint16_t{});
    case TUNER_UINT32:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

// |a - b| in double; equal infinities differ by 0. 64-bit integers are subtracted as integers.
template <typename T>
double difference(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    const auto high = static_cast<std::uint64_t>(std::max(a, b));
    const auto low = static_cast<std::uint64_t>(std::min(a, b));
    return static_cast<double>(high - low);
  } else {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return x == y ? 0.0 : std::fabs(x - y);
  }
}

// Where the bits of `count` numbers are the same, and none of them is NaN, nothing is left to ask.
template <typename T>
bool are_same(const std::byte* actual, const std::byte* expected, std::uint64_t count) {
  if (std::memcmp(actual, expected, count * sizeof(T)) != 0) return false;
  if constexpr (std::is_floating_point_v<T>) {
    unsigned nans = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, expected + i * sizeof(T), sizeof(T));
      nans |= std::isnan(value) ? 1U : 0U;
    }
    return nans == 0;
  }
  return true;
}

template <typename T>
tuner_comparison compare_as(const std::byte* actual, const std::byte* expected, std::uint64_t begin,
                            std::uint64_t end, double rtol, double atol) {
  constexpr std::uint64_t kBlock = 512;
  tuner_comparison out{};
  for (std::uint64_t i = begin; i < end; ++i) {
    if constexpr (std::is_arithmetic_v<T>) {
      while ((i - begin) % kBlock == 0 && end - i >= kBlock &&
             are_same<T>(actual + i * sizeof(T), expected + i * sizeof(T), kBlock)) {
        i += kBlock;
      }
      if (i == end) break;
    }
    T a;
    T e;
    std::memcpy(&a, actual + i * sizeof(T), sizeof(T));
    std::memcpy(&e, expected + i * sizeof(T), sizeof(T));
    const double error = difference(a, e);
    const auto wanted = static_cast<double>(e);
    // With an infinite expectation the tolerance would be infinite too, and everything pass.
    const bool passes =
        error == 0 || (std::isfinite(wanted) && error <= atol + rtol * std::fabs(wanted));
    const double shown = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    out.max_abs_error = std::max(out.max_abs_error, shown);
    if (passes) continue;
    if (out.mismatches++ == 0) {
      out.first_mismatch = i;
      out.first_value = static_cast<double>(a);
      out.first_expected = wanted;
    }
  }
  return out;
}

// By value, since `data` may be anything: `how` would be read again for each word.
inline void mask_words(std::byte* data, std::uint64_t begin, std::uint64_t end, tuner_fill how) {
  for (std::uint64_t i = begin; i < end; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i * sizeof word, sizeof word);
    word ^= sdk::elements::element_mask(how.a, how.seed, i);
    std::memcpy(data + i * sizeof word, &word, sizeof word);
  }
}

#if defined(__x86_64__)
// Eight words at a time: five times as fast.
__attribute__((target("avx512dq"), flatten)) void mask_eight_words(std::byte* data,
                                                                   std::uint64_t begin,
                                                                   std::uint64_t end,
                                                                   const tuner_fill& how) {
  mask_words(data, begin, end, how);
}
#endif

void mask(std::byte* data, std::uint64_t begin, std::uint64_t end, const tuner_fill& how) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") != 0) return mask_eight_words(data, begin, end, how);
#endif
  mask_words(data, begin, end, how);
}

}  // namespace

Memory::~Memory() {
  for (auto& [id, buffer] : buffers_) {
    if (buffer.mapping != nullptr) munmap(buffer.mapping, buffer.mapped);
  }
}

std::uint64_t Memory::allocate(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 46;
  const std::uint64_t used = round_up(bytes, kAlignment);
  const std::uint64_t pages = round_up(used, page);
  void* mapping = bytes > kTooMuch ? MAP_FAILED
                                   : mmap(nullptr, pages + page, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    throw sdk::Error(TUNER_OUT_OF_MEMORY, std::to_string(bytes) + " bytes are not to be had");
  }
  auto* first = static_cast<std::byte*>(mapping);
  mprotect(first + pages, page, PROT_NONE);
  buffers_[++last_] = {first, pages + page, first + (pages - used), bytes};
  return last_;
}

std::uint64_t Memory::adopt(std::byte* data, std::uint64_t bytes) {
  buffers_[++last_] = {nullptr, 0, data, bytes};
  return last_;
}

void Memory::release(std::uint64_t buffer) {
  const auto found = buffers_.find(buffer);
  if (found == buffers_.end()) return;
  if (found->second.mapping != nullptr) munmap(found->second.mapping, found->second.mapped);
  buffers_.erase(found);
}

std::byte* Memory::at(tuner_range range, std::uint64_t bytes) const {
  const auto found = buffers_.find(range.buffer);
  if (found == buffers_.end()) {
    throw sdk::Error(TUNER_INVALID, "there is no buffer " + std::to_string(range.buffer));
  }
  const Buffer& buffer = found->second;
  if (range.offset > buffer.bytes || bytes > buffer.bytes - range.offset) {
    throw sdk::Error(TUNER_INVALID,
                     std::to_string(bytes) + " bytes from " + std::to_string(range.offset) +
                         " on reach beyond a buffer of " + std::to_string(buffer.bytes) + " bytes");
  }
  return buffer.data + range.offset;
}

std::uint64_t Memory::bytes_from(tuner_range range) const {
  at(range, 0);
  return buffers_.find(range.buffer)->second.bytes - range.offset;
}

std::size_t bytes_of(std::uint32_t type) { return type < kBytes.size() ? kBytes[type] : 0; }

std::uint64_t bytes_of_elements(std::uint32_t type, std::uint64_t elements) {
  const std::size_t size = bytes_of(type);
  if (size == 0) throw sdk::Error(TUNER_INVALID, "there is no type " + std::to_string(type));
  if (elements > ~std::uint64_t{0} / size) throw sdk::Error(TUNER_INVALID, "too many elements");
  return elements * size;
}

std::uint64_t bytes_of_fill(const tuner_fill& how, std::uint64_t elements) {
  if (how.kind > TUNER_FILL_MASK) {
    throw sdk::Error(TUNER_INVALID, "there is no kind of fill " + std::to_string(how.kind));
  }
  return bytes_of_elements(how.type, elements);
}

void fill_elements(std::byte* data, std::uint64_t begin, std::uint64_t end, const tuner_fill& how) {
  const std::size_t size = bytes_of(how.type);
  if (how.kind == TUNER_FILL_BYTES) {
    const auto byte = converted<std::uint8_t>(how.a);
    std::memset(data + begin * size, byte, (end - begin) * size);
    return;
  }
  if (how.kind == TUNER_FILL_MASK) {
    mask(data, begin, end, how);
    return;
  }
  with_type(how.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::uint64_t i = begin; i < end; ++i) {
      const T value =
          converted<T>(sdk::elements::element_value(how.kind, how.a, how.b, how.seed, i));
      std::memcpy(data + i * sizeof(T), &value, sizeof(T));
    }
  });
}

tuner_comparison compare_elements(const std::byte* actual, const std::byte* expected,
                                  std::uint32_t type, std::uint64_t begin, std::uint64_t end,
                                  double rtol, double atol) {
  return with_type(type, [&](auto zero) {
    return compare_as<decltype(zero)>(actual, expected, begin, end, rtol, atol);
  });
}

tuner_comparison merge(const tuner_comparison& earlier, const tuner_comparison& later) {
  tuner_comparison both = earlier.mismatches > 0 ? earlier : later;
  both.mismatches = earlier.mismatches + later.mismatches;
  both.max_abs_error = std::max(earlier.max_abs_error, later.max_abs_error);
  return both;
}

}  // namespace tuner::programs
