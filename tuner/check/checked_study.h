#pragma once
// Studies that were read and make sense: at their sizes, and beside their sources.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/model/study.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

// Reads a study file and checks its sizes. Throws one InputError with every mistake of the file, in
// the file's order.
StudyFile read_study_file(const std::filesystem::path& path);

// Reads and checks text as if it stood in the file `path`. Throws like read_study_file().
StudyFile study_of_text(const std::filesystem::path& path, const std::string& text);

// Reads a study file and drops its warnings. Throws like read_study_file().
Study read_study(const std::filesystem::path& path, DataFiles data = DataFiles::kNeeded);

// Reads a T1 file, whatever its name ends in. Throws like read_study_file().
StudyFile read_t1_file(const std::filesystem::path& path);

// Reports every warning about constants, parameters and arguments that the sources show. Throws
// InputError where the kernels take other arguments.
void check_sources(const Study& study, const Note& note);

// One line for each parameter that the block follows and the grid does not, where each thread of
// the kernel has an element of its own.
std::vector<std::string> untied_blocks(const Study& study);

// Loads a study; `note` receives every warning. Sizes, such as "M=1024,N=1024", replace the
// study's. Throws InputError, also for a study that has only what `check` needs.
Study load_study(const std::string& file, const std::vector<std::string>& sizes, const Note& note);

// Does what load_study() does for a study that was read already.
Study checked_study(StudyFile read, const std::vector<std::string>& sizes, const Note& note);

// One line for each parameter of which the sources define or declare the name themselves, so that
// its values do not reach the kernel. Empty when the source cannot be read.
std::vector<std::string> unreached_parameters(const Study& study);

}  // namespace tuner
