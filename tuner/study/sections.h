#pragma once
// One function for each section of a study file. Each reports what is wrong with its section and
// stores what is right, so that one pass over a file finds all of its mistakes.

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/expression/expression.h"
#include "tuner/model/study.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/study/yaml_tree.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

enum NameKind : unsigned {
  kSizeName = 1,
  kDeviceFact = 2,
  kParameterName = 4,
  kDerivedName = 8,
  kTimeName = 16,
  kMetricName = 32,
  kCompiledName = 128,  // registers and the like, unless the study means something else by it
  kHeldName = 64,       // a parameter that is held, or a derived name that depends on such only
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
  // Returns a copy that holds these parameters, and no others.
  Names holding(const std::vector<std::string>& parameters) const;
  // Holds these parameters from now on, too: an expression that is evaluated once for each of their
  // values may use them.
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

struct Reader {
  Diagnostics& diagnostics;
  Names& names;
  Study& study;
  DataFiles data = DataFiles::kNeeded;
  std::map<std::string, RecordSpec> types{};  // of the section 'types', without values
  std::size_t members = 0;                    // of all of them, and of arguments of these types

  // Reads the expression behind a key; empty where there is none, or a wrong one.
  Expression expression(const Fields& fields, const std::string& key, unsigned kinds,
                        const std::string& who) const {
    const YamlNode* node = fields.find(key);
    return node == nullptr ? Expression() : names.read(*node, "'" + key + "'", kinds, who);
  }
  void error(Position where, std::string message, std::string suggestion = {}) {
    diagnostics.error(std::move(where), std::move(message), std::move(suggestion));
  }
  void warning(Position where, std::string message, std::string suggestion = {}) {
    diagnostics.warning(std::move(where), std::move(message), std::move(suggestion));
  }
};

// The keys of a study, in the order in which messages name them.
const std::vector<std::string>& study_sections();

// The values of a collection that were read without an error count on; sections that are absent
// are not called.
void read_sizes(Reader& reader, const YamlNode& node);
void read_domain(Reader& reader, const YamlNode& node);  // the same section, as a map
void read_parameters(Reader& reader, const YamlNode& node);
// Reads 'when' and 'otherwise' of each parameter, once all parameters are known.
void read_conditions(Reader& reader, const YamlNode& parameters);
// Returns false, with a complaint at the last parameter, once all together have too many values: a
// few bytes of a file stand for a million of them. Nothing that follows is read then.
bool values_fit(const std::vector<Parameter>& parameters, Diagnostics& diagnostics, Names& names);
void read_derived(Reader& reader, const YamlNode& node);
void read_constraints(Reader& reader, const YamlNode& node);
// Reads a list of configurations, before derived: parameters that only the list knows are declared,
// and it becomes a constraint.
void read_configurations(Reader& reader, const YamlNode& node, const Position& where);
// Reads the baseline, once the parameters, sizes and constraints are known.
void read_baseline(Reader& reader, const YamlNode& node, const Position& where);
void read_kernel(Reader& reader, const YamlNode& node, const Position& where);
void read_launcher(Reader& reader, const YamlNode& node, const Position& where);
// Other sections that a command's metrics depend on; null where they are absent.
struct StudyParts {
  const YamlNode* objective = nullptr;
  const YamlNode* metrics = nullptr;
};
void read_command(Reader& reader, const YamlNode& node, const Position& where,
                  const StudyParts& parts);
// Complains of arguments and ways to measure that a study with a command cannot have.
void check_program_arguments(Reader& reader);
void check_program_measuring(Reader& reader);
void read_program_file(const YamlNode& node, ArgumentSpec& argument);
void read_launch(Reader& reader, const YamlNode& node, const Position& where);
void read_types(Reader& reader, const YamlNode& node);
void read_arguments(Reader& reader, const YamlNode& node);
// The captured launches, after the problem sizes; 'memory' after them.
void read_captured(Reader& reader, const YamlNode& node);
void read_memory(Reader& reader, const YamlNode& node);
// Whether the word 'captured' stands there; complains where no launches are named.
bool is_captured(Reader& reader, const YamlNode& node, const std::string& what);
// Checks, at the end, what the study takes from its captured launches.
void check_captured(Reader& reader, const YamlNode& node);
void read_buffers(Reader& reader, const YamlNode& node);  // after arguments
void read_constants(Reader& reader, const YamlNode& node);
void read_reference(Reader& reader, const YamlNode& node, const Position& where);
// Once the launches and the reference were read. What no launch takes, and no reference by name, is
// a mistake, and so is a buffer that nothing reaches: nothing reads or writes it.
void warn_of_idle_arguments(Reader& reader);
// Whether a buffer and an array that holds a copy of it are passed together.
void check_launched_arrays(Reader& reader);
void read_verify(Reader& reader, const YamlNode& node, const Position& where);
void read_metrics(Reader& reader, const YamlNode& node);
void read_compiled(Reader& reader, const YamlNode& node);
void read_work(Reader& reader, const YamlNode& node, const Position& where);
void read_objective(Reader& reader, const YamlNode& node, const Position& where);
void read_backend(Reader& reader, const YamlNode& node, const Position& where);
// Before arguments, reference and verify, which may leave things to it.
void read_problem(Reader& reader, const YamlNode& node, const Position& where);
void read_search(Reader& reader, const YamlNode& node, const Position& where);
void read_advice(Reader& reader, const YamlNode& node);  // a key of search
void read_measure(Reader& reader, const YamlNode& node, const Position& where);
void read_export(Reader& reader, const YamlNode& node, const Position& where);

// Parts that several sections share.
// Of a kernel, a launcher or a command.
void read_name(Reader& reader, const YamlNode& node);
// "one of 32 or 64", for messages.
std::string choice_of(const Parameter& parameter);
// The parameter's own value, whose type may differ from what is written: 1 for true.
std::optional<Value> value_among(const Parameter& parameter, const Value& wanted);
OptionList read_options(const YamlNode& node, const std::string& whose);
// A metric whose value an observer gives.
void read_observed(Reader& reader, const YamlNode& key, const YamlNode& node);
void read_counter(Reader& reader, const YamlNode& key, const YamlNode& node);
// Whether the node says 'problem'; complains where the study has none. `what` begins a sentence.
bool is_left_to_problem(Reader& reader, const YamlNode& node, const std::string& what);
// Replaces an argument whose type is a parameter by one for each of its values, once all sections
// were read.
void expand_types(Reader& reader);
// Once all sections were read that may leave something to the problem.
void warn_of_idle_problem(Reader& reader);
// Leaves out whatever would compare answers.
void verify_nothing(Study& study);
LaunchSpec read_geometry(Reader& reader, const Fields& fields, unsigned kinds,
                         const std::string& who);
// The keys then, repeat and swap, of expressions that may use names of `kinds`.
void read_sequence(Reader& reader, const Fields& fields, unsigned kinds, const std::string& who,
                   std::vector<NextLaunchSpec>& then, RoundsSpec& rounds);
// Names of the kernel's arguments, which were read before, with their places.
std::vector<std::pair<std::string, Position>> read_argument_names(Reader& reader,
                                                                  const YamlNode& node,
                                                                  const std::string& who);
void read_fill(Reader& reader, const YamlNode& node, FillSpec& fill);
// The rule of a formula, in which `i` is a name as it is nowhere else.
void read_formula(Reader& reader, const YamlNode& node, FillSpec& fill);
// Gives what is filled as another the fill of that one, once arguments and constants were read.
void resolve_same_fills(Reader& reader);
// The name of a file of numbers, made absolute. {NAME} in it is a name of `kinds`; then the files
// are looked for when a size is checked.
std::optional<std::filesystem::path> read_data_file(Reader& reader, const YamlNode& node,
                                                    unsigned kinds, const std::string& what);
// Names that mean the same for every configuration.
inline constexpr unsigned kFixedNames = kSizeName | kDeviceFact;
std::vector<std::string> outputs_of(const Study& study);  // their names
// Null where the kernel has no such argument.
const ArgumentSpec* find_argument(const Study& study, const std::string& name);
// Whether there is a reference that computes this argument's right answer.
bool reference_takes(const Study& study, const std::string& argument);
// Compiler options, of a list of texts.
void add_compiler_options(Reader& reader, const YamlNode& list);
// {NAME} in text that becomes part of the program: names of `kinds` only, braces in pairs.
void check_placeholders(Reader& reader, const YamlNode& node, unsigned kinds,
                        const std::string& who);

// ---- types of arguments: numbers, vectors of them, and structs in C's layout --------------------

struct ElementLayout {
  DataType type = DataType::kFloat32;
  int lanes = 1;
  std::uint64_t alignment = 4;  // bytes
};

// "float32", "float4", "complex64", "bool", "unsigned char", ...; none for what is no number.
std::optional<ElementLayout> element_layout(const std::string& name);

// A vector as the struct of its numbers: "[0]", "[1]", ...
RecordSpec vector_record(const std::string& name, const ElementLayout& element);

// Adds a member behind those that are there, where C would.
void append_member(RecordSpec& record, const std::string& path, const RecordSpec& member);
// The end of a struct: padding up to a multiple of its alignment.
void finish_record(RecordSpec& record);

// Reads 'type' of an argument.
void read_argument_type(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// Reads 'type' of an argument that is a parameter: "{T}".
void read_type_parameter(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// Reads 'value' of an argument that is a struct or a vector.
void read_record_value(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// Reads 'fill' of a buffer of structs: for each member its own.
void read_member_fills(Reader& reader, const YamlNode& node, ArgumentSpec& argument);
// An argument that is null, an address or a table of addresses; false where it is none of these.
bool read_address(Reader& reader, const Fields& fields, ArgumentSpec& argument);
// A texture over a buffer; false where it is none.
bool read_texture(const Fields& fields, ArgumentSpec& argument);
// Checks whether textures can be made of their buffers, once types are expanded.
void check_textures(Reader& reader);
// 'tensor_map' of an argument; what it is a map of may come later, so that is checked at the end.
void read_tensor_map(Reader& reader, const Fields& fields, ArgumentSpec& argument);
void check_tensor_maps(Reader& reader);
// Checks whether addresses are those of buffers, once all arguments and buffers were read.
void check_addresses(Reader& reader);

// A command line as words, as a shell that does nothing else reads it. Blanks separate; quotes and
// backslashes hold together, as in POSIX. What only a shell does is a complaint at its place.
// `what` names the key: "'build'".
std::vector<std::string> read_words(Reader& reader, const YamlNode& node, const std::string& what);

}  // namespace tuner
