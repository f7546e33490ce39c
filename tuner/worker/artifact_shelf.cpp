// Names the artifacts of a study, and says where the cache lies.

#include "tuner/worker/artifact_shelf.h"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <system_error>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/trust.h"
#include "tuner/source/known_sources.h"

namespace tuner {
namespace {

// Bundles by what they are read from: a run has one or two, and ten thousand requests.
class Bundles {
 public:
  const SourceBundle& of(const CompileRequest& request) {
    std::string name = request.source_name + '\n' + request.source;
    for (const auto* list : {&request.include_dirs, &request.options}) {
      for (const std::string& word : *list) name += '\n' + word;
    }
    const auto known = bundles_.find(name);
    if (known != bundles_.end()) return known->second;
    return bundles_.emplace(std::move(name), bundle_of(request)).first->second;
  }

 private:
  std::map<std::string, SourceBundle> bundles_;
};

std::string why_not_kept(const std::filesystem::path& folder) {
  if (folder.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  make_private_directory(folder);
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed) || ::access(folder.c_str(), W_OK) != 0) {
    return "cannot write " + folder.string();
  }
  return why_not_trusted(folder);
}

}  // namespace

void ArtifactShelf::remember(const std::string& key, const std::string& text) const {
  Artifact note;
  note.log = text;
  cache_->put(key, note);
}

std::optional<std::string> ArtifactShelf::recall(const std::string& key) const {
  const auto note = cache_->find(key);
  return note ? std::optional(note->log) : std::nullopt;
}

std::filesystem::path user_cache_directory() {
  return default_cache_directory(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
}

ArtifactShelf::ArtifactShelf() : cache_(std::make_shared<ArtifactCache>(user_cache_directory())) {
  // The workers write; that they cannot is found out here, once.
  const std::string reason = why_not_kept(cache_->directory());
  if (!reason.empty()) trouble_ = "artifacts are not kept for later runs: " + reason;
}

ArtifactLibrary ArtifactShelf::library(const std::string& compiler,
                                       const SourceTexts& sources) const {
  ArtifactLibrary library;
  const auto bundles = std::make_shared<Bundles>();
  const auto known = std::make_shared<const KnownSources>(sources.known);
  const auto digests = std::make_shared<FileDigests>();
  library.key = [compiler, bundles](const CompileRequest& request) {
    return artifact_key(request, bundles->of(request), compiler);
  };
  library.find = [cache = cache_, known, digests](const std::string& key) {
    std::optional<Artifact> found;
    if (const std::string name = cache_name(key, true); !name.empty()) found = cache->find(name);
    if (found && !is_current(*found, *known, *digests)) found.reset();
    return found;
  };
  library.judge = [known](const OpenedFiles& opened) { return provenance_of(opened, *known); };
  return library;
}

}  // namespace tuner
