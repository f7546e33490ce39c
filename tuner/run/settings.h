#pragma once
// What a run is to do, as plain data.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/exchange/recording.h"
#include "tuner/model/study.h"
#include "tuner/ports/strategy.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Hears what a user should know.
using Note = std::function<void(const std::string& text)>;

struct DeviceSettings {
  std::string backend = "auto";  // auto: the first that works, the cpu last
  OptionList backend_options{};  // which auto has none of
  Position where{};              // of the backend, in `text`
  std::string text{};
  std::vector<unsigned> numbers = {0};  // of its devices; empty: all
  double timeout = 60;                  // seconds for one configuration
  unsigned jobs = 1;                    // compile workers
};

// How configurations are chosen, and where results go. The study says for how long.
struct SearchSettings {
  // Throws InputError for options that the strategy does not accept. A run makes it of the study's.
  std::function<std::unique_ptr<Strategy>(const SearchSpace&)> make_strategy{};
  std::uint64_t seed = 1;
  bool fresh = false;      // what is stored of the sizes is not looked at any more
  bool counters = false;   // of finalists, though no metric of the study is one
  bool warm_start = true;  // the strategy hears of earlier results of other sizes and devices
  std::optional<Recording> warm_recording{};  // and of these
  std::filesystem::path results = "results";  // folder of the store and of the ranked CSV files
};

struct RunSettings {
  // With the sizes, constraints, strategy and budget of this run, whoever has named them.
  Study study;
  DeviceSettings devices{};
  SearchSettings search{};
  std::string strategy_text{};  // which has the positions of the strategy's options
  bool in_turn = false;         // one size after the other, on all devices of a model
  bool cross_sizes = false;     // each size's winner is measured at the other sizes too
};

}  // namespace tuner
