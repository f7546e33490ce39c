#pragma once
// Rankings from the CSV files that `tuner run` left, where the store itself is not at hand.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/run/stored_results.h"

namespace tuner {

inline constexpr const char* kDeviceFile = "device.json";  // beside the CSV files of a device

// Writes the device's facts beside its CSV files, unless they are there already.
void write_device_file(const std::filesystem::path& folder, const DeviceFacts& device);

// A file, or all .csv files under a folder, in the order of their names. A row whose values are no
// longer the study's is left out, with a word about it in `notes`. A file does not say what was
// tuned but for names: whether the source has changed since cannot be known. Throws InputError for
// files of another study, and where device.json is missing.
std::vector<RankedResults> recorded_csv(const std::filesystem::path& from, const Study& study,
                                        const ResultFilter& filter,
                                        std::vector<std::string>& notes);

// Fields of a CSV text after RFC 4180, row by row.
std::vector<std::vector<std::string>> csv_fields(const std::string& text);

}  // namespace tuner
