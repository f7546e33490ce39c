#pragma once
// One self-contained C++17 header that knows which configuration to use (docs/export-header.md).

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/exporters/tuned_table.h"
#include "tuner/ports/exporter.h"

namespace tuner {

struct HeaderOptions {
  TableOptions table;
  std::string source_text;          // of the kernel: its hash goes into the header
  std::string generator = "tuner";  // name and version, for the first line
};

// Throws InputError when there is nothing to export.
std::string export_header(const Study& study, const std::vector<RankedResults>& results,
                          const HeaderOptions& options = {});

// What each size loses in a reduced table, one line each, for the user.
std::string loss_report(const TunedTable& table);

}  // namespace tuner
