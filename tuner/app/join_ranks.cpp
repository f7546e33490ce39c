// Finds the other ranks of a job.

#include "tuner/app/join_ranks.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/ranks/link.h"
#include "tuner/worker/plugins.h"

#ifndef TUNER_VERSION
#define TUNER_VERSION "unknown"
#endif

namespace tuner {
namespace {

RankProgram this_program() {
  return {executable_path(), [](const std::vector<std::string>& plugin_dirs) {
            return facts_here(TUNER_VERSION, load_plugins(plugin_dirs));
          }};
}

// Of several that cannot reach each other, the first one says why.
JoinedRanks alone(const LaunchedJob& launched, const std::string& why) {
  if (launched.rank > 0) return {nullptr, true};
  throw UnavailableError("started as " + std::to_string(launched.count) + " ranks, " + why);
}

}  // namespace

JoinedRanks join_ranks() {
  const auto launched = launched_job([](const char* name) { return std::getenv(name); });
  if (!launched) return {};
  const auto module =
      std::filesystem::path(executable_path()).parent_path() / "../lib/tuner/tuner-mpi.so";
  std::error_code unreadable;
  if (!std::filesystem::exists(module, unreadable)) {
    return alone(*launched,
                 "but this build has no MPI: build it where libopenmpi-dev is installed, or start "
                 "one process");
  }
  auto job = std::make_unique<RankJob>([&] { return make_mpi_link(module); }, this_program());
  if (job->count() > 1) return {std::move(job), false};
  return alone(*launched,
               "but its MPI does not know of the others: start it by the mpirun of that MPI, or "
               "with srun --mpi=pmix");
}

}  // namespace tuner
