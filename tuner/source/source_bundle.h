#pragma once
// A source with everything of the user's that it includes: as files, which a cache key must cover,
// or written out in one text, which can stand in a namespace of another file.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/hash.h"

namespace tuner {

struct BundledFile {
  std::string name;      // as the #include spells it; of the source: empty
  std::string text;      // of a large file, which is no header: its digest
  std::string path{};    // canonical; of the source: empty
  std::string digest{};  // as FileDigests has it
};

// Headers of the compiler itself (those that are in no include directory of the request) are not
// read: the compiler's identity stands for them. What a compiler might read is read, in a comment
// or behind an #if, too, which costs at worst a compilation too many: each name that a directive
// spells, in an #include, in __has_include or in a macro, in every place where it could be found.
class SourceBundle {
 public:
  // `source_name` is where the text comes from; "..." is looked up beside the including file and in
  // `include_dirs`; <...> in `include_dirs` only. Names of which there is no file are part of the
  // bundle, too: one that appears later makes another bundle.
  static SourceBundle read(const std::string& source, const std::string& source_name,
                           const std::vector<std::string>& include_dirs);

  const std::vector<BundledFile>& files() const { return files_; }

  // Over names and texts of all files and over what is missing, not over where they lie.
  Digest digest() const;

  // Whether nothing else can be read: false when an #include or __has_include names its file
  // through a macro, or the assembler may read one; `gap` says where.
  bool complete() const { return gap_.empty(); }
  const std::string& gap() const { return gap_; }

  // Whether a compiler that says what it opened knows the rest. An assembler does not say it.
  bool compiler_knows() const { return !assembler_reads_; }

  // Whether `identifier` can have a meaning here: it occurs as a word, or words are made (##).
  bool mentions(std::string_view identifier) const;

 private:
  class Reader;
  void scan(const std::string& text);

  std::vector<BundledFile> files_;
  std::set<std::string> missing_;
  std::string gap_;
  bool assembler_reads_ = false;
  std::set<std::string, std::less<>> words_;
  bool pastes_ = false;
};

// Every C identifier of a text, comments and strings included, each once.
std::set<std::string, std::less<>> words_of(std::string_view text);

// ---- written out --------------------------------------------------------------------------------

struct FlatSource {
  std::string text;
  // Whole #include lines of headers that are not the user's, in order, to go before the namespace.
  // Those that stand behind an #if are looked for first (__has_include).
  std::vector<std::string> headers;
  std::vector<std::string> macros;  // what the text defines: to be undefined behind it
};

// Includes are looked up as SourceBundle does. A file with "#pragma once" takes effect once. Names
// with C linkage get C++ linkage, because only those belong to their namespace. Throws InputError
// for an #include named by a macro and for a file that includes itself without end.
FlatSource flat_source(const std::string& source, const std::string& source_name,
                       const std::vector<std::string>& include_dirs);

}  // namespace tuner
