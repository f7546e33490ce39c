#pragma once
// The artifacts of earlier runs, for one study.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tuner/resolve/study_sources.h"
#include "tuner/worker/artifact_cache.h"
#include "tuner/worker/compilers.h"

namespace tuner {

// $XDG_CACHE_HOME/tuner or ~/.cache/tuner; empty where neither is set.
std::filesystem::path user_cache_directory();

// Finds artifacts in the user's cache; the compile workers put them there.
class ArtifactShelf {
 public:
  ArtifactShelf();
  // For the user: why artifacts are not kept for later runs; empty when they are.
  const std::string& trouble() const { return trouble_; }
  std::string dir() const { return cache_->directory().string(); }
  // Keys by `compiler`'s identity, for a study with these sources. Keeps the cache alive by itself.
  ArtifactLibrary library(const std::string& compiler, const SourceTexts& sources) const;
  // A text that is kept beside the artifacts, under a key of the caller's making.
  void remember(const std::string& key, const std::string& text) const;
  std::optional<std::string> recall(const std::string& key) const;

 private:
  std::shared_ptr<ArtifactCache> cache_;
  std::string trouble_;
};

}  // namespace tuner
