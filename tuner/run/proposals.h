#pragma once
// Configurations that something outside of the search proposes, as it writes them down: a JSON list
// of maps from parameters to values.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/space/nearest.h"
#include "tuner/space/parameter.h"

namespace tuner {

struct Proposals {
  std::vector<WishedValues> wishes;  // one value at least in each
  std::size_t proposed = 0;          // by the list, with those that are passed over
  // Mistakes with their places in the text; what they are about is passed over. One mistake of the
  // whole text where it is no JSON list.
  std::vector<Complaint> faults;
};

// `name` is the text's in places. A value that none of the parameter's is, is a wish all the same
// where both are numbers.
Proposals read_proposals(const std::string& text, const std::string& name,
                         const std::vector<Parameter>& parameters);

// "advice.json:3:3: 'BM' is null (one of 64 or 128); and 12 mistakes more"; empty without any.
std::string faults_text(const std::vector<Complaint>& faults);

}  // namespace tuner
