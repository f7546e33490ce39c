// Sums up records of launches.

#include "tuner/plugins/cuda/capture/watch.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "tuner/plugins/cuda/capture/driver_calls.h"

namespace tuner::capture {
namespace {

// The part of CUPTI's record of a launch that all of its versions since CUDA 11.6 begin with.
struct KernelRecord {
  CUpti_ActivityKind kind;
  std::uint8_t caches[2];
  std::uint16_t registers;
  std::uint32_t partitions[2];
  std::uint64_t start, end, completed;  // nanoseconds
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local[2];
  std::uint32_t correlation;
  std::int64_t id;
  const char* name;
};

struct Launches {
  std::uint64_t count = 0;
  std::uint64_t nanoseconds = 0;
  std::uint64_t least = ~std::uint64_t{0};

  void add(std::uint64_t time) {
    ++count;
    nanoseconds += time;
    least = std::min(least, time);
  }
};

struct Kernel {
  std::uint32_t registers = 0;
  std::int32_t static_shared = 0;
  std::map<Geometry, Launches> geometries;
};

class Table {
 public:
  void open(const Request& request) {
    pattern_ = request.kernel;
    path_ = request.folder + "/watched-" + std::to_string(getpid()) + ".json";
  }

  void add(const KernelRecord& record) {
    const std::lock_guard lock(mutex_);
    Kernel& kernel = kernels_[record.name != nullptr ? record.name : "?"];
    kernel.registers = record.registers;
    kernel.static_shared = record.static_shared;
    Geometry geometry{};
    std::copy_n(record.grid, 3, geometry.begin());
    std::copy_n(record.block, 3, geometry.begin() + 3);
    geometry[6] = static_cast<std::uint64_t>(std::max(record.dynamic_shared, 0));
    kernel.geometries[geometry].add(record.end - record.start);
    ++count_;
  }

  std::uint64_t count() const { return count_; }
  // Adds time during which launches were not recorded.
  void pass_over(std::chrono::steady_clock::duration time) {
    const std::lock_guard lock(mutex_);
    unwatched_ += time;
  }

  void write(bool is_last) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!is_last && now - written_ < std::chrono::seconds(1)) return;
    written_ = now;
    try {
      write_json(path_, described(now));
    } catch (const std::exception&) {
      // The application goes on without a table; the program says that there is none.
    }
  }

 private:
  nlohmann::json described(std::chrono::steady_clock::time_point now) const {
    const std::chrono::duration<double> all = now - begun_;
    const double watched = 1 - std::chrono::duration<double>(unwatched_) / all;
    nlohmann::json out{
        {"process", getpid()}, {"watched_share", watched}, {"kernels", nlohmann::json::array()}};
    for (const auto& [name, kernel] : kernels_) {
      if (!matches(pattern_, demangled(name.c_str()))) continue;
      nlohmann::json rows = nlohmann::json::array();
      for (const auto& [geometry, launches] : kernel.geometries) {
        rows.push_back({{"geometry", geometry},
                        {"launches", launches.count},
                        {"ms", static_cast<double>(launches.nanoseconds) / 1e6},
                        {"least_ms", static_cast<double>(launches.least) / 1e6}});
      }
      out["kernels"].push_back({{"mangled", name},
                                {"name", demangled(name.c_str())},
                                {"registers", kernel.registers},
                                {"static_shared_bytes", kernel.static_shared},
                                {"geometries", std::move(rows)}});
    }
    return out;
  }

  std::mutex mutex_;
  std::string path_, pattern_;
  std::map<std::string, Kernel> kernels_;
  std::atomic<std::uint64_t> count_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point written_ = begun_;
  std::chrono::steady_clock::duration unwatched_{};
};

// Never destroyed: records may come while the process ends.
Table& table() {
  static Table* const one = new Table;
  return *one;
}

std::atomic<bool> is_over = false;

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *most = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  try {
    static const auto next = TUNER_CUPTI_CALL(cuptiActivityGetNextRecord);
    CUpti_Activity* record = nullptr;
    while (next(buffer, valid, &record) == CUPTI_SUCCESS) {
      if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        table().add(*reinterpret_cast<const KernelRecord*>(record));
      }
    }
  } catch (const std::exception&) {
    // No room: the records that are left are lost.
  }
  std::free(buffer);
  table().write(false);
}

void write_last() {
  is_over = true;
  TUNER_CUPTI_CALL(cuptiActivityFlushAll)(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  table().write(true);
}

// A record costs a launch about a microsecond. Where launches follow each other so quickly that
// this would slow the application down, a tenth of the time is enough to know their shares.
void watch_now_and_then() {
  using std::chrono::milliseconds;
  constexpr milliseconds kLook{20}, kPause{180};
  constexpr std::uint64_t kMany = 400;  // records of one look: 20,000 a second
  constexpr std::uint64_t kAll = 2000;  // an application with few launches is watched as a whole
  const auto enable = TUNER_CUPTI_CALL(cuptiActivityEnable);
  const auto disable = TUNER_CUPTI_CALL(cuptiActivityDisable);
  const auto flush = TUNER_CUPTI_CALL(cuptiActivityFlushAll);
  while (!is_over) {
    const std::uint64_t before = table().count();
    std::this_thread::sleep_for(kLook);
    flush(0);
    const std::uint64_t now = table().count();
    if (now < kAll || now - before < kMany || is_over) continue;
    const auto begun = std::chrono::steady_clock::now();
    disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    std::this_thread::sleep_for(kPause);
    enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    table().pass_over(std::chrono::steady_clock::now() - begun);
  }
}

}  // namespace

void begin_watching(const Request& request) {
  table().open(request);
  must(TUNER_CUPTI_CALL(cuptiActivityRegisterCallbacks)(give_buffer, take_buffer),
       "cuptiActivityRegisterCallbacks");
  must(TUNER_CUPTI_CALL(cuptiActivityEnable)(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
       "cuptiActivityEnable");
  constexpr std::uint32_t kEach = 1000;  // milliseconds
  TUNER_CUPTI_CALL(cuptiActivityFlushPeriod)(kEach);
  std::atexit(write_last);
  std::thread(watch_now_and_then).detach();
}

}  // namespace tuner::capture
