#pragma once
// Memory that a launch can reach: found from the bytes of its arguments, through data as well, and
// written to files before and after it.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/plugins/cuda/capture/driver_calls.h"
#include "tuner/plugins/cuda/capture/request.h"

namespace tuner::capture {

struct Allocation {
  CUdeviceptr address = 0;
  std::uint64_t bytes = 0;
  std::string kind;  // "device", "managed", "host"
  int device = 0;
  std::string before;   // file in the folder
  std::string written;  // the same memory afterwards; empty: it did not change
};

class Snapshot {
 public:
  // `prefix` begins the names of its files, in the request's folder.
  Snapshot(const Request& request, std::string prefix)
      : request_(request), prefix_(std::move(prefix)) {}

  // Marks all memory that words of these bytes point into.
  void reach(const void* bytes, std::size_t count);
  // Writes what was reached, and what its contents reach unless arguments alone are asked for.
  // Throws std::runtime_error when it is more than the limit, or a file cannot be written.
  void save();
  // After the launch: writes memory that has changed.
  void save_written();
  const std::vector<Allocation>& allocations() const { return allocations_; }

 private:
  void add(CUdeviceptr address);
  void download(Allocation& allocation);
  bool has_changed(const Allocation& allocation, const std::string& file) const;

  const Request& request_;
  std::string prefix_;
  std::vector<Allocation> allocations_;
  std::size_t saved_ = 0;                      // of these
  std::map<CUdeviceptr, CUdeviceptr> ranges_;  // begin and end of each
  std::set<CUdeviceptr> elsewhere_;            // pages of 2 MiB whose words point at nothing
  std::uint64_t total_ = 0;
};

}  // namespace tuner::capture
