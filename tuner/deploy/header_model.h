#pragma once
// How a study's names appear in its exported header.

#include <map>
#include <string>
#include <vector>

#include "tuner/deploy/tuned_table.h"

namespace tuner {

struct HeaderField {
  std::string name;        // in struct config or struct dims
  std::string type;        // "int", "long long", "double", "bool" or the name of an enumeration
  bool is_choice = false;  // an enumeration: the parameter has texts
  std::vector<Value> values;
  std::vector<std::string> enumerators;  // one for each value
};

// Subject of a constraint, as far as a choice among the table's configurations goes.
enum class RuleScope {
  kChoice,  // the configuration alone, and it holds for all of the table: no choice looks at it
  kSize,    // nothing in which these configurations differ: a choice looks at it once
  kBoth
};

struct HeaderModel {
  const Study* study = nullptr;
  const TunedTable* table = nullptr;
  std::string space;   // namespace: "matmul_tuned"
  std::string prefix;  // of macros: "MATMUL_TUNED"
  std::vector<HeaderField> parameters;
  std::vector<HeaderField> dims;
  std::vector<std::string> device_facts;       // of device.*, those that expressions use
  std::map<std::string, std::string> members;  // name in expressions -> member of detail::names
  std::vector<RuleScope> scopes;               // of each of the study's constraints

  std::string literal(std::size_t parameter, const Value& value) const;
  std::string literal(const Configuration& configuration) const;  // "{64, SHARED_choice::static_}"
  std::string expression(const Expression& expression) const;     // in terms of `n`
};

// Whether any launch of the study asks for more than its shape: then exports contain that, too.
bool asks_for_attributes(const Study& study);

// Describes the times of exports: "launches in a stream, ...".
std::string timing_text(const MeasureSpec& measure);

// `suffix` ends the namespace's name: "_tuned".
HeaderModel header_model(const Study& study, const TunedTable& table, const std::string& suffix);

}  // namespace tuner
