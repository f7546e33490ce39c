#pragma once
// Studies written as YAML.

#include <filesystem>
#include <string>

#include "tuner/model/study.h"

namespace tuner {

// A study as the text of a study file that read_study() reads back as the same study. Paths are
// written relative to `folder`, where the file is going to be; each line of `remark` becomes a
// comment at the top.
std::string study_yaml(const Study& study, const std::filesystem::path& folder,
                       const std::string& remark = {});

}  // namespace tuner
