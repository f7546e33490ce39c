// Creates and migrates the tables of the results database.

#include "tuner/store/schema.h"

#include <functional>
#include <set>
#include <tuple>

namespace tuner {
namespace {

constexpr std::int64_t kApplicationId = 0x74756E65;  // "tune": tells our files from other SQLite

// `generation` is how --fresh works: a new one hides what came before without deleting it.
constexpr const char* kTables = R"(
CREATE TABLE schema(version INTEGER NOT NULL);
INSERT INTO schema VALUES(1);
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
)";

// How a context's trials are ranked, as JSON; `id` is the context's. Older programs neither know
// nor mind the table.
constexpr const char* kRankings =
    "CREATE TABLE IF NOT EXISTS rankings(id INTEGER PRIMARY KEY, text TEXT NOT NULL)";

// On which machines a context's trials were measured, and whether they were imported from another
// store. Older programs do not mind this table either.
constexpr const char* kHosts =
    "CREATE TABLE IF NOT EXISTS hosts(id INTEGER PRIMARY KEY, context INTEGER NOT NULL,"
    " host TEXT NOT NULL, imported INTEGER NOT NULL, UNIQUE(context, host))";

std::int64_t table_count(Database& database) {
  return database.integer_of("SELECT count(*) FROM sqlite_master");
}

void make_tables(Database& database) {
  database.execute(kTables);
  database.execute(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
}

void make_later_tables(Database& database) {
  database.execute(kRankings);
  database.execute(kHosts);
}

std::int64_t application_of(Database& database) {
  return database.integer_of("PRAGMA application_id");
}

[[noreturn]] void reject_of_other_program(Database& database) {
  throw FatalError(database.path().string() + " is an SQLite database of another program");
}

using Object = std::tuple<std::string, std::string, std::string>;  // type, name, SQL that makes it
using Objects =
    std::set<Object, std::greater<>>;  // a view or trigger before its tables and indexes

// Not from sqlite_schema: that name is an alias, and a file may have a view of that name.
Objects objects_in(Database& database) {
  Statement query = database.prepare("SELECT type, name, sql FROM sqlite_master");
  Objects found;
  while (query.step()) found.emplace(query.text(0), query.text(1), query.text(2));
  return found;
}

const Objects& known_objects() {
  static const Objects known = [] {
    Database own(":memory:", Database::Mode::kReadWrite);
    make_tables(own);
    make_later_tables(own);
    own.execute("ANALYZE");  // which a user may have done
    return objects_in(own);
  }();
  return known;
}

}  // namespace

void check_tables(Database& database) {
  for (const Object& object : objects_in(database)) {
    if (known_objects().contains(object)) continue;
    if (application_of(database) != kApplicationId) reject_of_other_program(database);
    const auto& [type, name, sql] = object;
    throw FatalError(database.path().string() + " has the " + type + " '" + name +
                     "', which this version of tuner does not make: it is not read");
  }
}

void check_schema(Database& database) {
  const std::int64_t application = application_of(database);
  if (application == 0 && table_count(database) == 0) {  // such as a full disk leaves
    throw FatalError("there are no results in " + database.path().string() + " yet: it is empty");
  }
  if (application != kApplicationId) reject_of_other_program(database);
  check_tables(database);
  const std::int64_t version = database.integer_of("SELECT max(version) FROM schema");
  if (version > kSchemaVersion) {
    throw FatalError(database.path().string() + " was written by a newer tuner (schema " +
                     std::to_string(version) + "; this one knows " +
                     std::to_string(kSchemaVersion) +
                     "): use that one, or another results directory");
  }
}

void prepare_schema(Database& database) {
  if (table_count(database) == 0) {
    Transaction transaction(database);
    // Two tuners may have found it empty at the same time; only one of them makes the tables.
    if (table_count(database) == 0) {
      make_tables(database);
    }
    transaction.commit();
  }
  check_schema(database);
  make_later_tables(database);
}

bool has_table(Database& database, const std::string& name) {
  Statement query = database.prepare("SELECT 1 FROM sqlite_master WHERE name = ?");
  return query.bind(1, name).step();
}

}  // namespace tuner
