#pragma once
// The names of artifacts: everything that the compiler can see.

#include <set>
#include <string>
#include <vector>

#include "tuner/compile/include_options.h"
#include "tuner/compile/source_bundle.h"
#include "tuner/model/artifact.h"

namespace tuner {

// Where the includes of a request are looked up: its directories and those among its options
// ("-Idir").
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
// anything else of the request mentions does not enter.
std::string artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                         const std::string& compiler_identity);

}  // namespace tuner
