#pragma once
// A YAML or JSON file as a tree that knows where everything stands. Only yaml_tree.cpp sees
// yaml-cpp.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/error.h"

namespace tuner {

// Everything that is wrong with one file, collected while it is read; and with those that it
// extends, which lie behind it in one text: a node's line is that of the whole, a position that of
// a file.
class Diagnostics {
 public:
  Diagnostics(std::string file, std::string text);

  // Behind the files before it; returns how many lines they have together.
  int append(std::string file, const std::string& text);

  const std::string& file() const { return files_.front().name; }  // the first
  const std::string& text() const { return text_; }
  bool knows(const std::string& absolute) const;  // whether the file is one of them
  std::size_t count() const { return files_.size(); }

  Position at(int line, int column) const;
  // Byte offset of a line's column in text(), both from 1; the text's size when past its end.
  std::size_t offset_of(int line, int column) const;
  Position position_of(std::size_t offset) const;

  void error(Position where, std::string message, std::string suggestion = {});
  void warning(Position where, std::string message, std::string suggestion = {});

  bool ok() const { return errors_.empty(); }
  // Complaints in the order of the files, each once.
  std::vector<Complaint> errors() const;
  std::vector<Complaint> warnings() const;

 private:
  struct File {
    std::string name;
    int lines_before;
  };
  std::vector<Complaint> in_order(std::vector<Complaint> all) const;

  std::vector<File> files_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Complaint> errors_;
  std::vector<Complaint> warnings_;
};

// A name that is not among `known`: "did you mean ...?" for a near miss, else what is known.
std::string suggestion_for(const std::string& name, const std::vector<std::string>& known);

struct YamlNode;
using YamlRef = std::shared_ptr<const YamlNode>;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Diagnostics* diagnostics = nullptr;  // of its file
  Kind kind = Kind::kNull;
  bool plain = true;           // an unquoted scalar: may be a number or a boolean
  bool flow = false;           // a collection in [] or {}
  std::string text;            // of a scalar
  std::vector<YamlRef> items;  // of a sequence
  std::vector<std::pair<YamlRef, YamlRef>> entries;  // of a map: scalar key (unique), value
  int line = 1;                                      // both count from 1
  int column = 1;
  std::size_t weight = 1;  // nodes in this subtree, aliases followed

  bool is_null() const { return kind == Kind::kNull; }
  bool is_scalar() const { return kind == Kind::kScalar; }
  bool is_sequence() const { return kind == Kind::kSequence; }
  bool is_map() const { return kind == Kind::kMap; }
  // Returns the value of a key of a map, also a null node; nullptr where the key is not there.
  const YamlNode* value_of(std::string_view key) const;

  Position where() const;
  // Returns where byte `offset` of a scalar's text stands: past an opening quote, and on the right
  // line of folded text.
  Position where(std::size_t offset) const;
  std::filesystem::path folder() const;  // of its file, absolute: names of files are relative to it
  // Reports what is wrong at this node, and what is allowed.
  void error(std::string message, std::string suggestion = {}) const;
  void warning(std::string message, std::string suggestion = {}) const;
};

// Limits that no honest study reaches; they keep hostile ones cheap.
inline constexpr std::size_t kMaxYamlBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxYamlNodes = 200000;  // counted with aliases followed
inline constexpr int kMaxYamlDepth = 32;

// The only document of the text, a null node for an empty one. Duplicate keys, an unquoted
// expression that YAML split at its comma, and tags are errors that reading survives. Null with an
// error where the text is not YAML or is beyond a limit.
YamlRef parse_yaml(Diagnostics& diagnostics);
// The same of JSON, whose texts, keys and line breaks are not all those of YAML.
YamlRef parse_json(Diagnostics& diagnostics);

// Whether it reads as Python's "2**i for i in range(1, 6)". In a list of YAML it may be split at
// its commas, which is mended without a word.
bool is_comprehension(const std::string& text);

// ---- a study that extends another, as one tree: the other's, with what is said here instead -----

inline constexpr std::size_t kMostExtended = 32;  // studies in a row

// `own` and what it extends, and what that extends, in one tree. `diagnostics` knows the own file,
// and every other one afterwards. `first` is the file at the end of the chain. Throws InputError
// with what is no YAML in another file, or cannot be read.
YamlRef extended_tree(Diagnostics& diagnostics, const YamlRef& own,
                      const std::filesystem::path& file, std::filesystem::path& first);

}  // namespace tuner
