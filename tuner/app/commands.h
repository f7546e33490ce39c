#pragma once
// The subcommands. Each returns an exit status (below) or throws one of base/error.h's types.

#include "tuner/app/compare_options.h"
#include "tuner/app/import_options.h"
#include "tuner/app/options.h"
#include "tuner/app/report_options.h"

namespace tuner {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNothingValid = 1;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitUnavailable = 3;
inline constexpr int kExitInterrupted = 130;

int run_command(const RunOptions& options);
int replay_command(const RunOptions& options);
int check_command(const CheckOptions& options);
int results_command(const ResultsOptions& options);
int compare_command(const CompareOptions& options);
int report_command(const ReportOptions& options);
int export_command(const ExportOptions& options);
int import_command(const ImportOptions& options);
int verify_export_command(const VerifyOptions& options);
int list_command(const ListOptions& options);
int cache_command(const CacheOptions& options);

}  // namespace tuner
