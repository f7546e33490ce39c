// Opens the results database, makes its tables, and keeps aside one that cannot be used.

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <tuple>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/store/store_impl.h"

namespace tuner {
namespace {

// The lock of byte 0 makes opening one at a time; sessions are numbered from 1.
constexpr std::int64_t kOpening = 0;
constexpr std::int64_t kFirstSession = 1;

struct flock range(std::int64_t start, std::int64_t length) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;  // 0: all bytes from there on
  return lock;
}

// SQLite would try for a minute, and then say that somebody else has the lock.
[[noreturn]] void refuse_without_locks(const std::filesystem::path& file, int reason) {
  throw FatalError("files cannot be locked in " + file.parent_path().string() + " (" +
                   std::strerror(reason) +
                   "), which results need; some network file systems are mounted so: keep them on "
                   "a local disk (--results DIRECTORY)");
}

// Refuses a pipe or a device where a database's file should be: opening a pipe may take for ever.
void refuse_special(const std::filesystem::path& file) {
  if (is_seekable_file(file)) return;
  throw FatalError("cannot use " + file.string() + ": it is a pipe or a device, not a file");
}

}  // namespace

SessionLock::SessionLock(const std::filesystem::path& file)
    : file_(file), fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (fd_ < 0) throw FatalError("cannot write " + file.string() + ": " + std::strerror(errno));
}

SessionLock::~SessionLock() { ::close(fd_); }

