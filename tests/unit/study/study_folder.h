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
  // A message without the folder's own path, and without_lines().
  std::string said(std::string text) const;

 private:
  std::filesystem::path folder_;
};

// Messages without the lines of a file that they show.
std::string without_lines(const std::string& text);

// A study that is right, with these sections in the place of its own or behind them. The lines of
// "kernel" to "launch" are 2 to 5, "arguments" begins on line 6, "reference" is line 8.
std::string usual_study(const std::string& sections);
// The same without "reference": what follows begins a line earlier.
std::string unreferenced_study(const std::string& sections);

// What read_study_file() says of a text: the message of its InputError, empty when it accepts it.
std::string complaints_of(const std::string& yaml);
// The rendered warnings of a text that it accepts.
std::string warnings_of(const std::string& yaml);
Study accepted(const std::string& yaml);

}  // namespace tuner::testing
