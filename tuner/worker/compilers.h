#pragma once
// Interfaces of a search to compilation: compilers, and the library of earlier artifacts.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/ports/evaluator.h"
#include "tuner/source/known_sources.h"
#include "tuner/worker/channel.h"

namespace tuner {

// One artifact, and one image in memory, for all who wait for it.
using CompileOutcome = Expected<std::shared_ptr<const Artifact>, CompileFailure>;

struct CompileResult {
  std::uint64_t id = 0;
  CompileOutcome outcome;
  bool shared = false;  // an earlier id asked for it: this one cost nothing
};

// Compilers as a search sees them. Used by one thread.
class Compilers {
 public:
  virtual ~Compilers() = default;

  // Identity of the compiler, for cache keys. Throws UnavailableError with the compiler's reason.
  virtual const std::string& identity() = 0;

  // `key` names the artifact in the cache. While a request with this key is under way, `request` is
  // dropped, and the answer to that one, good or bad, is the answer to both. Returns the id that
  // the result will have; none is given twice.
  virtual std::uint64_t submit(const std::string& key, CompileRequest request) = 0;
  virtual bool is_under_way(const std::string& key) const = 0;
  // Cancels ids: they are never answered, and what only they asked for is not compiled any more.
  virtual void cancel(const std::vector<std::uint64_t>& ids) = 0;
  // Returns how long this key has been with a compiler; empty while it waits for one.
  virtual std::optional<double> seconds_at_work(const std::string& key) const = 0;

  // Adds what there is to wait for until handle() has something to do.
  virtual void watch(PollSet& awaited) const = 0;
  virtual std::vector<CompileResult> handle() = 0;

  // How many a search is to keep busy, and for how many seconds these were.
  virtual unsigned jobs() const = 0;
  virtual double busy_seconds() const = 0;
  // Returns when these compilers were at work, and the memory that they take, all together.
  virtual Load load() const = 0;
};

// Names and finds artifacts. Wired to the source bundle and the disk cache by whoever has them.
struct ArtifactLibrary {
  std::function<std::string(const CompileRequest&)> key;
  std::function<std::optional<Artifact>(const std::string& key)> find;
  // Returns the provenance of a trial whose compiler opened these files. May be empty: then no
  // trial depends on anything that is not known.
  std::function<Provenance(const OpenedFiles&)> judge = {};
};

// All that a search needs to compile its variants.
struct Toolchain {
  std::string source_text;  // of the kernel
  ArtifactLibrary library;
  Compilers& compilers;  // outlives this

  Provenance judge(const OpenedFiles& opened) const {
    return library.judge ? library.judge(opened) : Provenance{};
  }
};

}  // namespace tuner
