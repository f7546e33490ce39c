#pragma once
// Sources and artifacts of a run: what compile/ offers, wired for the worker pool.

#include <memory>
#include <string>

#include "tuner/compile/artifact_cache.h"
#include "tuner/model/study.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner {

struct SourceTexts {
  std::string kernel;
  std::string reference;  // the kernel's own where the study names no other
  std::string digest;     // over both and everything that they include
};

// Throws FatalError when a file cannot be read.
SourceTexts read_sources(const Study& study);

// $XDG_CACHE_HOME/tuner or ~/.cache/tuner; empty where neither is set.
std::filesystem::path user_cache_directory();

// Finds artifacts in the user's cache; the compile workers put them there.
class ArtifactShelf {
 public:
  ArtifactShelf();
  std::string dir() const { return cache_->directory().string(); }
  // Keys by `compiler`'s identity. Keeps the cache alive by itself.
  ArtifactLibrary library(const std::string& compiler) const;

 private:
  std::shared_ptr<ArtifactCache> cache_;
};

}  // namespace tuner
