#pragma once
// Images of variants as files that a program's driver loads: compiled by the study's compiler, or
// from the user's cache.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/interrupt.h"
#include "tuner/bench/bench.h"
#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct VariantImage {
  std::filesystem::path file;
  std::string symbol;  // of the kernel, mangled
};

class VariantImages {
 public:
  // Of the cuda backend, written to `folder`. All outlive this. Throws UnavailableError where
  // nothing here compiles CUDA, FatalError where a source cannot be read.
  VariantImages(const Study& study, const Catalogue& catalogue, const WorkerProgram& program,
                const DeviceFacts& device, const StopRequest& stop, std::filesystem::path folder);

  const std::string& source_text() const { return compilers_.sources.kernel; }
  const std::vector<std::string>& notes() const { return compilers_.notes; }
  // Compiles it unless that was done. A failure is the compiler's first complaint.
  Expected<VariantImage, std::string> of(const CompileRequest& request);

 private:
  Expected<std::shared_ptr<const Artifact>, std::string> compiled(const std::string& key,
                                                                  const CompileRequest& request);

  const StopRequest& stop_;
  std::filesystem::path folder_;
  ArtifactShelf shelf_;
  StudyCompilers compilers_;
  ArtifactLibrary library_;
  std::map<std::string, Expected<VariantImage, std::string>> known_;  // by key
};

}  // namespace tuner
