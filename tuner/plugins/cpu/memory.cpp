// Allocates buffers that end right before a page that must not be touched.

#include "tuner/plugins/cpu/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace tuner::cpu {
namespace {

constexpr std::uint64_t kAlignment = 256;  // what cudaMalloc promises

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

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

}  // namespace tuner::cpu
