#pragma once
// A study file: YAML in, a validated Study out. docs/study-file.md is the reference of the format.
// A file whose name ends in .json is read as T1 (t1_reader.h).

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/study.h"

namespace tuner {

struct StudyFile {
  Study study;
  std::vector<Complaint> warnings;  // what is allowed and probably not meant
};

// Throws one InputError with every mistake of the file, in the file's order.
StudyFile read_study_file(const std::filesystem::path& path);

// The same for those who do not care for warnings.
Study read_study(const std::filesystem::path& path);

// The same of a T1 file whose answers are not to be compared (--no-verify). A study says that
// itself: InputError.
Study unverified_study(Study study);

// The text of a study file, at most one byte more than the largest that is accepted. Line ends are
// made "\n", so that positions and messages need not care. Throws InputError with the reason.
std::string study_text(const std::filesystem::path& path);

}  // namespace tuner
