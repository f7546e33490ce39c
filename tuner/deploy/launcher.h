#pragma once
// Three files: the function that picks a variant and launches it, declared (.hpp) and defined with
// the variants (.cu), and the kernel's source, which is there once (.inl; docs/export-launcher.md).

#include <string>
#include <vector>

#include "tuner/deploy/header.h"
#include "tuner/deploy/launcher_variants.h"

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
  std::string stem = "launcher";  // the files are <stem>.hpp, .cu and .inl
  LauncherSource source;
};

struct LauncherFiles {
  std::string header;
  std::string source;
  std::string text;       // of the kernel
  bool is_sized = false;  // the kernel is compiled for each size that was tuned
};

// `table` is exported_table() of the study. Throws InputError for studies that no compiled-in
// variant can serve: an entry that depends on the device, options that do or that depend on
// anything else.
LauncherFiles export_launcher(const Study& study, const TunedTable& table,
                              const LauncherOptions& options);

// Exports a kernel in OpenCL: one header that holds the variants' source as well (docs/opencl.md).
// Throws InputError as export_launcher() does, and for studies that no such header can serve.
std::string export_opencl_launcher(const Study& study, const TunedTable& table,
                                   const LauncherOptions& options);

}  // namespace tuner
