#pragma once
// How a damaged results database gives way to what can still be read from it. Beside tuner.sqlite
// there may be, in the order in which they appear:
//   tuner.sqlite.salvaging    being written; never believed
//   tuner.sqlite.salvaged     whole: renamed once the last byte is on the disk
//   tuner.sqlite.corrupt-<n>  the damaged file itself, kept
// Each step ends with a rename, so that a kill at any moment leaves one of these states, and
// whatever is deleted by hand afterwards, only a whole file can take the database's place. All of
// it under the lock that makes opening one at a time. Everything throws FatalError with path and
// reason.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/store/salvage.h"

namespace tuner {

// Files that belong to a database have its name and an ending.
std::filesystem::path beside(const std::filesystem::path& file, const std::string& ending);

// First step: what can be read from `file` is in <file>.salvaged.
Salvaged write_salvaged(const std::filesystem::path& file);
// Second: `file` and its log get a name under which they are kept. Returns it.
std::filesystem::path keep_damaged(const std::filesystem::path& file);
// Third: <file>.salvaged takes the place of `file`, which is not there any more.
void take_salvaged(const std::filesystem::path& file);

// All three. Returns what was done, starting with `why`, for the user.
std::string replace_damaged(const std::filesystem::path& file, const std::string& why);

// Ends what a kill between or within the steps left behind; to be called before `file` is opened.
// Returns what was done, for the user.
std::vector<std::string> end_interrupted_replacement(const std::filesystem::path& file);

// Whether a whole salvage waits for the next open_for_writing().
bool salvage_waits(const std::filesystem::path& file);

}  // namespace tuner
