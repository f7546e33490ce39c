#pragma once
// Typed values out of YAML nodes: scalars, lists, maps with known keys, and names of a form.
// 'what' names the place in messages: "'seconds'".

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/expression/value.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

// "a list", "a map", "text", "a number", "nothing".
std::string kind_of(const YamlNode& node);

// An unquoted true/false, integer (decimal, 0x, 0o, 0b, 1_000, 2**20) or float is what it looks
// like; all else is text. Anything but a finite scalar is an error.
std::optional<Value> read_value(const YamlNode& node, const std::string& what);
std::optional<std::int64_t> read_integer(const YamlNode& node, const std::string& what);
// Reads an integer that may be in quotes, or a longer expression.
std::optional<std::int64_t> read_extent(const YamlNode& node, const std::string& what);
// With 1e6 an integer, where no other value is a float. nodes[i] is where values[i] stands.
std::vector<Value> whole_values(const std::vector<Value>& values,
                                const std::vector<const YamlNode*>& nodes);
std::optional<double> read_number(const YamlNode& node, const std::string& what);
// A list that is written as in Python, "[2**i for i in range(1, 6)]": the text of `node`, or that
// in the brackets that YAML took away.
std::vector<Value> read_python_list(const YamlNode& node, const std::string& text);
// A value that is there twice, 1, 1.0 and true being one.
std::optional<Value> repeated_value(const std::vector<Value>& values);
// False where it is neither true nor false.
bool read_flag(const YamlNode& node, const std::string& what);
// One of a few words: which, by place.
std::optional<std::size_t> read_word(const YamlNode& node, const std::string& key,
                                     const std::vector<std::string>& words);
// The text of any scalar, as it was written.
std::optional<std::string> read_text(const YamlNode& node, const std::string& what);

bool expect_list(const YamlNode& node, const std::string& what);
bool expect_map(const YamlNode& node, const std::string& what);
// Return the items of a list or the entries of a map; for a node of another kind they complain, and
// return none.
const std::vector<YamlRef>& items_of(const YamlNode& node, const std::string& what);
const std::vector<std::pair<YamlRef, YamlRef>>& entries_of(const YamlNode& node,
                                                           const std::string& what);

// A readable regular file named relative to the node's; absolute and normal.
std::optional<std::filesystem::path> read_file_name(const YamlNode& node, const std::string& what);

// A map whose keys are known in advance. Says what is unknown or missing.
class Fields {
 public:
  // `what` names the map in messages ("'kernel'"), `where` is its key's place. The node must
  // outlive this object; one that is not a map is an error and has no fields.
  Fields(const YamlNode& node, Position where, std::string what,
         const std::vector<std::string>& known);
  Fields(const YamlNode& node, std::string what, const std::vector<std::string>& known)
      : Fields(node, node.where(), std::move(what), known) {}

  bool is_map() const { return is_map_; }
  // Whether the file mentions the key, even with nothing behind it.
  bool mentions(std::string_view key) const;
  // The value, or null where the key is absent or nothing stands behind it.
  const YamlNode* find(std::string_view key) const;
  // Returns the value of a key; its absence is an error.
  const YamlNode* require(std::string_view key) const;
  // Place of the key, or of the map where it is absent.
  Position where(std::string_view key) const;
  // Reports what is wrong at the key.
  void error(std::string_view key, std::string message, std::string suggestion = {}) const;
  // Complains of each of these keys that is there: `who` ("'x' has a value") cannot have them.
  void refuse(const std::vector<std::string>& keys, const std::string& who) const;

 private:
  const std::pair<YamlRef, YamlRef>* entry(std::string_view key) const;

  const YamlNode& node_;
  Position where_;
  std::string what_;
  bool is_map_ = false;
};

// A regular expression that a name as a whole must fit. std::regex stays out of this header,
// because a source that includes it takes five seconds longer to compile.
class NameForm {
 public:
  explicit NameForm(const char* expression);
  ~NameForm();
  NameForm(const NameForm&) = delete;
  NameForm& operator=(const NameForm&) = delete;

  // Long texts never do: std::regex goes one call deeper for each of their characters.
  bool fits(const std::string& name) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace tuner
