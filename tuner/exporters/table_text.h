#pragma once
// The table of an exported file in a form that programs read: JSON in a comment.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/exporters/tuned_table.h"

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

// Reads it out of the text of an exported file; `file` is for messages. Throws InputError when
// there is none (not exported by this tuner, or by an older one) or it makes no sense.
ExportedTable read_table_comment(const std::string& text, const std::string& file);

// A device's facts as the results' JSON names them, and back; what is missing keeps its default.
std::string device_json(const DeviceFacts& device);
DeviceFacts device_from_json(const std::string& text, const std::string& file);

}  // namespace tuner
