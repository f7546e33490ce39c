#pragma once
// Tables of the results database and their versions.

#include "tuner/store/sqlite.h"

namespace tuner {

inline constexpr int kSchemaVersion = 1;

// Makes the tables in an empty database or brings older ones up to date. Throws FatalError when the
// database is from a newer version of the program, or of another program altogether.
void prepare_schema(Database& database);

// The same checks without writing, for read-only use.
void check_schema(Database& database);

// Views, triggers, generated columns and the like run code of whoever made the file, for ever if he
// wants. Throws FatalError where a database has anything else than the tables that tuner makes.
void check_tables(Database& database);

// Tables that may be missing where an older program made the database.
inline constexpr const char* kRankingsTable = "rankings";  // how contexts are ranked
inline constexpr const char* kHostsTable = "hosts";        // where contexts were measured
bool has_table(Database& database, const std::string& name);

}  // namespace tuner
