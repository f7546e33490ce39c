#pragma once
// Whether a file that the user names may be written: nothing of the user's is lost by a slip.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

// An exporter of a plugin writes what it likes. A file of it is known by its contents: their digest
// is kept in this user's cache, as far as there is one. Of what says so itself nothing is kept.
void remember_output(const std::string& text);

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

  // Throws InputError for a file that must not be written. "-", devices, pipes and what is not
  // there may be; folders are left to the system to refuse.
  void check(const std::filesystem::path& target) const;

 private:
  bool force_;
  void protect_data(const Study& study, const std::filesystem::path& file, const std::string& what);

  std::vector<std::pair<std::filesystem::path, std::string>> protected_;
  std::vector<std::filesystem::path> stores_;
};

}  // namespace tuner
