#pragma once
// Opening the results database, and what to do when it is damaged.

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

// Creates what is not there; salvages what is damaged. Throws FatalError.
OpenDatabase open_for_writing(const std::filesystem::path& directory);

// Works in a folder where nothing can be written. Also takes the database file itself, whatever its
// name. Throws FatalError.
OpenDatabase open_for_reading(const std::filesystem::path& directory_or_file);

}  // namespace tuner
