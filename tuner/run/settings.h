#pragma once
// What a run is to do, as plain data.

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

struct DeviceSettings {
  std::string backend = "auto";         // auto: the first that works, the cpu last
  std::vector<unsigned> numbers = {0};  // of its devices; empty: all
  double timeout = 60;                  // seconds for one configuration
  unsigned jobs = 1;                    // compile workers
  bool in_random_order = false;         // of blocks and threads, where the backend can
};

struct RunSettings {
  Study study;  // with the sizes and constraints of this run
  DeviceSettings devices{};
  std::string strategy = "default";
  std::vector<std::pair<std::string, std::string>> strategy_options{};
  Budget budget{};  // for each size on each device
  std::uint64_t seed = 1;
  std::filesystem::path results = "results";
  bool fresh = false;                      // forgets what is stored of the sizes
  bool cross_sizes = false;                // each size's winner is measured at the other sizes too
  bool warm_start = true;                  // the strategy hears of earlier results of other places
  std::filesystem::path warm_recording{};  // and of this recording; empty: of none
};

}  // namespace tuner
