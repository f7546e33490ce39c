#pragma once
// Facts known while a study is drafted, and the meaning of the source's names in it.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/drafting/draft.h"
#include "tuner/drafting/guesses.h"
#include "tuner/drafting/launch_hint.h"
#include "tuner/drafting/plan.h"

namespace tuner {

struct DraftContext {
  const FoundSource& source;
  const FoundKernel& kernel;
  std::optional<LaunchHint> hint;
  const DraftRequest& request;
  DraftPlan plan{};
  std::set<std::string> words{};               // of the source
  std::set<std::string> reached{};             // of the kernel, and of what it uses
  std::set<std::string> extent_arguments{};    // arguments that are extents of the problem
  std::map<std::string, std::string> types{};  // of template parameters
  std::map<std::string, std::string>
      template_values{};  // template parameters as the study has them
  // Names of the host code for extents, by the frame of the launch in which they are names.
  std::map<std::pair<std::size_t, std::string>, std::string> host_names{};
  std::map<std::string, FoundRecord> records{};  // the source's, and what class templates make
  std::map<std::string, std::string> renamed{};  // names of the host code for parameters
  // Extents that only captured launches have: a number for each.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> captured_extents{};
  // Expressions of the host code, each a number, that a parameter stands for.
  std::vector<std::pair<Tokens, std::string>> stands_for{};
  mutable std::set<std::string> texts{};  // of tokens that the source has not
  // Assumptions about names that the command line sets.
  mutable std::set<std::string> assumed{};

  // Returns what a name of the host code or of the kernel means in the study; nothing: it has no
  // meaning there.
  std::optional<std::string> meaning(const std::string& name, std::size_t frame = 0,
                                     int depth = 0) const;
  std::optional<std::string> in_study(Tokens tokens, std::size_t frame = 0, int depth = 0) const;
  // Returns in_study()'s expression; its value if it is made of numbers alone.
  std::optional<std::string> folded(Tokens tokens, std::size_t frame = 0) const;
  // Returns what the host code passes for an argument of the kernel; empty: it is not seen.
  Tokens passed_for(const std::string& argument) const;
  // Expresses what the host code passes for an argument by numbers only; nothing where that is not
  // possible.
  std::optional<std::string> host_expression_of(const std::string& argument) const;
  std::optional<std::string> host_number(const std::string& name, std::size_t frame,
                                         int depth) const;
  // An expression of device code that is made of parameters and numbers; nothing for others. `body`
  // sets its variables.
  std::optional<std::string> in_parameters(Tokens text, Tokens body, int depth = 0) const;
  // Evaluates a study's expression at the first size and the present configuration.
  std::optional<double> value_of(const std::string& expression) const;
  // The argument with the type that a template's parameter stands for; memory without one is bytes.
  FoundArgument with_type(FoundArgument one) const;
  // A type as it is called without the source's own names for it.
  std::string seen_through(std::string type) const;
  // The tokens of what the study compiles: of the source and of the headers that it includes.
  std::vector<Token> compiled_tokens() const { return source.tokens_with(request.project.headers); }
  // A name that neither the source nor the study has.
  std::string new_name(std::string name) const;
  struct HostText {
    Tokens tokens;  // empty: nothing
    std::size_t frame = 0;
  };
  // Finds the text that the host code, or the source's own macros, set a name to. `depth` counts
  // the variables that were followed to it.
  HostText what_is_set(const std::string& name, std::size_t frame, int depth = 0) const;
  // The type of a template's parameter by what is passed: by the launch for the kernel's arguments,
  // by a caller for those of the function in a frame. Empty: it is not seen.
  std::string deduced_type(const std::string& parameter) const;
  HostText deduced_type_of_frame(const std::string& parameter, std::size_t frame) const;
  // A type as the host code says it, its own names and template parameters seen through.
  std::string type_said(Tokens tokens, std::size_t frame = 0, int depth = 0) const;
  // Finds a member, or a member's member, in the value of a struct: another variable, "{x, n}" or
  // "View<float>{x, n}". `record` is for values that do not name their type; null: not known.
  HostText member_in(Tokens value, std::size_t frame, const std::string& path,
                     const FoundRecord* record, int depth = 0) const;
  // The condition under which the host code makes a variable, or a member of one, larger by one.
  Tokens when_increased(const std::string& name, std::size_t frame) const;
  // Adds 1 to the value of that name where the condition holds.
  static std::optional<std::string> increased(std::optional<std::string> text,
                                              const std::string& name, Tokens condition,
                                              const Meaning& meaning);
  // The tokens of host code, with macros and small functions seen through, and "a.n" as one word.
  std::vector<Token> host_words(Tokens tokens) const;

