#pragma once
// Device memory at given addresses, for data that was copied from another process with the
// addresses in it.

#include <cstdint>
#include <map>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

class PlacedMemory {
 public:
  PlacedMemory(const DriverApi& api, CUdevice device) : api_(api), device_(device) {}
  ~PlacedMemory();
  PlacedMemory(const PlacedMemory&) = delete;
  PlacedMemory& operator=(const PlacedMemory&) = delete;

  // Makes sure that there is memory from `address` on; it stays until this ends. Throws sdk::Error:
  // TUNER_UNSUPPORTED where the driver cannot, TUNER_OUT_OF_MEMORY, TUNER_INVALID where the range
  // is taken by something else.
  void make(CUdeviceptr address, std::uint64_t bytes);

 private:
  void map(CUdeviceptr begin, CUdeviceptr end);

  const DriverApi& api_;
  CUdevice device_;
  std::map<CUdeviceptr, CUdeviceptr> ranges_;  // begin and end of what is mapped
};

}  // namespace tuner::cuda
