// Puts a salvaged database in the place of a damaged one, in steps that a kill cannot spoil.

#include "tuner/store/replace_damaged.h"

#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Files that SQLite keeps beside a database, and that must never meet another one.
constexpr const char* kLogs[] = {"-wal", "-shm", "-journal"};

fs::path unfinished(const fs::path& file) { return beside(file, ".salvaging"); }
fs::path whole(const fs::path& file) { return beside(file, ".salvaged"); }

// A failed rename is the reason that the user needs to see.
void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw FatalError("cannot rename " + from.string() + " to " + to.string() + ": " +
                     error.message());
  }
}

// Whether it was there.
bool remove_file(const fs::path& file) {
  std::error_code error;
  const bool removed = fs::remove(file, error);
  if (error) throw FatalError("cannot remove " + file.string() + ": " + error.message());
  return removed;
}

bool remove_database(const fs::path& file) {
  bool removed = false;
  for (const char* log : kLogs) removed |= remove_file(beside(file, log));
  return remove_file(file) || removed;
}

bool is_there(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  // What cannot be looked at may well be there.
  return status.type() != fs::file_type::not_found;
}

}  // namespace

fs::path beside(const fs::path& file, const std::string& ending) {
  fs::path other = file;
  other += ending;
  return other;
}

bool salvage_waits(const fs::path& file) { return is_there(whole(file)); }

Salvaged write_salvaged(const fs::path& file) {
  remove_database(unfinished(file));
  const Salvaged kept = salvage(file, unfinished(file));
  move_file(unfinished(file), whole(file));
  return kept;
}

fs::path keep_damaged(const fs::path& file) {
  int number = 1;
  while (is_there(beside(file, ".corrupt-" + std::to_string(number)))) ++number;
  fs::path old = beside(file, ".corrupt-" + std::to_string(number));
  for (const char* log : kLogs) remove_file(beside(old, log));  // of one deleted without its log
  move_file(file, old);
  for (const char* log : kLogs) {
    if (is_there(beside(file, log))) move_file(beside(file, log), beside(old, log));
  }
  return old;
}

void take_salvaged(const fs::path& file) {
  for (const char* log : kLogs) remove_file(beside(file, log));
  move_file(whole(file), file);
}

std::string replace_damaged(const fs::path& file, const std::string& why) {
  const Salvaged kept = write_salvaged(file);
  const fs::path old = keep_damaged(file);
  take_salvaged(file);
  return why + "; it is kept as " + old.filename().string() + ", and " +
         std::to_string(kept.trials) + " readable trials went into a new one";
}

std::vector<std::string> end_interrupted_replacement(const fs::path& file) {
  std::vector<std::string> notes;
  if (remove_database(unfinished(file))) {
    notes.push_back("an unfinished salvage was removed: " + unfinished(file).string());
  }
  if (!is_there(whole(file))) return notes;
  if (is_there(file)) {
    // Damaged still, and salvaged anew; or put back by hand, and then it is the one that counts.
    remove_database(whole(file));
    notes.push_back("a salvage that was interrupted was removed, since the database is there: " +
                    whole(file).string());
  } else {
    take_salvaged(file);
    notes.push_back(file.string() + " was missing; what had been salvaged from it took its place");
  }
  return notes;
}

}  // namespace tuner
