#pragma once
// Which files a result depends on, and whether they are still what they were.

#include <string>
#include <vector>

#include "tuner/base/file_digest.h"
#include "tuner/model/trial.h"
#include "tuner/source/artifact_key.h"

namespace tuner {

// What a digest of sources covers.
struct KnownSources {
  std::vector<FileState> files;      // without the sources themselves
  std::vector<std::string> folders;  // where names of includes are looked up
  Reach reach = Reach::kScanned;     // how far this is all that a compiler reads
  std::string gap;                   // where it is not
};

// Adds a source with all that its bundle found.
void add_sources(KnownSources& to, const CompileRequest& request, const SourceBundle& bundle);

// What a compilation depends on beside these.
struct Provenance {
  // Files that it opened, and names that would have been found before them, had they been there.
  std::vector<FileState> further;
  bool known = true;  // false: nobody can say what it was made from
};

// To what a trial depends on already.
void add_provenance(const Provenance& more, Trial& trial);

Provenance provenance_of(const OpenedFiles& opened, const KnownSources& known);

// The first of `files` that is not as it was; empty when all are.
std::string first_changed(const std::vector<FileState>& files, FileDigests& digests);

// Whether an artifact can stand for what its compiler would make now.
bool is_current(const Artifact& artifact, const KnownSources& known, FileDigests& digests);

}  // namespace tuner
