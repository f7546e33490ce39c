#pragma once
// Source to image: what the house asks of a compiler.

#include <string>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"

namespace tuner {

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Name and version of everything that turns a request into an image; part of every cache key.
  virtual std::string identity() = 0;
  // Throws UnavailableError when it cannot work here any more, whatever the request (no room for
  // its temporary files).
  virtual Expected<Artifact, CompileFailure> compile(const CompileRequest& request) = 0;
};

}  // namespace tuner
