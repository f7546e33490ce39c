#pragma once
// The files that a result is made from: the name of an artifact, which covers everything that the
// compiler can see, and whether the files are still what they were.

#include <set>
#include <string>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/model/artifact.h"
#include "tuner/model/trial.h"
#include "tuner/source/source_bundle.h"

namespace tuner {

// Joins "-I DIR" and its like, which may come as two words, to one. Compilers are given this form,
// so that they and the scan of the source see the same folders.
std::vector<std::string> joined_include_options(const std::vector<std::string>& options);

// How far the files that a compiler reads are known.
enum class Reach {
  kScanned,   // the scan of the source finds all
  kReported,  // it takes the compiler's own word: a forced include, an #include named by a macro
  kUnknown,   // neither finds all
};

// Lists the folders in which the includes of a request are looked up: its directories and those
// among its options ("-Idir").
std::vector<std::string> include_dirs_of(const CompileRequest& request);

// The bundle of a request.
SourceBundle bundle_of(const CompileRequest& request);

// Names of the definitions that can matter: mentioned by the sources, the entry, an option, or by
// the text of another definition that matters.
std::set<std::string> relevant_defines(const CompileRequest& request, const SourceBundle& bundle);

// How far the files that `request` is compiled from are known: by the bundle, by what the compiler
// reports beside, or not at all.
Reach reach_of(const CompileRequest& request, const SourceBundle& bundle);

// Name of the artifact that `request` gives: equal for requests that cannot give different ones, as
// far as the bundle reaches, different for all others. A definition that neither the bundle nor
// anything else of the request mentions does not enter. Requests that must not be cached share a
// compilation with their equals of this run, too.
std::string artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                         const std::string& compiler_identity);

// Returns the name under which the cache keeps the artifact that was requested by `key`; empty
// where it must not keep it, because its files are not all known. `is_reported`: its compiler
// reports them.
std::string cache_name(const std::string& key, bool is_reported);

// ---- what is known of the files -----------------------------------------------------------------

// The files that a digest of sources covers.
struct KnownSources {
  std::vector<FileState> files;              // without the sources themselves
  std::vector<std::string> folders;          // where names of includes are looked up
  std::vector<std::string> library_folders;  // where the linker and the loader look first
  Reach reach = Reach::kScanned;             // how far this is all that a compiler reads
  std::string gap;                           // where it is not
};

// Adds a source with all that its bundle found.
void add_sources(KnownSources& to, const CompileRequest& request, const SourceBundle& bundle);

// The files that a compilation depends on besides known sources.
struct Provenance {
  // Files that it opened, and names that would have been found before them, had they been there.
  std::vector<FileState> further;
  bool known = true;  // false: what it was made from is not known
};

// Appends to the trial's dependencies.
void add_provenance(const Provenance& more, Trial& trial);

Provenance provenance_of(const OpenedFiles& opened, const KnownSources& known);

// The first of `files` that is not as it was; empty when all are.
std::string first_changed(const std::vector<FileState>& files, FileDigests& digests);

// Whether an artifact can stand for what its compiler would make now.
bool is_current(const Artifact& artifact, const KnownSources& known, FileDigests& digests);

}  // namespace tuner
