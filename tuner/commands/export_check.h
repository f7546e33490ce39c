#pragma once
// What an exported file selects, run on a device of this machine.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/choice/selection.h"
#include "tuner/results/table_text.h"
#include "tuner/run/devices.h"
#include "tuner/run/sources.h"

namespace tuner {

struct ExportedChoices {
  ExportedTable exported;
  bool sources_changed = false;  // since it was written
};

// The table in an exported header or launcher. Throws InputError when it is not one of this study.
ExportedChoices read_exported(const std::filesystem::path& file, const Study& study,
                              const SourceTexts& sources);

// At which sizes an export is checked.
struct CheckedSizes {
  std::vector<std::string> named;  // "M=1024,N=1024"
  std::uint64_t random = 0;        // so many more, drawn
  std::uint64_t seed = 1;
  std::int64_t largest = 0;  // extent of a drawn one; 0 = as the study's domain or the table says
};

// The named and the drawn ones, those that were tuned where there are none. Drawn of the study's
// domain, where it has one; else around what was tuned. Throws InputError.
std::vector<ProblemSize> sizes_to_check(const CheckedSizes& wanted, const Study& study,
                                        const TunedTable& table);

// What the export selects for a size, and what came of it.
struct CheckedSelection {
  ProblemSize size;
  Selection chosen;
  Configuration configuration;  // empty: none of the export is valid here
  std::optional<Trial> trial;   // empty: likewise
};

struct CheckListener {
  std::function<void(const DeviceFacts& device, const std::string& backend)> begin;
  std::function<void(const CheckedSelection&)> size;
  std::function<void(const std::string&)> note;
};

// Compiles, verifies and measures what is selected for each size, as a run does, on the first
// device, which is free again when this returns; ends early when it is interrupted. Throws
// UnavailableError when no device is to be had.
void check_export(const DeviceSettings& settings, const Study& study, const TunedTable& table,
                  const std::vector<ProblemSize>& sizes, const WorkerProgram& program,
                  const Catalogue& catalogue, const Interrupt& interrupt,
                  const CheckListener& tell);

}  // namespace tuner
