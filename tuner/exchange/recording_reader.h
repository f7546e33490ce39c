#pragma once
// Reads recordings of other tuners: Kernel Tuner caches (also ones that are still being written)
// and T4 results, plain or gzipped.

#include <filesystem>
#include <string>

#include "tuner/exchange/recording.h"

namespace tuner {

// Parameters keep the file's order; where the file does not list their values (T4), these are
// collected from the results, numbers ascending. Of a configuration recorded twice the later entry
// counts, as when the file is read as a map. A file that ends too early yields its complete entries
// and a note. Throws InputError for anything else that is wrong (position, what was expected), and
// FatalError when the file cannot be read. Without an objective it is the one that a T4 file of
// this program is ranked by, else the time.
Recording read_recording(const std::filesystem::path& path, const std::string& objective = {});

// The same for text in memory; `name` is for messages.
Recording parse_recording(std::string text, const std::string& name,
                          const std::string& objective = {});

}  // namespace tuner