bool SessionLock::take(std::int64_t session) {
  struct flock lock = range(session, 1);
  return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

void SessionLock::wait(std::int64_t session) {
  constexpr int kTries = 3000;  // a minute: whoever opens it needs less, unless he is stuck
  constexpr int kPause = 20000;
  const int signals_before = stop_signals();
  for (int i = 0; i < kTries; ++i) {
    struct flock lock = range(session, 1);
    if (::fcntl(fd_, F_OFD_SETLK, &lock) == 0) return;
    const bool is_held_by_other = errno == EAGAIN || errno == EACCES;
    if (!is_held_by_other && errno != EINTR) refuse_without_locks(file_, errno);
    if (stop_signals() > signals_before) {
      throw InterruptedError("interrupted before the results were opened");
    }
    ::usleep(kPause);
  }
  throw FatalError("another tuner has been opening " + file_.string() +
                   " for a minute: it is stuck, end that one first");
}

bool SessionLock::is_held(std::int64_t session) const {
  struct flock lock = range(session, 1);
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool SessionLock::any_session_held() const {
  struct flock lock = range(kFirstSession, 0);
  return ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// ---- the store's inside -------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "tuner.sqlite";
// Up to this size the thorough check, which also compares indices with tables, costs little.
constexpr std::uintmax_t kThoroughCheckBytes = std::uintmax_t{64} << 20;
constexpr std::int64_t kApplicationId = 0x74756E65;  // "tune": tells our files from other SQLite
constexpr std::int64_t kSchemaVersion = 2;

// `generation` is how --fresh works: a new one hides what came before without deleting it.
// `rankings` says how contexts are ranked, as JSON, by their id; `hosts` on which machines they
// were measured, and whether that was imported from another store.
constexpr const char* kTables = R"(
CREATE TABLE contexts(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kernel TEXT NOT NULL,
  device TEXT NOT NULL,
  size TEXT NOT NULL,
  parameters TEXT NOT NULL,
  identity TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 0,
  created TEXT NOT NULL);
CREATE TABLE trials(
  id INTEGER PRIMARY KEY,
  context INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  configuration TEXT NOT NULL,
  state TEXT NOT NULL,
  time_ms REAL,
  objective REAL,
  samples BLOB NOT NULL,
  detail TEXT NOT NULL,
  message TEXT NOT NULL,
  recorded TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE(context, generation, configuration));
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  started TEXT NOT NULL);
CREATE TABLE in_flight(
  context INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  configuration TEXT NOT NULL,
  session INTEGER,
  deaths INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(context, generation, configuration)) WITHOUT ROWID;
CREATE TABLE rankings(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL);
CREATE TABLE hosts(
  id INTEGER PRIMARY KEY,
  context INTEGER NOT NULL,
  host TEXT NOT NULL,
  imported INTEGER NOT NULL,
  UNIQUE(context, host));
)";

// Made by a program whose tables or rows were others.
struct OlderSchema : FatalError {
  using FatalError::FatalError;
};

std::int64_t table_count(Database& database) {
  return database.integer_of("SELECT count(*) FROM sqlite_master");
}

void make_tables(Database& database) {
  database.execute(kTables);
  database.execute(("PRAGMA application_id = " + std::to_string(kApplicationId) +
                    "; PRAGMA user_version = " + std::to_string(kSchemaVersion))
                       .c_str());
}

using Object = std::tuple<std::string, std::string, std::string>;  // type, name, SQL that makes it
using Objects =
    std::set<Object, std::greater<>>;  // a view or trigger before its tables and indexes

// Not from sqlite_schema: that name is an alias, and a file may have a view of that name.
Objects objects_in(Database& database) {
  Statement query = database.query("SELECT type, name, sql FROM sqlite_master");
  Objects found;
  while (query.step()) found.emplace(query.text(0), query.text(1), query.text(2));
  return found;
}

const Objects& known_objects() {
  static const Objects known = [] {
    Database own(":memory:", Database::Mode::kReadWrite);
    make_tables(own);
    own.execute("ANALYZE");  // which a user may have done
    return objects_in(own);
  }();
  return known;
}

// Views, triggers, generated columns and the like run code of whoever made the file, for ever if he
// wants. So a database that has anything else than the tables that tuner makes is refused.
void check_tables(Database& database) {
  for (const Object& object : objects_in(database)) {
    if (known_objects().contains(object)) continue;
    const auto& [type, name, sql] = object;
    throw FatalError(database.path().string() + " has the " + type + " '" + name +
                     "', which this version of tuner does not make: it is not read");
  }
}

// Whether there are tables, such as a full disk does not leave; throws where they are not ours. The
// header alone is asked first: reading a table of others may run their code.
bool has_our_tables(Database& database) {
  const std::int64_t application = database.integer_of("PRAGMA application_id");
  if (application == 0 && table_count(database) == 0) return false;
  if (application != kApplicationId) {
    throw FatalError(database.path().string() + " is an SQLite database of another program");
  }
  const std::int64_t version = database.integer_of("PRAGMA user_version");
  if (version < kSchemaVersion) {
    throw OlderSchema(database.path().string() +
                      " was written by an older tuner, in a form that is not read any more");
  }
  if (version > kSchemaVersion) {
    throw FatalError(database.path().string() + " was written by a newer tuner (schema " +
                     std::to_string(version) + "; this one knows " +
                     std::to_string(kSchemaVersion) +
                     "): use that one, or another results directory");
  }
  check_tables(database);
  return true;
}

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

// Several machines may use one results folder there, and SQLite's write-ahead log needs memory that
// all of its users share.
bool is_on_network(const fs::path& file) {
  struct statfs facts {};
  if (::statfs(file.c_str(), &facts) != 0) return false;
  // NFS, SMB, SMB 2, CIFS, Lustre, Ceph, AFS, GPFS, BeeGFS: linux/magic.h, and their own headers.
  constexpr std::uint32_t kKinds[] = {0x6969,     0x517B,     0xFE534D42, 0xFF534D42, 0x0BD00BD0,
                                      0x00C36400, 0x5346414F, 0x47504653, 0x19830326};
  return std::ranges::find(kKinds, static_cast<std::uint32_t>(facts.f_type)) != std::end(kKinds);
}

// Write-ahead log: readers and a second tuner do not stop this one, and a process killed in the
// middle of a write leaves only an unfinished tail that nobody reads. With NORMAL the file is whole
// after a power cut too; how often a commit waits for the disk is record()'s to say.
void choose_journal(Database& database) {
  const bool log = !is_on_network(database.path());
  database.execute(log ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                       : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;");
}

std::unique_ptr<Database> open_healthy(const fs::path& file) {
  auto database = std::make_unique<Database>(file, Database::Mode::kReadWrite);
  const bool ours = has_our_tables(*database);  // their constraints are part of the check below
  choose_journal(*database);
  check_health(*database);
  if (ours) return database;
  Transaction transaction(*database);
  // Two tuners may have found it empty at the same time; only one of them makes the tables.
  if (!has_our_tables(*database)) make_tables(*database);
  transaction.commit();
  return database;
}

// The database and the files that SQLite keeps with it: they are moved together.
constexpr const char* kParts[] = {"", "-wal", "-shm", "-journal"};

fs::path with_ending(const fs::path& file, const std::string& ending) {
  fs::path other = file;
  other += ending;
  return other;
}

// Opens for a reader: the file may be missing, or not be writable.
void refuse_locks_that_fail(const fs::path& file) {
  const FileDescriptor lock_file(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (lock_file.get() < 0) return;
  struct flock lock = range(kOpening, 1);
  lock.l_type = F_RDLCK;
  if (::fcntl(lock_file.get(), F_OFD_SETLK, &lock) == 0) return;
  if (errno != EAGAIN && errno != EACCES && errno != EINTR) refuse_without_locks(file, errno);
}

bool any_part(const fs::path& file) {
  for (const char* part : kParts) {
    std::error_code error;
    // A path whose status is unknown may well be there.
    if (fs::status(with_ending(file, part), error).type() != fs::file_type::not_found) return true;
  }
  return false;
}

// Gives what there is of a database the first free of the names <file>.<why>-1, -2, ... Returns it.
fs::path keep_aside(const fs::path& file, const std::string& why) {
  int number = 1;
  const auto name = [&] { return with_ending(file, "." + why + "-" + std::to_string(number)); };
  while (any_part(name())) ++number;
  for (const char* part : kParts) {
    const fs::path from = with_ending(file, part);
    std::error_code error;
    fs::rename(from, with_ending(name(), part), error);
    if (error && error != std::errc::no_such_file_or_directory) {
      throw FatalError("cannot rename " + from.string() + " to " +
                       with_ending(name(), part).string() + ": " + error.message());
    }
  }
  return name();
}

std::string damage_note(const std::string& damage, const fs::path& kept) {
  return damage + "; it is kept as " + kept.filename().string() +
         ", and a new one is begun. 'sqlite3 " + kept.string() +
         " .dump' writes what can still be read of it, and docs/robustness.md says how 'tuner "
         "import' takes that over";
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
  for (const char* part : kParts) refuse_special(with_ending(file, part));
  OpenDatabase opened;
  opened.lock = std::make_unique<SessionLock>(with_ending(file, ".lock"));
  SessionLock opening(with_ending(file, ".lock"));  // until this has returned
  opening.wait(kOpening);
  const auto make_room = [&](const std::string& why, const char* reason) {
    if (opened.lock->any_session_held()) {
      throw FatalError(why + "; another tuner is using it: end that one first");
    }
    return keep_aside(file, reason);
  };
  // A kill may have come between a database that was kept aside and its log.
  if (!fs::exists(file, error) && any_part(file)) keep_aside(file, "corrupt");
  try {
    opened.database = open_healthy(file);
    return opened;
  } catch (const SqliteError& failure) {
    if (!failure.damaged()) throw;
    opened.notes.push_back(damage_note(failure.what(), make_room(failure.what(), "corrupt")));
  } catch (const OlderSchema& older) {
    const fs::path kept = make_room(older.what(), "older");
    opened.notes.push_back(std::string(older.what()) + "; it is kept as " +
                           kept.filename().string() + ", and a new one is begun");
  }
  opened.database = open_healthy(file);
  return opened;
}

OpenDatabase open_for_reading(const fs::path& directory_or_file) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(directory_or_file, error);
  const fs::path file = is_file ? directory_or_file : directory_or_file / kFile;
  refuse_special(directory_or_file);
  for (const char* part : kParts) refuse_special(with_ending(file, part));
  refuse_locks_that_fail(with_ending(file, ".lock"));
  if (!fs::exists(file, error)) {
    throw FatalError("there are no results in " + directory_or_file.string() + ": " +
                     file.string() + " does not exist");
  }
  OpenDatabase opened;
  bool ours = false;
  const auto open = [&](Database::Mode mode) {
    opened.database = std::make_unique<Database>(file, mode);
    ours = has_our_tables(*opened.database);
  };
  try {
    open(Database::Mode::kReadOnly);
  } catch (const SqliteError& failure) {
    if (failure.damaged()) {
      throw FatalError(std::string(failure.what()) +
                       "; the next `tuner run` in this directory keeps it under another name, and "
                       "says how to read what is left of it");
    }
    open(Database::Mode::kImmutable);
  }
  if (!ours) {
    throw FatalError("there are no results in " + file.string() + " yet: it is empty");
  }
  return opened;
}

}  // namespace tuner
