#pragma once
// What the names in a study's expressions mean, and where each may be used.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/expression/expression.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {

enum NameKind : unsigned {
  kSizeName = 1,
  kDeviceFact = 2,
  kParameterName = 4,
  kDerivedName = 8,
  kTimeName = 16,
  kMetricName = 32,
};
inline constexpr unsigned kSpaceNames = kSizeName | kDeviceFact | kParameterName | kDerivedName;

class Names {
 public:
  // Knows the device facts, `time`, `power` and `energy`.
  explicit Names(Diagnostics& diagnostics);

  // A new name. An error when it is no identifier, a word of the language, or taken; then the name
  // keeps its first meaning. Derived names and metrics tell whether they vary with the parameters.
  void declare(const YamlNode& key, NameKind kind, bool varies = false);
  // A name that the section being read declares further down.
  void announce(const std::string& name) { later_.insert(name); }
  // After a section that could not be read: unknown names are then not worth a complaint.
  void set_incomplete() { complete_ = false; }

  // Parses a scalar and checks its names: `who` ("a constraint") may use those of `kinds`. Empty
  // after an error.
  Expression read(const YamlNode& node, const std::string& what, unsigned kinds,
                  const std::string& who) const;

  std::vector<std::string> of_kinds(unsigned kinds) const;
  bool knows(const std::string& name, unsigned kinds) const;
  bool complete() const { return complete_; }
  // Whether the value differs between configurations.
  bool varies(const Expression& expression) const;
  void complain(Position where, const std::string& name, unsigned kinds,
                const std::string& who) const;

 private:
  struct Meaning {
    NameKind kind;
    int line;
    bool varies;
  };
  Diagnostics& diagnostics_;
  std::map<std::string, Meaning> meanings_;
  std::set<std::string> later_;
  bool complete_ = true;
};

}  // namespace tuner
