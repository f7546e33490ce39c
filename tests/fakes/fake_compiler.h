#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/ports/compiler.h"

namespace tuner {

// Compiles by a function of the test's; without one, to an image that is the entry's name.
class FakeCompiler : public Compiler {
 public:
  using Body = std::function<Expected<Artifact, CompileFailure>(const CompileRequest&)>;

  FakeCompiler() = default;
  explicit FakeCompiler(Body body) : body_(std::move(body)) {}

  std::string identity() override { return name; }
  Expected<Artifact, CompileFailure> compile(const CompileRequest& request) override {
    requests.push_back(request);
    if (body_) return body_(request);
    Artifact artifact;
    artifact.image = request.entry;
    artifact.entry = request.entry;
    for (const std::string& symbol : request.symbols) artifact.symbols.emplace_back(symbol, symbol);
    return artifact;
  }

  std::string name = "fake compiler 1";
  std::vector<CompileRequest> requests;

 private:
  Body body_;
};

}  // namespace tuner
