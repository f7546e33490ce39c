#pragma once
// The table of an exported file as text: for programs JSON in a comment, for people what became of
// its sizes.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/deploy/tuned_table.h"

namespace tuner {

struct ExportedTable {
  std::string kernel;
  std::string source_hash;  // as in the header's SOURCE_HASH: 16 hexadecimal digits
  std::vector<std::string> parameters;
  std::vector<std::string> dimensions;
  TunedTable table;  // without samples, which a file does not hold
};

// A block comment for C and C++.
std::string table_comment(const Study& study, const TunedTable& table,
                          const std::string& source_hash);

// Reads the table from the text of an exported file; `file` is for messages. Throws InputError when
// there is none (not exported by this tuner, or by an older one) or it makes no sense.
ExportedTable read_table_comment(const std::string& text, const std::string& file);

// A configuration as a JSON list.
std::string values_json(const Configuration& configuration);

// The beginning of the file of sizes that an application asked for, up to its configurations.
std::string asked_head(const Study& study, const TunedTable& table, const std::string& source_hash);

// Reports which of an earlier export's winners stay (TableOptions::earlier) and why, one line each,
// for the user, not for the file.
std::string kept_report(const Study& study, const TunedTable& table);

// How many configurations there are, and what each size loses in a reduced table.
std::string loss_report(const TunedTable& table);

}  // namespace tuner
