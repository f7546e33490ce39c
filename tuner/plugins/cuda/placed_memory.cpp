// Reserves addresses, and maps memory there.

#include "tuner/plugins/cuda/placed_memory.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

namespace tuner::cuda {
namespace {

// A reservation gets the address that it asks for only at multiples of this (tried with drivers of
// CUDA 13.0; at multiples of 2 MiB alone it gets others).
constexpr CUdeviceptr kStep = CUdeviceptr{32} << 20;

std::string hexadecimal(CUdeviceptr address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

}  // namespace

PlacedMemory::~PlacedMemory() {
  for (const auto& [begin, end] : ranges_) {
    api_.mem_unmap(begin, end - begin);
    api_.mem_address_free(begin, end - begin);
  }
}

void PlacedMemory::make(CUdeviceptr address, std::uint64_t bytes) {
  if (api_.mem_set_access == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver places no memory at given addresses");
  }
  CUdeviceptr at = address / kStep * kStep;
  const CUdeviceptr end = (address + bytes + kStep - 1) / kStep * kStep;
  // Maps the gaps between ranges that are there.
  while (at < end) {
    auto next = ranges_.upper_bound(at);
    if (next != ranges_.begin() && std::prev(next)->second > at) {
      at = std::prev(next)->second;
      continue;
    }
    const CUdeviceptr until = next == ranges_.end() ? end : std::min(end, next->first);
    map(at, until);
    at = until;
  }
}

void PlacedMemory::map(CUdeviceptr begin, CUdeviceptr end) {
  const std::size_t bytes = end - begin;
  CUdeviceptr got = 0;
  check(api_, api_.mem_address_reserve(&got, bytes, 0, begin, 0), "cuMemAddressReserve");
  if (got != begin) {
    api_.mem_address_free(got, bytes);
    throw sdk::Error(TUNER_INVALID, "the driver does not give the addresses from " +
                                        hexadecimal(begin) + " to " + hexadecimal(end));
  }
  CUmemAllocationProp where{};
  where.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  where.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  CUmemGenericAllocationHandle memory = 0;
  CUresult result = api_.mem_create(&memory, bytes, &where, 0);
  const char* call = "cuMemCreate";
  if (result == CUDA_SUCCESS) {
    call = "cuMemMap";
    result = api_.mem_map(begin, bytes, 0, memory, 0);
    api_.mem_release(memory);  // the mapping keeps it
  }
  if (result == CUDA_SUCCESS) {
    call = "cuMemSetAccess";
    const CUmemAccessDesc access{where.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    result = api_.mem_set_access(begin, bytes, &access, 1);
    if (result != CUDA_SUCCESS) api_.mem_unmap(begin, bytes);
  }
  if (result != CUDA_SUCCESS) api_.mem_address_free(begin, bytes);
  check(api_, result, call);
  ranges_.emplace(begin, end);
}

}  // namespace tuner::cuda
