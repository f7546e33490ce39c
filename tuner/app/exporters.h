#pragma once
// Export formats: the built-in ones, and those of plugins.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/app/options.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

struct ExportedFile {
  std::string path;  // "-": standard output
  std::string text;
};

using ExportFunction =
    std::function<std::vector<ExportedFile>(const Study&, const std::vector<RankedResults>&)>;

// Names and summaries of the built-in formats.
const std::vector<std::pair<std::string, std::string>>& builtin_formats();

// Throws InputError for a format that is not known, with the nearest.
ExportFunction find_exporter(const ExportOptions& options, const Catalogue& catalogue);

}  // namespace tuner
