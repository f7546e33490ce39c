#pragma once
// Ranked CSV files read without their study: names and values are what the files say.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"

namespace tuner {

struct LooseRanking {
  std::filesystem::path file;
  std::string kernel;  // as the folders are called: <kernel>/<device>/<size>.csv
  std::vector<std::string> parameters;
  RankedResults ranked;     // trials in the file's order, which is their index
  bool told_apart = false;  // whether the file says which figures are a final's
};

// The rankings among csv_files(); other CSV files are passed over. The device is that of
// device.json beside a file; without one it is "not recorded". Throws InputError where there is
// none, and for a file that is not as `tuner run` writes it.
std::vector<LooseRanking> read_loose_rankings(const std::filesystem::path& from);

}  // namespace tuner
