#pragma once
// The programs that an exported launcher holds: which there are, and which configuration has which.

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/deploy/tuned_table.h"
#include "tuner/model/artifact.h"

namespace tuner {

struct LauncherVariant {
  std::vector<std::pair<std::string, std::string>> defines;
  std::string entry;
  std::vector<std::pair<std::size_t, std::string>> then;  // place in study.then, entry
  friend bool operator==(const LauncherVariant&, const LauncherVariant&) = default;
};

// A variant of a kernel that is compiled for a size.
struct SizedVariant {
  std::size_t configuration = 0;
  ProblemSize size;
  std::size_t variant = 0;
};

struct LauncherVariants {
  std::vector<LauncherVariant> all;
  std::vector<std::size_t> of_configuration;  // where the size does not matter
  std::vector<SizedVariant> of_size;          // else: what is selected at the sizes of the table
  std::vector<std::string> options;           // of the compiler, the same for all
  std::string architecture;                   // that serves them all: "sm_90a" before "sm_90"
};

// Names of the definitions that the sources mention: variants that differ in others only are one.
// Empty: all.
using RelevantDefines = std::function<std::set<std::string>(const CompileRequest&)>;

// Throws InputError for studies whose programs depend on more than the configuration.
LauncherVariants launcher_variants(const Study& study, const TunedTable& table,
                                   const RelevantDefines& relevant_to);

// Throws InputError for what only the study's own author can launch.
void refuse_what_no_launcher_has(const Study& study);
[[noreturn]] void reject_export(const Study& study, const std::string& message);

}  // namespace tuner
