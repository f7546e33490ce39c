#pragma once

#include <filesystem>
#include <string>

#include "tuner/store/recording.h"
#include "tuner/store/store.h"

namespace tuner {

// Whether `path` (without "#...") is a results directory or its database.
bool is_store(const std::filesystem::path& path);

// The trials of one context of a results directory as a recording. `which` names the context as
// kernel/device/size, "matmul/nvidia-h200/M1024_N1024"; it may be empty where there is only one. Of
// several contexts with that name (another driver, another source) the one with the newest trial is
// taken and a note says so. Dropped trials count as measured, with their estimate. Throws
// InputError with the list of contexts when `which` does not pick one.
Recording store_recording(const std::filesystem::path& path, const std::string& which,
                          const std::string& objective = "time");

// The same for a context that is at hand. Empty when it holds no readable trials.
Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective = "time");

}  // namespace tuner
