// `tuner cache`: prints how much the artifact cache holds, and empties it.

#include <cstdlib>
#include <optional>
#include <string_view>

#include "tuner/commands/commands.h"
#include "tuner/worker/artifact_shelf.h"

namespace tuner {
namespace {

struct CacheOptions {
  bool clear = false;
  std::optional<std::uint64_t> prune;  // bytes that may stay
};

// "512M", "2G", "1000000".
std::uint64_t byte_count(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string_view unit(end);
  const double factor = unit == "K"    ? 1024.0
                        : unit == "M"  ? 1048576.0
                        : unit == "G"  ? 1073741824.0
                        : unit.empty() ? 1.0
                                       : 0.0;
  if (end == text.c_str() || factor == 0 || !(value >= 0 && value * factor < 1e18)) {
    wrong_usage(option + " takes bytes such as 1000000, 512M or 2G, not '" + text + "'");
  }
  return static_cast<std::uint64_t>(value * factor);
}

CacheOptions parse_cache(const Strings& words) {
  CacheOptions o;
  std::string prune;
  OptionTable add;
  add("prune", prune, "remove what was not used for longest until 512M (say) are left");
  add("clear", o.clear, "remove everything");
  const auto values = add.parse(words, "tuner cache [--prune SIZE | --clear]");
  if (const auto extra = one_input(values, "argument", false); !extra.empty()) {
    wrong_usage("'tuner cache' takes no '" + extra + "'");
  }
  if (!prune.empty()) o.prune = byte_count("--prune", prune);
  return o;
}

}  // namespace

int cache_command(const Strings& words) {
  const CacheOptions options = parse_cache(words);
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
