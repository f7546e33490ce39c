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
  kHeldName = 64,  // a parameter that is held, or a derived name that depends on such only
};
inline constexpr unsigned kSpaceNames = kSizeName | kDeviceFact | kParameterName | kDerivedName;

class Names {
 public:
  // Knows the device facts, `time`, `power` and `energy`.
  explicit Names(Diagnostics& diagnostics);

  // A new name. An error when it is no identifier, a word of the language, or taken; then the name
  // keeps its first meaning. A derived name tells which parameters its value depends on.
  void declare(const YamlNode& key, NameKind kind, std::set<std::string> parameters = {});
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
  // Parameters that the value depends on; names without a meaning count as such.
  std::set<std::string> parameters_of(const Expression& expression) const;
  // Whether the value differs between configurations.
  bool varies(const Expression& expression) const { return !parameters_of(expression).empty(); }
  // From now on these parameters are held: what is said once for each of their values may use them.
  void hold(const std::vector<std::string>& parameters);
  // Whether the value differs between configurations that have the same values of what is held.
  bool varies_while_held(const Expression& expression) const;
  void complain(Position where, const std::string& name, unsigned kinds,
                const std::string& who) const;

 private:
  struct Meaning {
    NameKind kind;
    int line;
    std::set<std::string> parameters;  // that its value depends on
  };
  bool is_held(const Meaning& meaning) const;

  Diagnostics& diagnostics_;
  std::map<std::string, Meaning> meanings_;
  std::set<std::string> later_;
  std::set<std::string> held_;
  bool complete_ = true;
};

}  // namespace tuner
