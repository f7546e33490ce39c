#pragma once
// Recordings from wherever they are: a file of another tuner, or a context of a store.

#include <filesystem>
#include <string>

#include "tuner/exchange/recording.h"
#include "tuner/store/store.h"

namespace tuner {

// What read_recording() takes, or a results directory or its database, with "#kernel/device/size"
// ("results#matmul/nvidia-h200/M1024_N1024") where it holds more than one context. Of several
// contexts with that name (another driver, another source) one that was measured goes before
// imported ones, one in the usual order of threads before others, then the one with the newest
// trial is taken, and a note says so. Throws InputError with the list of contexts when `path` does
// not pick one.
Recording read_any_recording(const std::filesystem::path& path, const std::string& objective = {});

// The trials of a context. Empty when it holds no readable trials. Dropped trials count as
// measured, with their estimate. Without an objective it is that of the study that measured, and
// the best entry is the one that ranks first: see beside_best().
Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective = {});

}  // namespace tuner
