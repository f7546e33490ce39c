#pragma once
// Sources and artifacts of a run: what room compile offers, wired for the compile pool.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/ports/evaluator.h"
#include "tuner/run/settings.h"
#include "tuner/source/known_sources.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/artifact_cache.h"
#include "tuner/worker/compilers.h"

namespace tuner {

// Tells every warning about constants, parameters and arguments that the sources show. Throws
// InputError where the kernels take other arguments.
void check_sources(const Study& study, const Note& note);

// Reads it; `note` is told every warning. Sizes, such as "M=1024,N=1024", replace the study's.
// Throws InputError, also for a study that has only what `check` needs.
Study load_study(const std::string& file, const std::vector<std::string>& sizes, const Note& note);

// The same of a study that was read already.
Study checked_study(StudyFile read, const std::vector<std::string>& sizes, const Note& note);

// The study with another source of its kernel. The reference stays the study's own, so that no
// kernel is compared with what came with it.
Study with_source(Study study, const std::filesystem::path& source);

// The texts that a source includes, and its definitions by options: what its macros stand for.
std::vector<std::string> header_texts(const Study& study, const std::filesystem::path& source);

// The text of a source as compilers get it: without what is for the host, where the study's options
// do not make device code of all. Throws FatalError for a file that cannot be read.
std::string device_text(const Study& study, const std::filesystem::path& source);

struct SourceTexts {
  std::string kernel;     // without kernels that no variant launches
  std::string reference;  // the kernel's own where the study names no other; all of it, so that
                          // a source that does not compile ends a run at its beginning
  std::string digest;     // over both files and everything that they include
  KnownSources known;     // what that covers
};

// Throws FatalError when a file cannot be read.
SourceTexts read_sources(const Study& study);

// The same for a compiler that takes whole files, with what is for the host.
SourceTexts whole_sources(const Study& study, SourceTexts sources);

// The files beside the sources that are read where something is compiled or measured: headers, and
// what fills arguments and answers at the sizes that the study lists, or that a run with this seed
// chooses from its domain. Some need not be there.
std::vector<std::string> files_of_workers(const Study& study, const SourceTexts& sources,
                                          std::uint64_t seed);

// One line for each parameter of which the sources define or declare the name themselves, so that
// its values do not reach the kernel. Empty when the source cannot be read.
std::vector<std::string> unreached_parameters(const Study& study);

// Says which of the study's options this compiler (by the name of its plugin item) does not get,
// because they mean nothing to it; empty where it gets all.
std::string idle_options_note(const Study& study, const std::string& compiler);

// $XDG_CACHE_HOME/tuner or ~/.cache/tuner; empty where neither is set.
std::filesystem::path user_cache_directory();

// Finds artifacts in the user's cache; the compile workers put them there.
class ArtifactShelf {
 public:
  ArtifactShelf();
  // For the user: why artifacts are not kept for later runs; empty when they are.
  const std::string& trouble() const { return trouble_; }
  std::string dir() const { return cache_->directory().string(); }
  // Keys by `compiler`'s identity, for a study with these sources. Keeps the cache alive by itself.
  ArtifactLibrary library(const std::string& compiler, const SourceTexts& sources) const;
  // A text that is kept beside the artifacts, under a key of the caller's making.
  void remember(const std::string& key, const std::string& text) const;
  std::optional<std::string> recall(const std::string& key) const;

 private:
  std::shared_ptr<ArtifactCache> cache_;
  std::string trouble_;
};

// With what device and compiler are to prepare for the size: buffers, and the answers of the
// reference, whose source is `reference_text`. Study and space outlive it. Throws InputError.
SizeTask planned_task(const Study& study, const SearchSpace& space, const ProblemSize& size,
                      const DeviceFacts& facts, const std::string& reference_text);

}  // namespace tuner
