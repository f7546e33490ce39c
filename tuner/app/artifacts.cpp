#include "tuner/app/artifacts.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "tuner/base/atomic_file.h"
#include "tuner/base/hash.h"
#include "tuner/compile/artifact_key.h"
#include "tuner/worker/child.h"

namespace tuner {
namespace {

Digest digest_of(const Study& study, const std::filesystem::path& file, const std::string& text) {
  CompileRequest request;
  request.source = text;
  request.source_name = file.string();
  request.include_dirs = {file.parent_path().string()};
  request.options = study.kernel.options;
  return bundle_of(request).digest();
}

// A request that must not be cached still shares its compilation with its equals of this run.
std::string uncached_key(const CompileRequest& request) {
  Hasher hasher;
  hasher.add(request.source).add(request.entry).add(request.arch);
  for (const auto& [name, text] : request.defines) hasher.add(name).add(text);
  for (const std::string& option : request.options) hasher.add(option);
  for (const std::string& entry : request.then) hasher.add(entry);
  return kUncachedMark + to_hex(hasher.digest());
}

// Bundles by what they are read from: a run has one or two, and ten thousand requests.
class Bundles {
 public:
  const SourceBundle& of(const CompileRequest& request) {
    std::string name = request.source_name;
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

}  // namespace

SourceTexts read_sources(const Study& study) {
  const bool own_file = study.reference && study.reference->source;
  const std::filesystem::path& second = own_file ? *study.reference->source : study.kernel.source;
  SourceTexts texts;
  texts.kernel = read_file(study.kernel.source);
  texts.reference = own_file ? read_file(second) : texts.kernel;
  texts.digest = to_hex(Hasher()
                            .add(to_hex(digest_of(study, study.kernel.source, texts.kernel)))
                            .add(to_hex(digest_of(study, second, texts.reference)))
                            .digest());
  return texts;
}

std::filesystem::path user_cache_directory() {
  return default_cache_directory(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
}

ArtifactShelf::ArtifactShelf() : cache_(std::make_shared<ArtifactCache>(user_cache_directory())) {
  // The workers write; that they cannot is said here, once.
  const std::filesystem::path& folder = cache_->directory();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (folder.empty() || !std::filesystem::is_directory(folder, failed) ||
      ::access(folder.c_str(), W_OK) != 0) {
    std::cerr << "artifacts are not kept for later runs: "
              << (folder.empty() ? "neither XDG_CACHE_HOME nor HOME is set"
                                 : "cannot write " + folder.string())
              << "\n";
  }
}

ArtifactLibrary ArtifactShelf::library(const std::string& compiler) const {
  ArtifactLibrary library;
  const auto bundles = std::make_shared<Bundles>();
  library.key = [compiler, bundles](const CompileRequest& request) {
    const auto key = artifact_key(request, bundles->of(request), compiler);
    return key ? *key : uncached_key(request);
  };
  library.find = [cache = cache_](const std::string& key) {
    return key.front() == kUncachedMark ? std::nullopt : cache->find(key);
  };
  return library;
}

}  // namespace tuner
