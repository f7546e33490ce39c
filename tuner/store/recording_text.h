#pragma once
// Repairs of JSON that other tuners write.

#include <string>

namespace tuner {

// Makes what other tuners write into JSON: NaN and Infinity become empty texts, a cut-off number at
// the end is dropped. Everything else keeps its place.
void repair_recording_text(std::string& text);

}  // namespace tuner
