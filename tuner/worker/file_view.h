#pragma once
// The coordinator's files as a worker of another machine finds them: all that it may read lies in
// one folder, under the names that the coordinator has for them. Requests that arrive name files as
// the coordinator does, and so do answers.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/model/plan.h"

namespace tuner {

class FileView {
 public:
  // Of a worker on the coordinator's machine: names mean what they say.
  FileView() = default;
  // `root` stands for the coordinator's "/", and relative names begin in its `folder`. The view
  // ends at `root`: what does not lie there is not there.
  FileView(std::string root, std::string folder);

  // What is to be done, by the names of this machine.
  CompileRequest here(CompileRequest request) const;
  SizePlan here(SizePlan plan) const;
  std::vector<VariantPlan> here(std::vector<VariantPlan> plans) const;

  // What came of it, by the coordinator's names.
  std::string told(std::string text) const;
  Artifact told(Artifact artifact, const CompileRequest& asked) const;
  CompileFailure told(CompileFailure failure, const CompileRequest& asked) const;

 private:
  bool is_open() const { return root_.empty(); }
  std::string here(const std::string& name) const;
  void see(ArgumentPlan& argument) const;
  std::string told(std::string text, const CompileRequest& asked) const;
  void tell(OpenedFiles& opened) const;

  std::string root_;
  std::string folder_;
};

// As a start message says it to a worker of another machine: files {root, folder}.
FileView view_in(const nlohmann::json& start);

}  // namespace tuner
