// Allocates buffers that end right before a page that must not be touched; fills and compares them
// by the formulas of the plugin boundary.

#include "tuner/plugins/programs/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace tuner::programs {
namespace {

constexpr std::uint64_t kAlignment = 256;  // what cudaMalloc promises

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// visit() with the number of the type as a constant, of which the compiler makes a loop of its own.
template <typename Visit, std::uint32_t... kEach>
auto with_type(std::uint32_t type, Visit visit, std::integer_sequence<std::uint32_t, kEach...>) {
  using Constant = decltype(visit(std::integral_constant<std::uint32_t, 0>())) (*)(Visit&);
  constexpr Constant kAll[] = {
      [](Visit& one) { return one(std::integral_constant<std::uint32_t, kEach>()); }...};
  return kAll[type](visit);
}

template <typename Visit>
auto with_type(std::uint32_t type, Visit visit) {
  return with_type(type, visit, std::make_integer_sequence<std::uint32_t, sdk::kTypes.size()>());
}

// Whether elements have the same bits and none of them is NaN: then nothing is left to compare.
template <std::uint32_t kType>
bool are_same(const std::byte* actual, const std::byte* expected, std::uint64_t first,
              std::uint64_t count) {
  constexpr std::uint64_t kBytes = sdk::kTypes[kType].bytes;
  if (std::memcmp(actual + first * kBytes, expected + first * kBytes, count * kBytes) != 0) {
    return false;
  }
  if constexpr (sdk::kTypes[kType].kind != sdk::NumberKind::kFloat) return true;
  unsigned nans = 0;
  for (std::uint64_t i = first; i < first + count; ++i) {
    nans |= std::isnan(sdk::elements::load_element(expected, i, kType)) ? 1U : 0U;
  }
  return nans == 0;
}

template <std::uint32_t kType>
__attribute__((flatten)) tuner_comparison compare_as(const std::byte* actual,
                                                     const std::byte* expected, std::uint64_t begin,
                                                     std::uint64_t end, double rtol, double atol) {
  constexpr std::uint64_t kBlock = 512;
  tuner_comparison out{};
  for (std::uint64_t i = begin; i < end; ++i) {
    while ((i - begin) % kBlock == 0 && end - i >= kBlock &&
           are_same<kType>(actual, expected, i, kBlock)) {
      i += kBlock;
    }
    if (i == end) break;
    const auto found = sdk::elements::check_element(actual, expected, i, kType, rtol, atol);
    out.max_abs_error = std::max(out.max_abs_error, found.error);
    if (found.passes != 0 || out.mismatches++ > 0) continue;
    out.first_mismatch = i;
    out.first_value = sdk::elements::load_element(actual, i, kType);
    out.first_expected = sdk::elements::load_element(expected, i, kType);
  }
  return out;
}

template <std::uint32_t kType>
__attribute__((flatten)) void fill_as(std::byte* data, std::uint64_t begin, std::uint64_t end,
                                      const tuner_fill& how) {
  const tuner_fill fill = how;  // which `data` is surely no part of
  for (std::uint64_t i = begin; i < end; ++i) {
    sdk::elements::store_element(
        data, i, kType, sdk::elements::element_value(fill.kind, fill.a, fill.b, fill.seed, i));
  }
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
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address was given
  for (const std::uint64_t page : placed_pages_) munmap(reinterpret_cast<void*>(page), size);
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

std::uint64_t Memory::allocate_at(std::uint64_t address, std::uint64_t bytes) {
  const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (std::uint64_t page = address / size * size; page < address + bytes; page += size) {
    if (placed_pages_.contains(page)) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is given
    void* const wanted = reinterpret_cast<void*>(page);
    void* const got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != wanted) {
      if (got != MAP_FAILED) munmap(got, size);
      throw sdk::Error(TUNER_INVALID, "there is other memory where the data has to be");
    }
    placed_pages_.insert(page);
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is given
  return adopt(reinterpret_cast<std::byte*>(address), bytes);
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

void fill_elements(std::byte* data, std::uint64_t begin, std::uint64_t end, const tuner_fill& how) {
  if (how.kind == TUNER_FILL_BYTES) {
    const std::uint64_t size = sdk::kTypes[how.type].bytes;
    std::uint8_t byte = 0;
    sdk::elements::store_element(&byte, 0, TUNER_UINT8, how.a);
    std::memset(data + begin * size, byte, (end - begin) * size);
  } else if (how.kind == TUNER_FILL_MASK) {
    mask(data, begin, end, how);
  } else {
    with_type(how.type, [&](auto type) { fill_as<type>(data, begin, end, how); });
  }
}

tuner_comparison compare_elements(const std::byte* actual, const std::byte* expected,
                                  std::uint32_t type, std::uint64_t begin, std::uint64_t end,
                                  double rtol, double atol) {
  return with_type(type, [&](auto constant) {
    return compare_as<constant>(actual, expected, begin, end, rtol, atol);
  });
}

tuner_comparison merge(const tuner_comparison& earlier, const tuner_comparison& later) {
  tuner_comparison both = earlier.mismatches > 0 ? earlier : later;
  both.mismatches = earlier.mismatches + later.mismatches;
  both.max_abs_error = std::max(earlier.max_abs_error, later.max_abs_error);
  return both;
}

}  // namespace tuner::programs
