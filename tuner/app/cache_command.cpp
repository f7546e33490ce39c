// `tuner cache`: says how much the artifact cache holds, and empties it.

#include <fmt/format.h>

#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/run/sources.h"

namespace tuner {

int cache_command(const CacheOptions& options) {
  ArtifactCache cache(user_cache_directory());
  if (cache.directory().empty()) {
    throw FatalError("there is no artifact cache: neither XDG_CACHE_HOME nor HOME is set");
  }
  if (options.clear) cache.clear();
  if (options.prune) cache.prune(*options.prune);
  const CacheStats stats = cache.stats();
  std::cout << fmt::format("{}\n{} artifacts, {:.1f} MiB; at most {} MiB are kept\n",
                           cache.directory().string(), stats.entries,
                           static_cast<double>(stats.bytes) / (1 << 20),
                           ArtifactCache::kDefaultLimit >> 20);
  return kExitDone;
}

}  // namespace tuner
