// Follows pointers, and copies memory to files.

#include "tuner/plugins/cuda/capture/snapshot.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace tuner::capture {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{32} << 20;
constexpr unsigned kPageBits = 21;

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

File open_file(const std::string& path, const char* how) {
  File file(std::fopen(path.c_str(), how), &std::fclose);
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  return file;
}

void copy_to_host(void* to, CUdeviceptr from, std::uint64_t bytes) {
  must(TUNER_DRIVER(cuMemcpy)(reinterpret_cast<CUdeviceptr>(to), from, bytes), "cuMemcpy");
}

// Calls `use` with each piece of the memory in its order; stops when it returns false.
template <typename Use>
void each_chunk(const Allocation& allocation, const Use& use) {
  std::vector<char> chunk(std::min(allocation.bytes, kChunk));
  for (std::uint64_t at = 0; at < allocation.bytes; at += kChunk) {
    const std::uint64_t bytes = std::min(kChunk, allocation.bytes - at);
    copy_to_host(chunk.data(), allocation.address + at, bytes);
    if (!use(std::string_view(chunk.data(), bytes))) return;
  }
}

void write_to(std::FILE* file, const std::string& path, std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()) return;
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace

// Most words of data are numbers: those below 4 GiB or beyond the 47 bits of a process's addresses
// are no pointers. A page of 2 MiB whose first byte belongs to no allocation is taken for none
// after one question: lists of whole numbers would else cost a question each.
void Snapshot::reach(const void* bytes, std::size_t count) {
  const auto* words = static_cast<const char*>(bytes);
  for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= count; at += sizeof(CUdeviceptr)) {
    CUdeviceptr word = 0;
    std::memcpy(&word, words + at, sizeof word);
    if (word >> 32 == 0 || word >> 47 != 0) continue;
    const auto behind = ranges_.upper_bound(word);
    if (behind != ranges_.begin() && word < std::prev(behind)->second) continue;
    if (elsewhere_.contains(word >> kPageBits)) continue;
    add(word);
  }
}

void Snapshot::add(CUdeviceptr address) {
  CUdeviceptr begin = 0;
  std::size_t bytes = 0;
  unsigned kind = 0, managed = 0;
  int device = 0;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&begin, &bytes, &kind, &managed, &device};
  const CUresult result = TUNER_DRIVER(cuPointerGetAttributes)(5, asked, answers, address);
  if (result != CUDA_SUCCESS || bytes == 0 || address < begin || address - begin >= bytes) {
    CUdeviceptr page = address >> kPageBits << kPageBits;
    CUdeviceptr first = 0;
    std::size_t size = 0;
    void* range[] = {&first, &size};
    TUNER_DRIVER(cuPointerGetAttributes)(2, asked, range, page);
    if (size == 0) elsewhere_.insert(address >> kPageBits);
    return;
  }
  const char* name = managed != 0 ? "managed" : kind == CU_MEMORYTYPE_HOST ? "host" : "device";
  allocations_.push_back({begin, bytes, name, device, {}, {}});
  ranges_.emplace(begin, begin + bytes);
  total_ += bytes;
  if (total_ > request_.limit) {
    throw std::runtime_error("it reaches more than the limit of " +
                             std::to_string(request_.limit >> 20) + " MiB of memory");
  }
}

void Snapshot::download(Allocation& allocation) {
  allocation.before = prefix_ + "before-" + std::to_string(saved_) + ".raw";
  const std::string path = request_.folder + "/" + allocation.before;
  const File file = open_file(path, "wb");
  const Allocation source = allocation;  // the list grows meanwhile
  each_chunk(source, [&](std::string_view chunk) {
    write_to(file.get(), path, chunk);
    if (request_.memory == Request::Memory::kReachable) reach(chunk.data(), chunk.size());
    return true;
  });
  if (std::fflush(file.get()) != 0) throw std::runtime_error(path + ": " + std::strerror(errno));
}

void Snapshot::save() {
  for (; saved_ < allocations_.size(); ++saved_) {
    Allocation one = allocations_[saved_];
    download(one);
    allocations_[saved_] = one;
  }
}

bool Snapshot::has_changed(const Allocation& allocation, const std::string& file) const {
  const File before = open_file(file, "rb");
  std::vector<char> held(std::min(allocation.bytes, kChunk));
  bool changed = false;
  each_chunk(allocation, [&](std::string_view chunk) {
    const std::size_t read = std::fread(held.data(), 1, chunk.size(), before.get());
    if (read != chunk.size()) throw std::runtime_error(file + " cannot be read back");
    changed = std::memcmp(held.data(), chunk.data(), read) != 0;
    return !changed;
  });
  return changed;
}

void Snapshot::save_written() {
  for (std::size_t i = 0; i < allocations_.size(); ++i) {
    Allocation& one = allocations_[i];
    if (!has_changed(one, request_.folder + "/" + one.before)) continue;
    one.written = prefix_ + "written-" + std::to_string(i) + ".raw";
    const std::string path = request_.folder + "/" + one.written;
    const File file = open_file(path, "wb");
    each_chunk(one, [&](std::string_view chunk) {
      write_to(file.get(), path, chunk);
      return true;
    });
    if (std::fflush(file.get()) != 0) throw std::runtime_error(path + ": " + std::strerror(errno));
  }
}

}  // namespace tuner::capture
