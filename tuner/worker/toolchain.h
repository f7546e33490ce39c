#pragma once
// What compiles: a study's source, the library of what was compiled before, and the compile pool.

#include <functional>
#include <optional>
#include <string>

#include "tuner/compile/known_sources.h"
#include "tuner/model/artifact.h"
#include "tuner/worker/compilers.h"

namespace tuner {

// Names and finds artifacts. Wired to the source bundle and the disk cache by whoever has them.
struct ArtifactLibrary {
  std::function<std::string(const CompileRequest&)> key;
  std::function<std::optional<Artifact>(const std::string& key)> find;
  // What a trial depends on whose compiler opened these. May be empty: on nothing that is not
  // known.
  std::function<Provenance(const OpenedFiles&)> judge = {};
};

struct Toolchain {
  std::string source_text;  // of the kernel
  ArtifactLibrary library;
  Compilers& compilers;  // outlives this

  Provenance judge(const OpenedFiles& opened) const {
    return library.judge ? library.judge(opened) : Provenance{};
  }
};

}  // namespace tuner
