// Copies what can still be read from a damaged database.

#include "tuner/store/salvage.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/store/schema.h"
#include "tuner/store/sqlite.h"
#include "tuner/store/trial_codec.h"

namespace tuner {
namespace {

enum class Kind { kInteger, kReal, kText, kBlob };
struct Column {
  const char* name;
  Kind kind;
};

struct Table {
  const char* name;
  std::vector<Column> columns;  // the first one is the key
};

const std::vector<Table>& tables() {
  using enum Kind;
  static const std::vector<Table> all{
      {"contexts",
       {{"id", kInteger},
        {"key", kText},
        {"kernel", kText},
        {"device", kText},
        {"size", kText},
        {"parameters", kText},
        {"identity", kText},
        {"generation", kInteger},
        {"created", kText}}},
      {"trials",
       {{"id", kInteger},
        {"context", kInteger},
        {"generation", kInteger},
        {"configuration", kText},
        {"state", kText},
        {"time_ms", kReal},
        {"objective", kReal},
        {"samples", kBlob},
        {"detail", kText},
        {"message", kText},
        {"recorded", kText},
        {"checksum", kInteger}}},
  };
  return all;
}

// Those that may be missing.
const std::vector<Table>& later_tables() {
  using enum Kind;
  static const std::vector<Table> all{
      {kRankingsTable, {{"id", kInteger}, {"text", kText}}},
      {kHostsTable,
       {{"id", kInteger}, {"context", kInteger}, {"host", kText}, {"imported", kInteger}}}};
  return all;
}

void copy_row(const Table& table, const Statement& from, Statement& to) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const int at = static_cast<int>(c);
    if (from.is_null(at)) {
      to.bind_null(at + 1);
      continue;
    }
    switch (table.columns[c].kind) {
      case Kind::kInteger:
        to.bind(at + 1, from.integer(at));
        break;
      case Kind::kReal:
        to.bind(at + 1, from.real(at));
        break;
      case Kind::kText:
        to.bind(at + 1, std::string_view(from.text(at)));
        break;
      case Kind::kBlob:
        to.bind_blob(at + 1, from.text(at));
        break;
    }
  }
  to.run();
}

// Whether a trial is still what was recorded; other tables have no checksum.
bool is_intact(const Table& table, const Statement& row) {
  if (std::string_view(table.name) != "trials") return true;
  const TrialRow trial{row.text(3), row.text(4), row.real(5), row.real(6),
                       row.text(7), row.text(8), row.text(9), row.text(10)};
  return trial.checksum(row.integer(1), row.integer(2)) == row.integer(11);
}

// From the front until the damage, then from the back until the damage.
std::uint64_t copy_table(const Table& table, Database& damaged, Database& fresh) {
  std::string columns;
  std::string marks;
  for (const Column& column : table.columns) {
    columns += (columns.empty() ? "" : ", ") + std::string(column.name);
    marks += marks.empty() ? "?" : ",?";
  }
  const std::string name = table.name;
  Statement insert =
      fresh.prepare("INSERT OR IGNORE INTO " + name + "(" + columns + ") VALUES(" + marks + ")");
  std::set<std::int64_t> seen;
  for (const char* direction : {"ASC", "DESC"}) {
    try {
      Statement query = damaged.prepare("SELECT " + columns + " FROM " + name +
                                        " NOT INDEXED ORDER BY id " + direction);
      while (query.step() && seen.insert(query.integer(0)).second) {
        if (is_intact(table, query)) copy_row(table, query, insert);
      }
    } catch (const SqliteError& error) {
      insert.reset();
      if (!error.damaged()) throw;
    }
  }
  return static_cast<std::uint64_t>(fresh.integer_of("SELECT count(*) FROM " + name));
}

}  // namespace

Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& fresh) {
  Database target(fresh, Database::Mode::kReadWrite);
  prepare_schema(target);
  Salvaged result;
  std::vector<std::uint64_t> counts;
  try {
    Database source(damaged, Database::Mode::kReadOnly);
    check_tables(source);
    Transaction transaction(target);
    for (const Table& table : tables()) counts.push_back(copy_table(table, source, target));
    for (const Table& table : later_tables()) {
      if (has_table(source, table.name)) copy_table(table, source, target);
    }
    transaction.commit();
  } catch (const SqliteError& error) {
    if (!error.damaged()) throw;  // else: not even its first page can be read
  }
  if (counts.size() == 2) result = {counts[0], counts[1]};
  return result;
}

}  // namespace tuner
