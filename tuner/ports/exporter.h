#pragma once
// Results to bytes: what the house asks of an exporter.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual std::string write(const Study& study, const std::vector<RankedResults>& results) = 0;
};

}  // namespace tuner
