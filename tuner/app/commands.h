#pragma once
// The subcommands. Each returns an exit status (base/exit_status.h) or throws one of
// base/error.h's types.

#include "tuner/app/compare_options.h"
#include "tuner/app/import_options.h"
#include "tuner/app/options.h"
#include "tuner/app/report_options.h"
#include "tuner/app/try_options.h"
#include "tuner/base/exit_status.h"

namespace tuner {

int run_command(const RunOptions& options);
int replay_command(const RunOptions& options);
int try_command(const TryOptions& options);
int check_command(const CheckOptions& options);
int results_command(const ResultsOptions& options);
int compare_command(const CompareOptions& options);
int report_command(const ReportOptions& options);
int export_command(const ExportOptions& options);
int import_command(const ImportOptions& options);
int verify_export_command(const VerifyOptions& options);
int init_command(const InitOptions& options);
int list_command(const ListOptions& options);
int cache_command(const CacheOptions& options);

}  // namespace tuner
