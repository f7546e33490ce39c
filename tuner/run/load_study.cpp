// Reads a study for the commands that run one.

#include "tuner/run/load_study.h"

#include <algorithm>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/run/sources.h"
#include "tuner/study/size_check.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

Study load_study(const std::string& file, const std::vector<std::string>& sizes,
                 const std::function<void(const std::string&)>& note) {
  StudyFile read = read_study_file(file);
  for (const Complaint& warning : read.warnings) {
    note("warning: " + render(warning, read.study.text));
  }
  Study study = std::move(read.study);
  for (const std::string& warning : constant_warnings(study)) note("warning: " + warning);
  for (const std::string& warning : unreached_parameters(study)) note("warning: " + warning);
  SignatureComplaints unlike = signature_complaints(study);
  for (const Complaint& warning : unlike.warnings) note("warning: " + render(warning, study.text));
  if (!unlike.errors.empty()) throw InputError(std::move(unlike.errors), study.text);
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to run: 'kernel', 'launch' and 'arguments' are "
                               "needed beside the parameters",
                               ""});
  }
  std::vector<ProblemSize> wanted;
  for (const std::string& text : sizes) {
    const ProblemSize size = parse_size_option(text, study);
    if (std::ranges::find(wanted, size) == wanted.end()) wanted.push_back(size);
  }
  if (wanted.empty()) return study;
  study.sizes = std::move(wanted);
  study.domain.reset();
  return study;
}

Study with_source(Study study, const std::filesystem::path& source) {
  auto& reference = study.reference;
  if (reference && !reference->source && !reference->by_problem && reference->files.empty()) {
    reference->source = study.kernel.source;
  }
  study.kernel.source = source;
  return study;
}

}  // namespace tuner
