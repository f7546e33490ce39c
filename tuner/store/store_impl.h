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

  // Gives a lock back at the end of a scope. Must not outlive the SessionLock.
  class Hold {
   public:
    Hold(int fd, std::int64_t session) : fd_(fd), session_(session) {}
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    int fd_;
    std::int64_t session_;
  };
  // Waits for the lock of one session.
  Hold wait(std::int64_t session);

  // Whether another holder has it.
  bool is_held(std::int64_t session) const;
  bool any_other_held() const;

 private:
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

inline constexpr std::string_view kTrialColumns =
    "configuration, state, time_ms, objective, samples, detail, message, recorded, checksum,"
    " generation";

// A row of kTrialColumns.
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
    Statement query = db().prepare("SELECT generation FROM contexts WHERE id = ?");
    query.bind(1, context.id);
    return query.step() ? query.integer(0) : 0;
  }

  // Made when it is not there. To be called in a transaction.
  Context context(const ContextKey& key);

  // Empty where it is not known.
  std::optional<RankedBy> ranked_by(std::int64_t context);
  // To be called in a transaction, like all that writes.
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
    Statement insert = db().prepare(
        "INSERT INTO trials(context, generation, configuration, state, time_ms, objective,"
        " samples, detail, message, recorded, checksum) VALUES(?,?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT(context, generation, configuration) DO UPDATE SET state = excluded.state,"
        " time_ms = excluded.time_ms, objective = excluded.objective, samples = excluded.samples,"
        " detail = excluded.detail, message = excluded.message, recorded = excluded.recorded,"
        " checksum = excluded.checksum");
    insert.bind(1, context.id).bind(2, generation).bind(3, row.configuration).bind(4, row.state);
    insert.bind(5, row.time_ms).bind(6, row.objective).bind_blob(7, row.samples);
    insert.bind(8, row.detail).bind(9, row.message).bind(10, row.recorded);
    insert.bind(11, row.checksum(context.id, generation)).run();
    Statement landed = db().prepare(
        "DELETE FROM in_flight WHERE context = ? AND generation = ? AND configuration = ?");
    landed.bind(1, context.id).bind(2, generation).bind(3, row.configuration).run();
  }
};

}  // namespace tuner
