#include "tests/unit/study/study_folder.h"

#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "tuner/check/checked_study.h"

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

std::string StudyFolder::said(std::string text) const {
  const std::string prefix = folder_.string() + "/";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
    text.erase(at, prefix.size());
  }
  return without_lines(text);
}

std::string without_lines(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    ")) out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

std::string usual_study(const std::string& sections) {
  std::vector<std::string> parts{"schema: 1\n",
                                 "kernel: {name: k, source: k.cu, entry: k}\n",
                                 "problem_sizes: [{N: 64}]\n",
                                 "parameters: {B: [1, 2]}\n",
                                 "launch: {block: [B], grid: [N]}\n",
                                 "arguments:\n  - {name: Y, type: float, shape: [N], role: out}\n",
                                 "reference: {entry: r, block: [1], grid: [N]}\n"};
  std::istringstream lines(sections);
  std::string* part = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(" ")) {
      const std::string key = line.substr(0, line.find(':') + 1);
      const auto own =
          std::ranges::find_if(parts, [&](const std::string& one) { return one.starts_with(key); });
      part = own == parts.end() ? &parts.emplace_back() : &*own;
      part->clear();
    }
    *part += line + "\n";
  }
  std::string study;
  for (const std::string& one : parts) study += one;
  return study;
}

std::string unreferenced_study(const std::string& sections) {
  std::string study = usual_study("reference: none\n" + sections);
  return study.erase(study.find("reference: none\n"), std::strlen("reference: none\n"));
}

std::string complaints_of(const std::string& yaml) {
  const StudyFolder folder(yaml);
  try {
    read_study_file(folder.file());
  } catch (const InputError& error) {
    return folder.said(error.what());
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
  return folder.said(all);
}

Study accepted(const std::string& yaml) { return read_study(StudyFolder(yaml).file()); }

}  // namespace tuner::testing
