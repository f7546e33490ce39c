#include "tests/unit/study/study_folder.h"

#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace tuner::testing {

StudyFolder::StudyFolder(const std::string& yaml) {
  std::string name = (std::filesystem::temp_directory_path() / "tuner-study-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  std::filesystem::create_directory(folder_ / "sub");
  std::ofstream(folder_ / "k.cu") << "x\n";
  std::ofstream(file()) << yaml;
}

StudyFolder::~StudyFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string StudyFolder::without_folder(std::string text) const {
  const std::string prefix = folder_.string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return text;
}

std::string complaints_of(const std::string& yaml) {
  const StudyFolder folder(yaml);
  try {
    read_study_file(folder.file());
  } catch (const InputError& error) {
    return folder.without_folder(error.what());
  }
  return {};
}

std::string warnings_of(const std::string& yaml) {
  const StudyFolder folder(yaml);
  const StudyFile read = read_study_file(folder.file());
  std::string all;
  for (const Complaint& warning : read.warnings) {
    all += (all.empty() ? "" : "\n") + render(warning, read.study.text);
  }
  return folder.without_folder(all);
}

Study accepted(const std::string& yaml) { return read_study(StudyFolder(yaml).file()); }

}  // namespace tuner::testing
