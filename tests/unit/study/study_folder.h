#pragma once
// A folder with a study file, the kernel source that it names ("k.cu", 2 bytes) and a folder "sub".

#include <filesystem>
#include <string>

#include "tuner/study/yaml_reader.h"

namespace tuner::testing {

class StudyFolder {
 public:
  explicit StudyFolder(const std::string& yaml);
  ~StudyFolder();
  StudyFolder(const StudyFolder&) = delete;
  StudyFolder& operator=(const StudyFolder&) = delete;

  std::filesystem::path file() const { return folder_ / "study.yaml"; }
  // The folder's own path taken out of a message.
  std::string without_folder(std::string text) const;

 private:
  std::filesystem::path folder_;
};

// What read_study_file() says of a text: the message of its InputError, empty when it accepts it.
std::string complaints_of(const std::string& yaml);
// The rendered warnings of a text that it accepts.
std::string warnings_of(const std::string& yaml);
Study accepted(const std::string& yaml);

}  // namespace tuner::testing
