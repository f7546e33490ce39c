#pragma once
// A .hpp/.cu pair that holds the winning variants' source and one function that picks and launches
// (docs/export-launcher.md).

#include <string>
#include <vector>

#include "tuner/codegen/header.h"
#include "tuner/codegen/launcher_variants.h"

namespace tuner {

// The kernel's source, its includes written out, without C linkage (source/source_bundle.h).
struct LauncherSource {
  std::string text;
  std::vector<std::string> headers;  // #include lines to go before any namespace
  std::vector<std::string> macros;   // that the text defines
  RelevantDefines relevant;
};

struct LauncherOptions {
  HeaderOptions header;
  std::string stem = "launcher";  // the files are <stem>.hpp and <stem>.cu
  LauncherSource source;
};

struct LauncherFiles {
  std::string header;
  std::string source;
};

// Throws InputError when there is nothing to export, and for studies that no compiled-in variant
// can serve: entry or options that depend on the problem size, the device or (options) the
// configuration.
LauncherFiles export_launcher(const Study& study, const std::vector<RankedResults>& results,
                              const LauncherOptions& options);

}  // namespace tuner
