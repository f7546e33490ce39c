#pragma once
// A store's context as a recording.

#include <filesystem>
#include <string>

#include "tuner/store/recording.h"
#include "tuner/store/store.h"

namespace tuner {

// Whether `path` (without "#...") is a results directory or its database.
bool is_store(const std::filesystem::path& path);

// The trials of one context of a results directory as a recording. `which` names the context as
// kernel/device/size, "matmul/nvidia-h200/M1024_N1024"; it may be empty where there is only one. Of
// several contexts with that name (another driver, another source) one that was measured before
// imported ones, in the usual order of threads before others, then the one with the newest trial is
// taken, and a note says so. Dropped trials count as measured, with their estimate. Without an
// objective it is that of the study that measured, and the best entry is the one that ranks first:
// see beside_best(). Throws InputError with the list of contexts when `which` does not pick one.
Recording store_recording(const std::filesystem::path& path, const std::string& which,
                          const std::string& objective = {});

// The same for a context that is at hand. Empty when it holds no readable trials.
Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective = {});

// Which of two contexts of one kernel, device and size answers for it: whether `b` goes before `a`.
bool goes_before(const StoredContext& a, const StoredContext& b);

}  // namespace tuner
