#pragma once
// The subcommands. Each returns an exit status (base/exit_status.h) or throws one of
// base/error.h's types.

#include "tuner/app/options.h"
#include "tuner/base/exit_status.h"

namespace tuner {

// A note for the user, one line on standard error.
void tell(const std::string& note);

// With the other ranks of a job where a launcher has started several.
int run_or_replay(const Words& words);
int replay_command(const RunOptions& options);
int try_command(const Words& words);
int check_command(const CheckOptions& options);
int results_command(const ResultsOptions& options);
int compare_command(const Words& words);
int report_command(const Words& words);
int export_command(const ExportOptions& options);
int import_command(const Words& words);
int verify_export_command(const VerifyOptions& options);
int init_command(const InitOptions& options);
int list_command(const ListOptions& options);
int cache_command(const CacheOptions& options);

}  // namespace tuner
