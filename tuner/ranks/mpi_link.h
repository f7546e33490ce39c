#pragma once
// The link that MPI makes, by way of a module that is loaded only where it is wanted.

#include <filesystem>
#include <memory>

#include "tuner/ranks/link.h"

namespace tuner {

// Joins the ranks of this job, on the thread that will use the link. Throws UnavailableError where
// the module cannot be loaded, or MPI cannot be started.
std::unique_ptr<RankLink> make_mpi_link(const std::filesystem::path& module);

}  // namespace tuner
