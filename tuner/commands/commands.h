#pragma once
// The subcommands, a file each. Each returns an exit status (base/error.h) or throws one of
// base/error.h's types.

#include "tuner/base/error.h"
#include "tuner/commands/options.h"
#include "tuner/run/stored_results.h"

namespace tuner {

// The whole program; returns its exit status.
int run_program(int argc, char** argv);

// A note for the user, one line on standard error.
void tell(const std::string& note);

// With the other ranks of a job where a launcher has started several.
int run_or_replay(const Words& words);
int replay_command(const RunOptions& options);
int try_command(const Words& words);
int check_command(const Words& words);
int results_command(const Words& words);
int compare_command(const Words& words);
int gate_command(const Words& words);
int judge_command(const Words& words);
// The process that `tuner judge` starts, so that the next verdict finds everything ready. Words:
// where it serves, how many seconds it stays without a request, and plugin folders.
int judge_server(const Words& words);
int report_command(const Words& words);
int export_command(const Words& words);
int import_command(const Words& words);
int verify_export_command(const Words& words);
int init_command(const Words& words);
int list_command(const Words& words);
int cache_command(const Words& words);

// The results that a user looks at, as they named them; empty: not named.
struct NamedResults {
  std::string target;   // the study, or a folder
  std::string results;  // the folder, where it is not the usual one
  std::string size;
  std::string device;
  bool no_verify = false;
  std::vector<std::string> per{};
};

// What shows all failures of these.
std::string failures_command(const NamedResults& named);

struct ExportOptions {
  std::string study;
  bool no_verify = false;  // of a T1 file, as RunOptions has them
  Words per;
  std::string format = "header";
  std::string output;
  std::string results = "results";
  std::string device;
  std::string size;
  std::size_t max_configs = 0;  // 0 = as many as there are winners
  double within = 0;            // 0.05 = each size may lose 5 %
  std::string from;             // ranked CSV files instead of the store
  Words also;                   // results of other machines with the same device
  bool force = false;           // whatever file has the output's name is replaced
  bool evaluate = false;
  Words plugin_dirs;
};

// Of each device and size what a plain run would go on with. What an edit has made stale stays out;
// `tell` is told of it, and of imported results.
std::vector<RankedResults> results_to_export(const std::filesystem::path& folder,
                                             const Study& study, const ResultFilter& filter,
                                             const std::function<void(const std::string&)>& tell);

// As `tuner export` does it: for verify-export, which writes an export anew.
int export_results(const ExportOptions& options);

}  // namespace tuner
