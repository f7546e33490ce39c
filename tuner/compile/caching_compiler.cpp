#include "tuner/compile/caching_compiler.h"

#include "tuner/compile/artifact_key.h"

namespace tuner {

CachingCompiler::CachingCompiler(std::unique_ptr<Compiler> compiler, ArtifactCache& cache)
    : compiler_(std::move(compiler)), cache_(cache), identity_(compiler_->identity()) {}

Expected<Artifact, CompileFailure> CachingCompiler::compile(const CompileRequest& request) {
  // Headers may be edited while we run: they are read for every request.
  const auto key = artifact_key(request, bundle_of(request), identity_);
  if (key) {
    if (auto found = cache_.find(*key)) return std::move(*found);
  }
  auto built = compiler_->compile(request);
  if (key && built) cache_.put(*key, *built);
  return built;
}

}  // namespace tuner
