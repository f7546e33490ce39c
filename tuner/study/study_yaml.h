#pragma once
// Studies written as YAML: those of T1 files, and spaces alone.

#include <filesystem>
#include <string>

#include "tuner/model/study.h"

namespace tuner {

// The study of a T1 file, or a space, as the text of a study file that read_study() reads back as
// the same study; what only YAML can say is left out. Paths are written relative to `folder`, where
// the file is going to be; each line of `remark` becomes a comment at the top.
std::string study_yaml(const Study& study, const std::filesystem::path& folder,
                       const std::string& remark = {});

}  // namespace tuner
