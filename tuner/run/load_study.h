#pragma once
// A study that is to be run, as a command line wants it.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

// Reads it; `note` is told every warning. Sizes, such as "M=1024,N=1024", replace the study's.
// Throws InputError, also for a study that has only what `check` needs.
Study load_study(const std::string& file, const std::vector<std::string>& sizes,
                 const std::function<void(const std::string&)>& note);

// The study with another source of its kernel. The reference stays the study's own, so that no
// kernel is compared with what came with it.
Study with_source(Study study, const std::filesystem::path& source);

}  // namespace tuner
