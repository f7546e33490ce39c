#pragma once
// Artifacts in memory, so that one that several configurations share is read and checked once.

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "tuner/model/artifact.h"

namespace tuner {

class ArtifactsAtHand {
 public:
  // Null: it is not here.
  std::shared_ptr<const Artifact> find(const std::string& key) const;
  // Of several with this key, the first. Small artifacts by the thousand would fill the memory:
  // then all are forgotten, and the cache on the disk still has them.
  void remember(const std::string& key, std::shared_ptr<const Artifact> artifact);

 private:
  std::unordered_map<std::string, std::shared_ptr<const Artifact>> known_;
  std::size_t bytes_ = 0;
};

}  // namespace tuner
