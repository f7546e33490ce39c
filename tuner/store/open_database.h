#pragma once
// Opening the results database, and what to do when it cannot be used.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/store/session_lock.h"
#include "tuner/store/sqlite.h"

namespace tuner {

struct OpenDatabase {
  std::unique_ptr<Database> database;
  std::unique_ptr<SessionLock> lock;  // empty when opened for reading
  std::vector<std::string> notes;
};

// Creates what is not there. A database that is damaged or of an older program is kept under
// another name, <file>.corrupt-<n> or <file>.older-<n>, with a note, and a new one is begun. Throws
// FatalError, also where it is of a newer program or has tables that tuner does not make.
OpenDatabase open_for_writing(const std::filesystem::path& directory);

// Works in a folder where nothing can be written. Also takes the database file itself, whatever its
// name. Throws FatalError.
OpenDatabase open_for_reading(const std::filesystem::path& directory_or_file);

}  // namespace tuner
