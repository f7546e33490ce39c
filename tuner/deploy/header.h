#pragma once
// One self-contained C++17 header that knows which configuration to use (docs/export-header.md).

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/deploy/header_model.h"
#include "tuner/deploy/tuned_table.h"

namespace tuner {

struct HeaderOptions {
  std::string source_text;          // what stands for the kernel's sources: its hash is recorded
  std::string generator = "tuner";  // name and version, for the first line
};

// Further parts of an exported header: `includes` goes before, `more` at the end of the namespace.
struct HeaderText {
  std::string title;  // comment lines: what this is and how it is used
  std::string includes;
  std::string more;
  std::vector<std::string> names{};  // of the study's, in `more`
};
std::string header_document(const HeaderModel& model, const HeaderOptions& options,
                            const HeaderText& text);

// 16 hexadecimal digits: SOURCE_HASH of a header that is made with these options.
std::string source_hash(const HeaderOptions& options);

// `table` is exported_table() of the study.
std::string export_header(const Study& study, const TunedTable& table,
                          const HeaderOptions& options = {});

}  // namespace tuner
