// Opens the results database and repairs or refuses what is wrong with it.

#include "tuner/store/open_database.h"

#include <optional>
#include <string>

#include "tuner/store/replace_damaged.h"
#include "tuner/store/schema.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "tuner.sqlite";
// Session numbers start from 1; the lock of byte 0 makes opening and salvaging one at a time.
constexpr std::int64_t kOpening = 0;
// Up to this size the thorough check, which also compares indices with tables, costs little.
constexpr std::uintmax_t kThoroughCheckBytes = std::uintmax_t{64} << 20;

void check_health(Database& database) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(database.path(), error);
  const bool thorough = !error && size <= kThoroughCheckBytes;
  const std::string verdict =
      database.text_of(thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)");
  if (verdict != "ok") {
    throw SqliteError(SQLITE_CORRUPT, "the results database " + database.path().string() +
                                          " is damaged: " + verdict);
  }
}

std::unique_ptr<Database> open_healthy(const fs::path& file) {
  auto database = std::make_unique<Database>(file, Database::Mode::kReadWrite);
  // Write-ahead log: readers and a second tuner do not stop this one, and a process killed in the
  // middle of a write leaves only an unfinished tail that nobody reads. With NORMAL the file is
  // whole after a power cut too; how often a commit waits for the disk is record()'s to say.
  database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  check_tables(*database);  // their constraints are part of the check below
  check_health(*database);
  prepare_schema(*database);
  return database;
}

}  // namespace

OpenDatabase open_for_writing(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw FatalError("cannot create the results directory " + directory.string() + ": " +
                     error.message());
  }
  const fs::path file = directory / kFile;
  OpenDatabase opened;
  opened.lock = std::make_unique<SessionLock>(beside(file, ".lock"));
  const SessionLock::Hold opening = opened.lock->wait(kOpening);
  opened.notes = end_interrupted_replacement(file);
  std::optional<std::string> damage;
  try {
    opened.database = open_healthy(file);
  } catch (const SqliteError& failure) {
    if (!failure.damaged()) throw;
    damage = failure.what();
  }
  if (!damage) return opened;
  if (opened.lock->any_other_held()) {
    throw FatalError(*damage + "; another tuner is using it: end that one first");
  }
  opened.notes.push_back(replace_damaged(file, *damage));
  opened.database = open_healthy(file);
  return opened;
}

OpenDatabase open_for_reading(const fs::path& directory_or_file) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(directory_or_file, error);
  const fs::path file = is_file ? directory_or_file : directory_or_file / kFile;
  if (!fs::exists(file, error)) {
    throw FatalError("there are no results in " + directory_or_file.string() + ": " +
                     file.string() + " does not exist" +
                     (salvage_waits(file) ? ", but what was salvaged from it does: the next `tuner "
                                            "run` in this directory puts it in place"
                                          : ""));
  }
  OpenDatabase opened;
  try {
    opened.database = std::make_unique<Database>(file, Database::Mode::kReadOnly);
    check_schema(*opened.database);
  } catch (const SqliteError& failure) {
    if (failure.damaged()) {
      throw FatalError(std::string(failure.what()) +
                       "; the next `tuner run` in this directory keeps what is intact");
    }
    opened.database = std::make_unique<Database>(file, Database::Mode::kImmutable);
    check_schema(*opened.database);
  }
  return opened;
}

}  // namespace tuner
