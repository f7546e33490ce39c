#pragma once
// The folder in which one variant is built, or runs; and that folder as one value, so that what was
// built in one process can be run in another, or on another machine.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/plugins/program/variant_text.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::program {

class VariantFolder {
 public:
  explicit VariantFolder(const Command& command);

  std::filesystem::path path() const { return scratch_.path() / "variant"; }
  // Runs words in the folder, without a shell. Returns what went wrong in a few lines, which begin
  // with `who`; empty: it ended with status 0.
  std::string run(const std::vector<std::string>& words, const std::string& who) const;
  // Returns the last MiB of the last run's output and messages.
  std::string output() const;

 private:
  programs::ScratchDirectory scratch_;
  std::vector<std::string> environment_;
};

// Regular files and links, in the order of their names. Throws sdk::Error (TUNER_INVALID) where
// they are larger than an image may be.
nlohmann::json packed(const std::filesystem::path& folder);

void unpack(const nlohmann::json& files, const std::filesystem::path& folder);

}  // namespace tuner::program
