#pragma once
// The subcommands, a file each, and what most of them need. Each returns an exit status
// (base/error.h) or throws one of base/error.h's types.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/commands/options.h"
#include "tuner/worker/plugins.h"

namespace tuner {

// The whole program; returns its exit status.
int run_program(int argc, char** argv);

// A note for the user, one line on standard error.
void tell(const std::string& note);

// With the other ranks of a job where a launcher has started several.
int run_or_replay(const Strings& words);
int replay_command(const RunOptions& options);
int try_command(const Strings& words);
int check_command(const Strings& words);
int results_command(const Strings& words);
int compare_command(const Strings& words);
int gate_command(const Strings& words);
int judge_command(const Strings& words);
// The process that `tuner judge` starts, so that the next verdict finds everything ready. Words:
// where it serves, how many seconds it stays without a request, and plugin folders.
int judge_server(const Strings& words);
int mcp_command(const Strings& words);
int report_command(const Strings& words);
int export_command(const Strings& words);
int import_command(const Strings& words);
int verify_export_command(const Strings& words);
int init_command(const Strings& words);
int list_command(const Strings& words);
int cache_command(const Strings& words);
int capture_command(const Strings& words);
int replay_launch_command(const Strings& words);
int apply_command(const Strings& words);

// The command that shows the results that a user looks at, as they named them, or all failures of
// these. Instead of the study it may be a folder.
std::string results_call(const StudyOptions& named, const std::string& results,
                         const ResultFilter& filter = {});
std::string failures_command(const StudyOptions& named, const std::string& results,
                             const ResultFilter& filter = {});

struct ExportOptions : StudyOptions {
  Strings others;  // studies of one family with `study`
  std::string format = "header";
  std::string output = "-";
  std::string results = "results";
  ResultFilter filter;
  std::size_t max_configs = 0;  // 0 = as many as there are winners
  double within = 0;            // 0.05 = each size may lose 5 %
  std::string from;             // ranked CSV files instead of the store
  Strings also;                 // results of other machines with the same device
  bool force = false;           // whatever file has the output's name is replaced
  bool evaluate = false;
  Strings plugin_dirs;
};

// Loads the results of each device and size that a plain run would go on with. Results that an edit
// has made stale are left out; a note reports them, and imported results.
std::vector<RankedResults> results_to_export(const std::filesystem::path& folder,
                                             const Study& study, const ResultFilter& filter);

// Collects what `tuner export` exports: of the store, or of ranked CSV files. Throws InputError
// where there is nothing.
std::vector<RankedResults> exported_results(const ExportOptions& options, const Study& study);

// Exports results as `tuner export` does, for verify-export, which writes an export anew.
int export_results(const ExportOptions& options);

}  // namespace tuner
