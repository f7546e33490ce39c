#pragma once
// What a run is to do, as plain data.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

struct DeviceSettings {
  std::string backend = "auto";  // auto: the first that works, the cpu last
  OptionList backend_options{};  // which auto has none of
  Position where{};              // of the backend, in `text`
  std::string text{};
  std::vector<unsigned> numbers = {0};  // of its devices; empty: all
  double timeout = 60;                  // seconds for one configuration
  unsigned jobs = 1;                    // compile workers
};

struct RunSettings {
  // With the sizes, constraints, strategy and budget of this run, whoever has named them.
  Study study;
  DeviceSettings devices{};
  std::string strategy_text{};  // which has the positions of the strategy's options
  std::uint64_t seed = 1;
  std::filesystem::path results = "results";
  bool fresh = false;                      // forgets what is stored of the sizes
  bool in_turn = false;                    // one size after the other, on all devices of a model
  bool cross_sizes = false;                // each size's winner is measured at the other sizes too
  bool warm_start = true;                  // the strategy hears of earlier results of other places
  std::filesystem::path warm_recording{};  // and of this recording; empty: of none
};

}  // namespace tuner
