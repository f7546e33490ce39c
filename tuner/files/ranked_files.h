#pragma once
// The files that `tuner run` leaves beside its store: a ranked CSV for each size, and device.json
// for the device that they are of.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

struct CsvFile {
  std::filesystem::path path;  // of an archive's file: as if the archive were a folder
  std::string text;
  std::optional<DeviceFacts> device;  // of the device.json beside it, where there is one
};

// `from`, or where it is a folder or a tar archive all .csv files in it, in the order of their
// names. A file may be gzipped. Throws InputError where there is none.
std::vector<CsvFile> csv_files(const std::filesystem::path& from);

// <results>/<kernel>/<device>/<size>.csv, each part made safe as a file name.
std::filesystem::path ranked_csv_path(const std::filesystem::path& results,
                                      const std::string& kernel, const DeviceFacts& device,
                                      const ProblemSize& size);

// Writes the file at its place, whole or not at all. Throws FatalError.
std::filesystem::path write_ranked_csv(const std::filesystem::path& results,
                                       const std::string& kernel, const RankedResults& ranked,
                                       std::span<const std::string> parameters);

// Prints a device's facts as the results' JSON names them, and reads them back; whatever is missing
// keeps its default. `file` is for messages. Throws InputError.
std::string device_json(const DeviceFacts& device);
DeviceFacts device_from_json(const std::string& text, const std::string& file);

// Writes the device's facts beside its CSV files, unless they are there already.
void write_device_file(const std::filesystem::path& folder, const DeviceFacts& device);

// The rankings of csv_files(), as read_ranked_csv() reads them. A file does not say what was tuned
// but for names: whether the source has changed since cannot be known. Throws InputError for files
// of another study, and where device.json is missing.
std::vector<RankedResults> read_ranked_files(const std::filesystem::path& from, const Study& study,
                                             std::vector<std::string>& notes);

struct LooseRanking {
  std::string kernel;  // as the folders are called: <kernel>/<device>/<size>.csv
  std::vector<std::string> parameters;
  RankedResults ranked;
  ObjectiveSpec objective;  // "time", or the first metric of a file without times
};

// The rankings among csv_files(), without a study; other CSV files are passed over. The device is
// that of device.json beside a file; without one it is "not recorded". Throws InputError where
// there is none, and for a file that is not as `tuner run` writes it.
std::vector<LooseRanking> read_loose_rankings(const std::filesystem::path& from);

}  // namespace tuner
