// Wraps SQLite's handles and turns its errors into exceptions.

#include "tuner/store/sqlite.h"

#include <cerrno>
#include <cstring>

namespace tuner {
namespace {

// Another tuner commits in milliseconds; a minute means that it is stuck.
constexpr int kBusyMilliseconds = 60000;
// No text and no list of samples that a tuner records comes near it; a few bytes of a file may
// stand for a gigabyte of zeros.
constexpr int kLongestValue = 64 << 20;
// Steps of SQLite's machine, some tens of milliseconds.
constexpr int kStepsBetweenLooks = 1000000;

std::string reason_of(sqlite3* handle, int code) {
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
      return "it or its folder is read-only";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program has held it locked for a minute";
    case SQLITE_TOOBIG:
      return "it holds a value that is longer than any that tuner writes";
    default:
      break;
  }
  std::string reason = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  const int system = handle != nullptr ? sqlite3_system_errno(handle) : 0;
  const bool from_system = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
  if (from_system) {
    reason += " (" + (system != 0 ? std::string(std::strerror(system)) + ", " : std::string()) +
              "SQLite code " + std::to_string(code) + ")";
  }
  return reason;
}

[[noreturn]] void fail(sqlite3* handle, int code, const std::string& path) {
  throw SqliteError(code & 0xFF,
                    "the results database " + path + " failed: " + reason_of(handle, code));
}

// Another's file is data: nothing in it may run when it is read, nor take memory or time without
// end.
void distrust(sqlite3* handle) {
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const int what : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                         SQLITE_DBCONFIG_ENABLE_VIEW}) {
    sqlite3_db_config(handle, what, 0, nullptr);
  }
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
}

// Interrupts SQLite once a signal to stop arrives after the statement was made. Statements that are
// made after the signal, on the way out, run to their end.
int is_to_stop(void* signals_before) {
  return stop_signals() > *static_cast<const int*>(signals_before) ? 1 : 0;
}

}  // namespace

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(handle_.get()), code, path_);
}

void Statement::bind(int at, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), at, value));
}

void Statement::bind(int at, double value) { check(sqlite3_bind_double(handle_.get(), at, value)); }

void Statement::bind(int at, std::string_view text) {
  check(sqlite3_bind_text64(handle_.get(), at, text.data() != nullptr ? text.data() : "",
                            text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int at, Blob blob) {
  check(sqlite3_bind_blob64(handle_.get(), at,
                            blob.bytes.data() != nullptr ? blob.bytes.data() : "",
                            blob.bytes.size(), SQLITE_TRANSIENT));
}

bool Statement::step() {
  sqlite3* database = sqlite3_db_handle(handle_.get());
  sqlite3_progress_handler(database, kStepsBetweenLooks, is_to_stop, &signals_before_);
  const int code = sqlite3_step(handle_.get());
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_INTERRUPT) throw InterruptedError("interrupted while using " + path_);
  const int extended = sqlite3_extended_errcode(database);
  const SqliteError error(
      code & 0xFF, "the results database " + path_ + " failed: " + reason_of(database, extended));
  sqlite3_reset(handle_.get());  // gives up its locks; the message above stays what it was
  throw error;
}

void Statement::reset() { sqlite3_reset(handle_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  if (sqlite3_column_type(handle_.get(), column) == SQLITE_NULL)
    return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Database::Database(const std::filesystem::path& path, Mode mode) : path_(path) {
  std::string name = path.string();
  int flags = SQLITE_OPEN_NOMUTEX;
  if (mode == Mode::kReadWrite) {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  } else {
    flags |= SQLITE_OPEN_READONLY;
  }
  if (mode == Mode::kImmutable) {
    // A database in a folder where nothing can be written: no locks, no shared memory.
    std::string uri = "file:";
    for (const char c : name) {
      if (c == '%' || c == '?' || c == '#') {
        static constexpr char kHex[] = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
      } else {
        uri += c;
      }
    }
    name = uri + "?immutable=1";
    flags |= SQLITE_OPEN_URI;
  }
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(handle, code, path_.string());
  sqlite3_extended_result_codes(handle, 1);
  distrust(handle);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(handle_.get(), code, path_.string());
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) fail(handle_.get(), code, path_.string());
  return {statement, path_.string()};
}

std::string Database::text_of(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::integer_of(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

bool Database::is_in_place() const {
  int moved = 0;
  return sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK ||
         moved == 0;
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const SqliteError&) {
    // SQLite has rolled back by itself already: after a full disk or an I/O error it does.
  }
}

void Transaction::commit() {
  database_->execute("COMMIT");
  open_ = false;
}

}  // namespace tuner
