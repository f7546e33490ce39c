#pragma once
// A source with the text of the user's files in the place of their #include lines, so that what a
// compiler cannot read of them can be left out as in the source itself.

#include <optional>
#include <string>
#include <vector>

namespace tuner {

// Looks for files as SourceBundle does; each is written out as often as it is included, since an
// #if decides later which of these counts, and never inside of itself. #line directives keep file
// and line of messages. Nothing where the text would become too large.
std::optional<std::string> inlined_source(const std::string& source, const std::string& source_name,
                                          const std::vector<std::string>& include_dirs);

}  // namespace tuner
