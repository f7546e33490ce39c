#pragma once
// SQLite's handles as values: closed on destruction, every failure an exception that names the
// file. Only what the store needs.

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"

namespace tuner {

// A failed call. `code` is SQLite's primary result code.
class SqliteError : public FatalError {
 public:
  SqliteError(int code, const std::string& message) : FatalError(message), code_(code) {}
  bool damaged() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }

 private:
  int code_;
};

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

class Statement {
 public:
  // True while there is a row. A signal to stop ends a statement that runs for long:
  // InterruptedError.
  bool step();
  void reset();  // gives up its locks

  std::int64_t integer(int column) const;
  double real(int column) const;       // NULL is NaN, as SQLite stores it
  std::string text(int column) const;  // bytes of text or blob

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  void check(int code) const;
  void bind(int at, std::int64_t value);
  void bind(int at, double value);
  void bind(int at, std::string_view text);
  void bind(int at, Blob blob);

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  std::string path_;
  int signals_before_ = stop_signals();
};

class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly, kImmutable };
  Database(const std::filesystem::path& path, Mode mode);

  void execute(const char* sql);  // any number of statements, their rows dropped
  // A statement, its parameters bound in their order.
  template <typename... Values>
  Statement query(std::string_view sql, const Values&... values) {
    Statement statement = prepare(sql);
    int at = 0;
    (statement.bind(++at, values), ...);
    return statement;
  }
  // Runs a statement and ignores its rows.
  template <typename... Values>
  void run(std::string_view sql, const Values&... values) {
    Statement statement = query(sql, values...);
    while (statement.step()) {
    }
  }
  // First column of the first row.
  std::string text_of(std::string_view sql);
  std::int64_t integer_of(std::string_view sql);
  // False once the file was removed, or another one put in its place: what is written then is lost.
  bool is_in_place() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    // _v2: a statement that is still alive keeps the connection until it ends.
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  Statement prepare(std::string_view sql);

  std::unique_ptr<sqlite3, Close> handle_;
  std::filesystem::path path_;
};

// BEGIN IMMEDIATE ... COMMIT; rolls back when it is destroyed without commit().
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database* database_;
  bool open_ = true;
};

}  // namespace tuner
