#pragma once
// Whether a file that the user names may be written: nothing of the user's is lost by a slip. All
// commands and the library ask here.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

// The text of a study, with its digest in a remark at the end. A study is there to be edited: from
// then on it is the user's.
std::string sealed(const std::string& text);

// Files are told apart by what they are, not by how they are spelled: a link to a protected file is
// that file.
class OutputGuard {
 public:
  explicit OutputGuard(bool force) : force_(force) {}

  // `what` follows the path in the message: "is the recording that is replayed".
  void protect(const std::filesystem::path& file, const std::string& what);
  // The study, its sources, what they include, and the files that its inputs are read from.
  void protect(const Study& study);
  // The database of a results folder, and what belongs to it. Not to be had by --force either.
  void protect_store(const std::filesystem::path& folder);

  // Lists what must not be written, with the reason of each; a file may be there several times.
  const std::vector<std::pair<std::filesystem::path, std::string>>& protects() const {
    return protected_;
  }

  // Throws InputError for what must not be written. What is not there may be; "-", character
  // devices and pipes are written to and stay what they are; a link leads to what it names.
  void check(const std::filesystem::path& target) const;

  // Checks, and replaces the file by one with this text. The digest of what does not say itself
  // where it comes from is kept in the user's cache, as far as there is one.
  void write(const std::filesystem::path& target, const std::string& text) const;

 private:
  bool force_;
  void protect_data(const Study& study, const std::filesystem::path& file, const std::string& what);

  std::vector<std::pair<std::filesystem::path, std::string>> protected_;
  std::vector<std::filesystem::path> stores_;
};

}  // namespace tuner
