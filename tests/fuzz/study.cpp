#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/targets.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/study/yaml_reader.h"

namespace tuner::fuzz {

void study(const std::string& bytes) {
  const FileDescriptor file(::memfd_create("study", MFD_CLOEXEC));
  if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return;
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  try {
    const StudyFile read = read_study_file(path);
    require(!read.study.parameters.empty(), "a study that is accepted has parameters");
  } catch (const InputError& error) {
    require(!error.complaints().empty(), "who refuses a study says why");
  }
}

}  // namespace tuner::fuzz
