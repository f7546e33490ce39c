#pragma once
// Files of others as trials for the store.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/bench/settings.h"
#include "tuner/files/recording.h"
#include "tuner/model/study.h"
#include "tuner/store/merge.h"

namespace tuner {

// Names that the user gives to results of others, where a file or a study does not.
struct ImportAs {
  std::string kernel;
  std::string device;
  std::string size;       // "M=1024,N=1024"
  bool maximize = false;  // without a study: more of the objective is better
};

enum class ImportKind { kStore, kCsv, kT1, kRecording };

// Finds the kind of a file or folder. A folder of CSV files can only be read with a study. Throws
// InputError.
ImportKind import_kind(const std::filesystem::path& path, bool with_study);

// Reads the results of a recording, by `objective`; empty = the study's, else the file's. Throws
// InputError when kernel, device or size are named nowhere or do not fit, or when no valid result
// has the objective.
TrialBatch read_batch(const std::filesystem::path& path, const ImportAs& as,
                      const std::string& objective, const Study* study, const Note& tell);

// Finds the size that the user names ("M=1024,N=1024"; empty: none), else the one of the study's
// that the recording's own agrees with, else, where the recording has none, the study's only one.
// Extents without names are compared with the dimensions that the grid's axes depend on. `tell`
// gets notes on dimensions that the recording does not name. Throws InputError where they
// contradict each other, and where the user has to name what cannot be known.
ProblemSize size_of(const Recording& recording, const std::string& named, const Study* study,
                    const Note& tell);

}  // namespace tuner