 private:
  // The type of what a function of the host code passes, in that frame's words.
  HostText type_passed(Tokens passed, std::size_t frame) const;
  // Puts parameters in the place of the expressions that they stand for.
  std::vector<Token> with_parameters(Tokens tokens) const;
  // "matrix.rows", which the launch passes for the kernel's argument n, is n.
  std::vector<Token> with_own_names(std::vector<Token> tokens) const;
  HostText member_of(const std::string& name, std::size_t frame, std::size_t parameter) const;
  // "size" of "View v{x, n}", of "v = other", and of what a member "job.in" is set to.
  HostText member_of_whole(const std::string& name, std::size_t frame, int depth) const;
  std::string of_the_command_line(const std::string& name) const;
  std::optional<std::string> size_of(const std::string& type) const;
};

// One section after the other, in this order.
void draft_knobs(DraftContext& context);
void draft_extents(DraftContext& context);
// Extents that are numbers of the host code; all extents are made small enough for a first run.
void draft_host_sizes(DraftContext& context);
void draft_launch(DraftContext& context);
// Leaves values out with which the launch is impossible, or does not take all elements.
void drop_impossible_values(DraftContext& context);
// Throws InputError for a type that no study can give; `source_name` is for its message.
void draft_arguments(DraftContext& context, const std::string& source_name);

// Kernels that are launched behind it in the same function on buffers that it has, and the rounds
// of a loop in which buffers change places. What is seen and not taken becomes a remark.
// `draft_other` makes the plan of another kernel of the source alone; it throws InputError where
// there is none.
using DraftOther = std::function<DraftPlan(const FoundKernel&)>;
void draft_sequence(DraftContext& context, const DraftOther& draft_other);

// Makes the plan one of a launcher, whose text it writes: arguments that no study can give have
// their values there. Launches that follow are not in it.
void draft_launcher(DraftContext& context);

// ---- arguments ----------------------------------------------------------------------------------

// None for what is a number, a buffer of numbers, or cannot be given.
std::optional<DraftedArgument> drafted_record(DraftContext& context, const FoundArgument& argument);

// Returns type and fill of a constant; nothing where no study can fill it.
std::optional<DraftedArgument> drafted_constant(DraftContext& context, const FoundArgument& is);

// Finds what the host code sets a member to, of a struct that the launch passes by value. `path`
// may be a member's member, "size.x".
DraftContext::HostText passed_member(const DraftContext& context, const std::string& argument,
                                     const FoundRecord& record, const std::string& path);

// Returns the name of an argument's struct; of a class template with its arguments the one that it
// gets in the study, "View_float_2" for "View<float, 2>", whose members are then in the context's
// records. That of the argument's type where it is none, or its layout is not seen.
std::string record_name(DraftContext& context, const FoundArgument& argument);

// A texture object, over a buffer that is made up for it; nothing where it is none, or over what no
// study has.
std::optional<DraftedArgument> drafted_texture(DraftContext& context,
                                               const FoundArgument& argument);

inline constexpr int kRowLength = 16;  // of compressed rows

// Fills buffers whose elements the kernel takes as indices with such as lie in what they index, and
// those of row offsets with ascending ones.
void draft_indices(DraftContext& context);

struct AllocatedShape {
  std::string shape;
  std::vector<std::string> choices;  // parameters that say how much memory it is
};

// A buffer's shape with as many elements as the host code has memory for behind what it passes,
// whatever values the parameters have.
std::optional<AllocatedShape> allocated_shape(DraftContext& context, const FoundArgument& one,
                                              const DraftContext::HostText& passed, const Use& use);
// 4096 where the host code's n is 1024, and the draft's may be another: "n * 4".
std::string in_extents(const DraftPlan& plan, std::int64_t number);
// At least as large as what the kernel can address.
std::string shape_by_use(DraftContext& context, const FoundArgument& one, const Use& use);
// With the room that trials asked for, and lanes.
std::string finished_shape(DraftContext& context, const FoundArgument& one,
                           std::vector<std::string> extents);

}  // namespace tuner
