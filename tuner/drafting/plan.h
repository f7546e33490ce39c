#pragma once
// A study as far as it has been drafted; draft_yaml() writes it down.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/drafting/found_source.h"

namespace tuner {

struct DraftedParameter {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t present = 0;
  bool is_guess = false;  // nothing says what it is at present
  std::string from;       // "macro of line 4"
  bool is_given = false;  // its values are no guess
  bool is_safe = false;   // no value changes the answer
  // Values that enter the study only if a trial shows that they give the right answer.
  std::vector<std::int64_t> open{};
};

// Members that are empty are left out of the study.
struct DraftedArgument {
  std::string name;
  std::string type{}, shape{}, role{}, fill{}, value{}, texture{}, surface{},
      pointers{};        // in this order
  std::string remark{};  // what was guessed; empty: nothing
  int lanes = 1;         // of a vector: the last extent of its shape

  bool is_buffer() const { return !shape.empty(); }
  // Returns the extents of a buffer's shape: "n" and "4 * m" of '[n, "4 * m"]'.
  std::vector<std::string> extents() const;
  bool is_number() const { return shape.empty() && !value.empty(); }
};

inline constexpr std::size_t kMostRightAnswers = 64;  // right ones that a study may have

inline constexpr const char* kPermutation = "{permutation: true}";

// One that follows the kernel's own.
struct DraftedLaunch {
  std::string entry;
  std::vector<std::string> block, grid;
  std::string shared;
  std::vector<std::string> arguments;
};

struct DraftPlan {
  std::string kernel, entry, relative_name;
  std::vector<std::string> units;                            // further sources
  std::string launcher_entry, launcher_code, launcher_name;  // empty: the kernel is launched itself
  bool has_macros = false;            // names of parameters are those of macros, without a prefix
  std::vector<std::string> replaced;  // parameters of which the source has the value itself
  std::vector<std::string> per;       // parameters that the right answer depends on
  std::vector<std::string> include_dirs, options, head;  // head: remarks at the top
  std::vector<std::pair<std::string, std::int64_t>> extents;
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> more_sizes;
  std::vector<std::string> captured;  // folders of captured launches, one for each size
  bool memory_is_captured = false;
  bool has_numbers = false;  // extents are numbers that the host code has for itself
  // The host code's, of which the extents may be smaller ones.
  std::vector<std::pair<std::string, std::int64_t>> size_of_host;
  std::map<std::string, std::string> extent_of;  // by argument of the kernel
  std::vector<DraftedParameter> parameters;
  std::vector<std::string> constraints;  // besides the threads of a block
  std::vector<std::string> not_taken;    // constraints of a script that no study can say
  std::string tolerance;                 // of outputs, if a script says one
  std::vector<std::string> block, grid;
  std::string shared;
  bool is_cooperative = false;
  std::vector<std::string> launch_arguments;  // of the kernel itself; empty: all
  std::vector<DraftedLaunch> then;
  std::string repeat;  // empty: once
  std::vector<std::pair<std::string, std::string>> swap;
  std::vector<std::string> seen;  // of the host code, and not taken
  std::vector<DraftedArgument> arguments, buffers, constants;
  double bytes = 0;                                          // of all buffers
  std::vector<std::pair<std::string, std::string>> types;    // structs, and their members
  std::vector<std::pair<std::string, std::string>> outputs;  // name and study's type
  std::map<std::string, std::string> atol;                   // of outputs that need another one
  std::map<std::string, std::string> closeness;  // by output, where captured launches say it
  std::set<std::string> any_order;               // outputs, by what trials showed
  std::vector<std::string> found, guessed;
  std::map<std::string, std::string> remarks;  // what was guessed, by key of the study

  // Says so in the study, too.
  void guess(const std::string& key, const std::string& what);
  const DraftedParameter* parameter(const std::string& name) const;
};

// An expression with the present value of each parameter in its place, but for those of `but`.
std::string with_present_values(const DraftPlan& plan, const std::string& expression,
                                const std::vector<std::string>& but = {});
// The names of parameters with several values in an expression.
std::vector<std::string> choices_in(const DraftPlan& plan, const std::string& expression);

std::string draft_yaml(const DraftPlan& plan);

// "BX * (2 * BY)" of the extents of a block.
std::string product(const std::vector<std::string>& extents);

// Joins `text` of each element with commas.
template <typename All, typename Text>
std::string with_commas(const All& all, const Text& text) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ", ") + text(one);
  return out;
}

}  // namespace tuner
