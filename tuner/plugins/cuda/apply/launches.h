#pragma once
// Launches of the application: each is made as it was, or as the tuned variant that tuner names
// for it. What was answered is kept, so that the next launch like it asks nobody.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/plugins/cuda/apply/conversation.h"
#include "tuner/plugins/cuda/apply/driver.h"
#include "tuner/plugins/cuda/apply/kernels.h"
#include "tuner/plugins/cuda/apply/timer.h"

namespace tuner::apply {

// Grid, block and dynamic shared bytes.
using Geometry = std::array<unsigned, 7>;

// A launch as the application asks for it.
struct Launch {
  CUfunction kernel = nullptr;
  Geometry geometry{};
  CUstream stream = nullptr;
  void** parameters = nullptr;  // else `extra` has them in one piece
  void** extra = nullptr;
  const CUlaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
  bool is_cooperative = false;
};

// Counts of launches that are alike, as they are reported.
struct Row {
  nlohmann::json what;  // "kernel", "geometry", "answer" or "reason"
  std::atomic<std::uint64_t> launches = 0, replaced = 0, recorded = 0;
  std::string refusal;  // why the driver did not take the variant; guarded by the timer's mutex
  Times times;
};

// How launches that are alike are made.
struct Plan {
  Row* row = nullptr;
  const Kernel* kernel = nullptr;
  CUcontext context = nullptr;
  CUfunction tuned = nullptr;  // null: as they were
  Geometry geometry{};
  std::vector<CUlaunchAttribute> attributes;
  std::vector<std::pair<unsigned, std::string>> scalars;  // of the variant, by parameter
  std::atomic<bool> is_refused = false;
};

class Launches {
 public:
  // Makes the launch in the current context; `as_it_was` is what the application has asked for.
  // Never throws.
  template <typename AsItWas>
  CUresult make(const Launch& launch, const AsItWas& as_it_was) noexcept {
    Plan* const plan = plan_for(launch);
    if (plan == nullptr) return as_it_was();
    const Watch watch(*this, *plan, launch);
    if (plan->tuned != nullptr && !plan->is_refused) {
      if (make_tuned(*plan, launch)) return CUDA_SUCCESS;
    }
    return as_it_was();
  }

  // A kernel that is launched in a way that this does not replace.
  void leave(CUfunction kernel, const char* reason) noexcept;
  void greet() noexcept { tuner_.greet(); }
  void forget_handles() noexcept { kernels_.forget_handles(); }
  // Modules and events of contexts are gone.
  void forget_contexts() noexcept;
  // Tells what became of the launches so far.
  void report(bool is_last) noexcept;

 private:
  // Times a launch while it is made, if it is one of those, and counts it.
  class Watch {
   public:
    Watch(Launches& all, Plan& plan, const Launch& launch);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Launches& all_;
    Plan& plan_;
    CUstream stream_;
    EventPair pair_;
    unsigned weight_ = 0;
    bool is_due_ = false;
  };

  Plan* plan_for(const Launch& launch) noexcept;
  Plan* new_plan(const Kernel& kernel, const Launch& launch, CUcontext context);
  void choose(Plan& plan, const Launch& launch);
  CUfunction load(CUcontext context, const nlohmann::json& answer);
  Row& row_of(nlohmann::json what);
  bool make_tuned(Plan& plan, const Launch& launch) noexcept;
  bool is_report_due(std::uint64_t launches);
  void keep_trouble(const char* what) noexcept;

  Conversation tuner_;
  Kernels kernels_{tuner_};
  Timer timer_;
  std::shared_mutex mutex_;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Plan*, TextHash, std::equal_to<>> known_;
  std::deque<Plan> plans_;           // kept: another thread may be at one
  std::map<std::string, Row> rows_;  // likewise, by what they are about
  std::map<std::string, CUfunction> loaded_;
  std::string trouble_;  // the first reason why a launch could not be looked at
  std::atomic<std::int64_t> last_report_ = 0;  // seconds
};

// Never destroyed: launches may come while the process ends.
Launches& launches();

}  // namespace tuner::apply
