#pragma once

#include <optional>
#include <string>

#include "tuner/compile/source_bundle.h"
#include "tuner/model/artifact.h"

namespace tuner {

// The bundle of a request, with the include directories among its options ("-Idir").
SourceBundle bundle_of(const CompileRequest& request);

// Name of the artifact that `request` gives: equal for requests that cannot give different ones,
// different for all others. A definition that neither the bundle nor anything else of the request
// mentions does not enter. Empty when what is compiled cannot be known (an #include named by a
// macro, a file that an option includes): such a request must not be cached.
std::optional<std::string> artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                                        const std::string& compiler_identity);

}  // namespace tuner
