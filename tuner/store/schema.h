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

// Whether the database can say how contexts are ranked; one that an older program made cannot.
bool has_rankings(Database& database);

}  // namespace tuner
