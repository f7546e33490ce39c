#pragma once
// Interface of exporters, which write results to files.

#include <string>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"

namespace tuner {

struct ExportedFile {
  std::string path;  // "-": standard output
  std::string text;
};

class Exporter {
 public:
  virtual ~Exporter() = default;
  // `output` is the path that the user names, or "-"; an export of several files takes theirs from
  // it. Nothing is written yet.
  virtual std::vector<ExportedFile> write(const Study& study,
                                          const std::vector<RankedResults>& results,
                                          const std::string& output) = 0;
};

}  // namespace tuner
