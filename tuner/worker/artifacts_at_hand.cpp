// Keeps artifacts until they are too many.

#include "tuner/worker/artifacts_at_hand.h"

#include <utility>

namespace tuner {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

std::shared_ptr<const Artifact> ArtifactsAtHand::find(const std::string& key) const {
  const auto known = known_.find(key);
  return known == known_.end() ? nullptr : known->second;
}

void ArtifactsAtHand::remember(const std::string& key, std::shared_ptr<const Artifact> artifact) {
  if (known_.contains(key)) return;
  bytes_ += artifact->image.size();
  if (bytes_ > kMostBytes) {
    known_.clear();
    bytes_ = artifact->image.size();
  }
  known_.emplace(key, std::move(artifact));
}

}  // namespace tuner
