#pragma once
// Captures launches of one kernel: everything that they need, before and after.

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tuner/plugins/cuda/capture/image.h"
#include "tuner/plugins/cuda/capture/request.h"
#include "tuner/plugins/cuda/capture/snapshot.h"

namespace tuner::capture {

// A launch as the driver is asked for it, whichever call asks.
struct Launch {
  CUfunction function = nullptr;  // or a CUkernel
  const char* mangled = nullptr;
  Geometry geometry{};
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;  // instead of parameters: a buffer with all of them
  std::vector<CUlaunchAttribute> attributes{};
};

struct PendingLaunch;

class Recorder {
 public:
  explicit Recorder(const Request& request) : request_(request) {}

  // Keeps the image of a module that is loaded, if it holds the kernel.
  void take_module(const char* bytes, std::size_t count);
  // Keeps the address of memory that was allocated; freed memory is none when it is looked at.
  void take_allocation(CUdeviceptr address);
  // Around each launch, on the thread that launches. These do not throw: what goes wrong is
  // written down, and the application goes on.
  void before(const Launch& launch);
  void after(CUresult launched);
  // Whether nothing is left to wait for.
  bool is_done() const { return is_complete_; }

 private:
  bool is_due(const Launch& launch, const std::string& name);
  void begin(const Launch& launch, const std::string& name);
  void end(PendingLaunch& pending, CUresult launched);
  void note(const std::string& name, const std::string& why);
  void finish();
  const Image& image_with(const std::string& mangled) const;

  const Request& request_;
  std::recursive_mutex mutex_;  // a call of ours may load a module
  // A lock of their own, held over no call of the driver: modules are loaded below its locks.
  mutable std::mutex images_mutex_;
  std::list<Image> images_;                   // stay where they are
  std::set<CUdeviceptr> allocated_;           // where all memory is asked for
  std::map<std::string, std::string> names_;  // demangled; empty: not the one
  std::uint64_t seen_ = 0;
  std::vector<bool> done_ = std::vector<bool>(std::max<std::size_t>(1, request_.geometries.size()));
  std::atomic<bool> is_complete_ = false;
  int begun_ = 0;    // captures
  int pending_ = 0;  // of these, on any thread
};

}  // namespace tuner::capture
