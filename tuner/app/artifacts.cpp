#include "tuner/app/artifacts.h"

#include "tuner/base/atomic_file.h"
#include "tuner/base/hash.h"

namespace tuner {

SourceTexts read_sources(const Study& study) {
  SourceTexts texts;
  texts.kernel = read_file(study.kernel.source);
  texts.reference = study.reference && study.reference->source
                        ? read_file(*study.reference->source)
                        : texts.kernel;
  texts.digest = to_hex(Hasher().add(texts.kernel).add(texts.reference).digest());
  return texts;
}

std::string ArtifactShelf::dir() const { return {}; }

ArtifactLibrary ArtifactShelf::library(const std::string& compiler) const {
  ArtifactLibrary library;
  library.key = [compiler](const CompileRequest& request) {
    Hasher hasher;
    hasher.add(compiler).add(request.source).add(request.entry).add(request.arch);
    for (const auto& [name, text] : request.defines) hasher.add(name).add(text);
    for (const std::string& option : request.options) hasher.add(option);
    for (const std::string& folder : request.include_dirs) hasher.add(folder);
    for (const std::string& symbol : request.symbols) hasher.add(symbol);
    return to_hex(hasher.digest());
  };
  library.find = [](const std::string&) { return std::optional<Artifact>(); };
  return library;
}

}  // namespace tuner
