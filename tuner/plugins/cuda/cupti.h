#pragma once
// The part of CUPTI that counters need, declared here: its headers are not part of every toolkit.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {

// ---- parameters of its functions ----------------------------------------------------------------

// Each begins so; `size` says which of the members there are.
struct CuptiHead {
  std::size_t size = 0;
  void* reserved = nullptr;
};
struct CuptiNothing : CuptiHead {};
struct CuptiObject : CuptiHead {  // a range profiler, or what plans
  void* object = nullptr;
};
struct CuptiChip : CuptiHead {
  std::size_t device = 0;
  const char* name = nullptr;
};
struct CuptiAvailability : CuptiHead {
  CUcontext context = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct CuptiPlanner : CuptiHead {
  int kind = 0;  // the range profiler's
  const char* chip = nullptr;
  const std::uint8_t* available = nullptr;
  void* object = nullptr;
};
struct CuptiBaseNames : CuptiHead {
  void* planner = nullptr;
  int kind = 0;  // a counter, a ratio, a throughput
  const char** names = nullptr;
  std::size_t count = 0;
};
struct CuptiProperties : CuptiHead {
  void* planner = nullptr;
  const char* name = nullptr;
  const char* description = nullptr;
  const char* unit_of_hardware = nullptr;
  const char* unit = nullptr;
  int kind = 0;
};
struct CuptiNames : CuptiHead {
  void* planner = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};
struct CuptiPlanSize : CuptiHead {
  void* planner = nullptr;
  std::size_t bytes = 0;
};
struct CuptiPlanImage : CuptiHead {
  void* planner = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct CuptiPasses : CuptiHead {
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;
};
struct CuptiEnable : CuptiHead {
  CUcontext context = nullptr;
  void* profiler = nullptr;
};
struct CuptiDataSize : CuptiHead {
  void* profiler = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t ranges = 0;
  std::uint32_t nodes = 0;
  std::size_t bytes = 0;
};
struct CuptiData : CuptiHead {
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};
struct CuptiConfig : CuptiHead {
  void* profiler = nullptr;
  std::size_t image_bytes = 0;
  const std::uint8_t* image = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = 0;
  int replay = 0;
  std::size_t ranges = 0;
  std::uint16_t levels = 0;
  std::uint16_t first_level = 0;
  std::size_t pass = 0;
  std::uint16_t level = 0;
};
struct CuptiStop : CuptiHead {
  void* profiler = nullptr;
  std::size_t pass = 0;
  std::size_t level = 0;
  std::uint8_t all_submitted = 0;
};
struct CuptiPush : CuptiHead {
  void* profiler = nullptr;
  const char* name = nullptr;
};
struct CuptiDecode : CuptiHead {
  void* profiler = nullptr;
  std::size_t dropped = 0;
};
struct CuptiValues : CuptiHead {
  void* planner = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

inline constexpr int kCuptiUserRange = 2;
inline constexpr int kCuptiUserReplay = 3;
inline constexpr int kCuptiKinds = 3;  // of counters

// ---- its functions ------------------------------------------------------------------------------

class Cupti {
 public:
  explicit Cupti(DynamicLibrary library) : library_(std::move(library)) {}

  // CUPTI's own status, 0 for success.
  template <typename Parameters>
  int call(const char* function, Parameters& parameters) const {
    const auto it = reinterpret_cast<int (*)(Parameters*)>(library_.require(function));
    parameters.size = used_bytes(parameters);
    return it(&parameters);
  }
  // Throws sdk::Error: what the status means for who wants counters.
  template <typename Parameters>
  void must(const char* function, Parameters& parameters) const {
    if (const int status = call(function, parameters); status != 0) fail(function, status);
  }

 private:
  // Returns the bytes up to the end of the last member; padding behind it does not count.
  template <typename Parameters>
  static std::size_t used_bytes(const Parameters&) {
    return sizeof(Parameters);
  }
  static std::size_t used_bytes(const CuptiConfig& of) {
    return used_until(of, of.level) + sizeof of.level;
  }
  static std::size_t used_bytes(const CuptiStop& of) {
    return used_until(of, of.all_submitted) + sizeof of.all_submitted;
  }
  static std::size_t used_bytes(const CuptiProperties& of) {
    return used_until(of, of.kind) + sizeof of.kind;
  }
  template <typename Parameters, typename Member>
  static std::size_t used_until(const Parameters& of, const Member& member) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&member) -
                                    reinterpret_cast<const char*>(&of));
  }
  [[noreturn]] void fail(const char* function, int status) const;

  DynamicLibrary library_;
};

}  // namespace tuner::cuda
