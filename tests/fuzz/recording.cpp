#include "tests/fuzz/targets.h"
#include "tuner/base/error.h"
#include "tuner/files/recording_reader.h"

namespace tuner::fuzz {

void recording(const std::string& bytes) {
  try {
    const Recording read = parse_recording(bytes, "recording.json");
    require(!read.entries.empty(), "a recording that is accepted has results");
    require(read.positions.size() == read.entries.size() * read.parameters.size(),
            "each result has a position for each parameter");
    const RecordingIndex index(read);
    for (std::size_t i = 0; i < read.entries.size(); ++i) {
      for (std::size_t p = 0; p < read.parameters.size(); ++p) {
        require(read.positions_of(i)[p] < read.parameters[p].values.size(),
                "a position is one of the values");
      }
      require(read.configuration(i).size() == read.parameters.size(), "a configuration is whole");
      require(index.find(read.positions_of(i)).has_value(), "each configuration is found");
      require(read.samples_of(i).size() == read.entries[i].sample_count, "samples are there");
    }
  } catch (const InputError& error) {
    require(!error.complaints().empty(), "who refuses a recording says why");
  }
}

}  // namespace tuner::fuzz
