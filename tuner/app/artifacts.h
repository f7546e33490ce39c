#pragma once
// Sources and artifacts of a run: what compile/ offers, wired for the worker pool.

#include <memory>
#include <string>

#include "tuner/model/study.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {

struct SourceTexts {
  std::string kernel;
  std::string reference;  // the kernel's own where the study names no other
  std::string digest;     // over both and everything that they include
};

SourceTexts read_sources(const Study& study);

class ArtifactShelf {
 public:
  std::string dir() const;
  // Keys by `compiler`'s identity; finds what is on disk. The shelf must outlive the library.
  ArtifactLibrary library(const std::string& compiler) const;
};

}  // namespace tuner
