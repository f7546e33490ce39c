#pragma once
// The built-in export formats, in one table.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tuner/deploy/launcher.h"
#include "tuner/ports/exporter.h"

namespace tuner {

struct ExportSettings {
  std::size_t max_configurations = 0;  // of exported code: as in TableOptions
  double within = 0;
  std::string version;  // of this program
  // Digest that stands for the kernel's sources, and their text: only formats that hold code use
  // these.
  std::function<std::string(const Study&)> source_digest;
  std::function<LauncherSource(const Study&)> launcher_source;
  // Takes whole lines that the user should see beside the files.
  std::function<void(const std::string& lines)> note;
};

struct ExportFormat {
  std::string_view name;
  std::string_view summary;
  bool needs_one_result;  // of one device and size: write is given just that
  std::vector<ExportedFile> (*write)(const ExportSettings& settings, const Study& study,
                                     const std::vector<RankedResults>& results,
                                     const std::string& output);
};

// A study and what is exported of it.
struct ExportedStudy {
  Study study;
  std::vector<RankedResults> results;
};

// Launchers of several kernels, and one function over them (family.h): -o FOLDER/NAME is its header
// FOLDER/NAME.hpp, beside which the launchers lie. Throws InputError.
std::vector<ExportedFile> family_files(const ExportSettings& settings,
                                       const std::vector<ExportedStudy>& studies,
                                       const std::string& output);

// Lists the formats in the order in which users see them.
std::span<const ExportFormat> export_formats();

// Null: there is no built-in format of this name. Where one result is needed and there are several
// with a valid configuration, or none, write() throws InputError, which lists them.
std::unique_ptr<Exporter> make_exporter(std::string_view name, const ExportSettings& settings);

}  // namespace tuner
