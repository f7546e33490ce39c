#pragma once
// A source with everything of the user's that it includes: what a cache key must cover.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/hash.h"

namespace tuner {

struct BundledFile {
  std::string name;  // as the #include spells it; of the source: empty
  std::string text;
};

// Headers of the compiler itself (those that are in no include directory of the request) are not
// read: the compiler's identity stands for them. An #include in a comment or behind an #if is read
// like any other, which costs at worst a compilation too many.
class SourceBundle {
 public:
  // `source_name` is where the text comes from; #include "..." is looked up beside the including
  // file, then in `include_dirs`; #include <...> in `include_dirs` only. Files that are not there
  // are left to the compiler.
  static SourceBundle read(const std::string& source, const std::string& source_name,
                           const std::vector<std::string>& include_dirs);

  const std::vector<BundledFile>& files() const { return files_; }

  // Over names and texts of all files, not over where they lie.
  Digest digest() const;

  // False when an #include names its file through a macro: what it reads is then not known.
  bool complete() const { return complete_; }

  // Whether `identifier` can have a meaning here: it occurs as a word, or words are made (##).
  bool mentions(std::string_view identifier) const;

 private:
  void scan(const std::string& text);

  std::vector<BundledFile> files_;
  std::set<std::string, std::less<>> words_;
  bool complete_ = true;
  bool pastes_ = false;
};

// Every C identifier of a text, comments and strings included, each once.
std::set<std::string, std::less<>> words_of(std::string_view text);

}  // namespace tuner
