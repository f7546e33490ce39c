#pragma once
// A study file: YAML in, a validated Study out. docs/study-file.md is the reference of the format.
// A file whose name ends in .json is read as T1 (t1_reader.h).

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/study.h"

namespace tuner {

struct StudyFile {
  Study study;
  std::vector<Complaint> warnings;               // what is allowed and probably not meant
  std::vector<std::filesystem::path> extends{};  // the studies that this one extends, also of these
};

// Whether the files that fill arguments, or hold right answers, have to be there and to fit. Where
// results of others are taken over, nobody reads them.
enum class DataFiles { kNeeded, kIgnored };

// How a file is read. `check` looks at a study once it was read whole, for example at its sizes;
// its complaints stand among those of the file.
struct StudyReading {
  DataFiles data = DataFiles::kNeeded;
  std::function<std::vector<Complaint>(const Study&)> check;
};

// Throws one InputError with every mistake of the file, in the file's order.
StudyFile parse_study_file(const std::filesystem::path& path, const StudyReading& how);

// Reads a T1 file, whatever its name ends in. Throws like parse_study_file().
StudyFile parse_t1_file(const std::filesystem::path& path, const StudyReading& how);

// Parses text as if it stood in the file `path`. Throws like parse_study_file().
StudyFile parse_study_text(const std::filesystem::path& path, const std::string& text,
                           const StudyReading& how);

// Has nothing compared of a T1 file whose answers are not to be compared (--no-verify). A study
// says that itself: InputError.
Study unverified_study(Study study);

// Makes a T1 file's right answer depend on these parameters (--per): one is computed for each
// combination of their values. InputError where there is no such parameter, and for a study, whose
// file contains that.
Study study_with_answers_per(Study study, const std::vector<std::string>& names);

// A file of configurations, as a source of 'search: advice'.
AdviceSource advice_file(const std::filesystem::path& file);

// The text of a study file, at most one byte more than the largest that is accepted. Line ends are
// made "\n", so that positions and messages need not care. Throws InputError with the reason.
std::string study_text(const std::filesystem::path& path);

}  // namespace tuner
