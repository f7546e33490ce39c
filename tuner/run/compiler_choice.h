#pragma once
// Which compiler takes a study, where a backend has two: NVRTC, which is quick, or nvcc, which
// takes whole files with their host code.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/run/sources.h"
#include "tuner/worker/compile_pool.h"

namespace tuner {

// The compile workers of a study, and what they are given.
struct StudyCompilers {
  std::unique_ptr<CompilePool> pool;
  SourceTexts sources;  // as this compiler takes them
  // For the user: why it is not NVRTC, options that it does not get.
  std::vector<std::string> notes;
  bool takes_whole = false;  // sources
};

// `own` has the backend's own compiler. Where the study leaves it open and there is nvcc, too,
// NVRTC is asked to compile the reference and one configuration, and nvcc only where that fails: so
// all compilations of a run are one compiler's. What was chosen is kept with the artifacts, and a
// repeated run does not ask again. `open` starts workers with the compiler that it is given the
// name of, and may throw an UnavailableError; `device` is asked only where a choice depends on it.
// Throws an InterruptedError when `stop` comes before the choice is made.
StudyCompilers compilers_for(
    const Study& study, const std::string& backend, const ArtifactShelf& shelf,
    const StopRequest& stop, const std::function<DeviceFacts()>& device,
    std::unique_ptr<CompilePool> own,
    const std::function<std::unique_ptr<CompilePool>(const std::string& compiler)>& open);

}  // namespace tuner
