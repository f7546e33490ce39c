#pragma once

#include <memory>
#include <string>

#include "tuner/compile/artifact_cache.h"
#include "tuner/ports/compiler.h"

namespace tuner {

// Asks the cache first. Failures are not kept: they are quick, and their cause may be mended.
class CachingCompiler : public Compiler {
 public:
  // The cache must outlive the compiler.
  CachingCompiler(std::unique_ptr<Compiler> compiler, ArtifactCache& cache);

  std::string identity() override { return identity_; }
  Expected<Artifact, CompileFailure> compile(const CompileRequest& request) override;

 private:
  std::unique_ptr<Compiler> compiler_;
  ArtifactCache& cache_;
  std::string identity_;
};

}  // namespace tuner
