#pragma once
// Inside of Store, for its own files: which tuners are alive, how the database is opened, and what
// writes into it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/store/sqlite.h"
#include "tuner/store/store.h"
#include "tuner/store/trial_codec.h"

namespace tuner {

// Tells living tuners on one results directory from dead ones: each holds the lock of one byte of
// one small file. The system gives the lock up when the process dies, however it dies, so a process
// number that was reused or that belongs to another container never misleads.
class SessionLock {
 public:
  // Throws FatalError when the file cannot be opened.
  explicit SessionLock(const std::filesystem::path& file);
  ~SessionLock();
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;

  // Takes the lock of one session for as long as this object lives.
  bool take(std::int64_t session);
  // Waits until no other holder has the session's lock, and takes it. Throws FatalError when that
  // takes a minute, and where files cannot be locked.
  void wait(std::int64_t session);

  // Whether another holder has it.
  bool is_held(std::int64_t session) const;
  bool any_session_held() const;

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

// ---- the store's inside -------------------------------------------------------------------------

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

// A context's trials in the order in which they were first recorded: rows for row_at(), and the
// checksum in column 8.
inline Statement trial_rows(Database& database, std::int64_t context, std::int64_t generation) {
  return database.query(
      "SELECT configuration, state, time_ms, objective, samples, detail, message, recorded,"
      " checksum, generation FROM trials WHERE context = ? AND generation = ? ORDER BY id",
      context, generation);
}

inline TrialRow row_at(const Statement& statement) {
  return {statement.text(0), statement.text(1), statement.real(2), statement.real(3),
          statement.text(4), statement.text(5), statement.text(6), statement.text(7)};
}

// The parts of a context from five columns: kernel, device, size, parameters, identity. Throws
// nlohmann::json::exception when one of them is damaged.
ContextKey key_at(const Statement& row, int kernel_column);

// One text for one context, whatever the order of its parts.
std::string context_key_text(const ContextKey& key);

struct Store::Impl {
  OpenDatabase opened;
  std::int64_t session = 0;
  std::chrono::steady_clock::time_point durable_at{};  // when a commit was last waited for

  Database& db() { return *opened.database; }

  std::int64_t generation(const Context& context) {
    Statement query = db().query("SELECT generation FROM contexts WHERE id = ?", context.id);
    return query.step() ? query.integer(0) : 0;
  }

  // Made when it is not there. To be called in a transaction.
  Context context(const ContextKey& key);

  // Empty where it is not known.
  std::optional<RankedBy> ranked_by(std::int64_t context);
  // Call this in a transaction, like everything that writes.
  void rank_by(std::int64_t context, const RankedBy& how);
  std::map<std::int64_t, Hosts> hosts();  // by context
  void add_host(std::int64_t context, const std::string& host, bool imported);
  void rewrite(const Context& context, std::int64_t generation, const Trial& trial);

  // Empty when the row is damaged: then it was never measured.
  std::optional<Trial> believed(const Statement& statement, const Context& context) {
    const TrialRow row = row_at(statement);
    if (row.checksum(context.id, statement.integer(9)) == statement.integer(8)) {
      try {
        return from_row(row, context.parameters);
      } catch (const nlohmann::json::exception&) {  // another version's row: treated alike
      } catch (const FatalError&) {
      }
    }
    opened.notes.push_back("a damaged trial in " + db().path().string() +
                           " is left out: " + row.configuration.substr(0, 200));
    return std::nullopt;
  }

  void write(const Context& context, std::int64_t generation, const Trial& trial) {
    write(context, generation, to_row(trial, context.parameters));
  }

  void write(const Context& context, std::int64_t generation, const TrialRow& row) {
    db().run(
        "INSERT INTO trials(context, generation, configuration, state, time_ms, objective,"
        " samples, detail, message, recorded, checksum) VALUES(?,?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT(context, generation, configuration) DO UPDATE SET state = excluded.state,"
        " time_ms = excluded.time_ms, objective = excluded.objective, samples = excluded.samples,"
        " detail = excluded.detail, message = excluded.message, recorded = excluded.recorded,"
        " checksum = excluded.checksum",
        context.id, generation, row.configuration, row.state, row.time_ms, row.objective,
        Blob{row.samples}, row.detail, row.message, row.recorded,
        row.checksum(context.id, generation));
    db().run("DELETE FROM in_flight WHERE context = ? AND generation = ? AND configuration = ?",
             context.id, generation, row.configuration);
  }
};

}  // namespace tuner
