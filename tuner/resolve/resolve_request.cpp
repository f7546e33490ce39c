// Requests to the compiler: definitions, options and entries, from the study and a configuration.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/base/text.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

using Defines = std::vector<std::pair<std::string, std::string>>;

std::string identifier(std::string text) {
  for (char& c : text) {
    if (!is_word_part(c)) c = '_';
  }
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool has_name(const std::string& identifier) {
  return identifier.find_first_not_of('_') != std::string::npos;
}

// <macro>_IS_<value> for the values of a text parameter. A name that would stand for two values is
// left out, and so is that of a value of signs only; <macro> itself has every value.
void add_choices(const Parameter& parameter, const std::string& macro, const Value& chosen,
                 Defines& out) {
  std::map<std::string, int> names;
  std::map<std::string, int> aliases;
  for (const Value& value : parameter.values) {
    const std::string name = identifier(cpp_text(value));
    ++names[name];
    ++aliases[upper(name)];
  }
  for (const Value& value : parameter.values) {
    const std::string name = identifier(cpp_text(value));
    if (!has_name(name)) continue;
    const char* is_chosen = same_value(value, chosen) ? "1" : "0";
    if (names[name] == 1) out.emplace_back(fmt::format("{}_IS_{}", macro, name), is_chosen);
    const std::string alias = upper(name);
    if (!names.contains(alias) && aliases[alias] == 1) {
      out.emplace_back(fmt::format("{}_IS_{}", macro, alias), is_chosen);
    }
  }
}

Defines defines_of(const Study& study, const Configuration& configuration) {
  Defines out;
  for (std::size_t i = 0; i < study.parameters.size(); ++i) {
    const Parameter& parameter = study.parameters[i];
    const std::string macro = study.kernel.macro_of(parameter.name);
    out.emplace_back(macro, cpp_text(configuration[i]));
    const bool has_text =
        std::any_of(parameter.values.begin(), parameter.values.end(),
                    [](const Value& v) { return std::holds_alternative<std::string>(v); });
    if (!has_text) continue;
    add_choices(parameter, macro, configuration[i], out);
  }
  return out;
}

Expected<CompileRequest, std::string> request(const Study& study, const Bindings& names,
                                              const Configuration& configuration,
                                              const DeviceFacts& device, const std::string& entry,
                                              const std::filesystem::path& source,
                                              const std::string& source_text) {
  CompileRequest out;
  out.source = source_text;
  out.source_name = source.string();
  out.include_dirs = include_dirs_for(study, source);
  out.arch = device.arch;
  out.defines = defines_of(study, configuration);
  out.entry = TUNER_TRY(substitute(entry, names));
  out.options = TUNER_TRY(resolved_options(study, names));
  return out;
}

Expected<std::vector<std::string>, std::string> entries_of(std::span<const NextLaunchPlan> then,
                                                           const Bindings& names) {
  std::vector<std::string> entries;
  for (const NextLaunchPlan& one : then) entries.push_back(TUNER_TRY(substitute(one.name, names)));
  return entries;
}

// The study's own source has more: further units, and constants.
void add_own(const Study& study, CompileRequest& to) {
  for (const std::filesystem::path& unit : study.kernel.units) to.units.push_back(unit.string());
  for (const ArgumentSpec& constant : study.constants) to.symbols.push_back(constant.name);
}

}  // namespace

std::vector<std::string> include_dirs_for(const Study& study, const std::filesystem::path& source) {
  std::vector<std::string> dirs{source.parent_path().string()};
  for (const std::filesystem::path& dir : study.kernel.include_dirs) dirs.push_back(dir.string());
  return dirs;
}

Bindings facts_of(const ProblemSize& size, const DeviceFacts& device) {
  Bindings facts = device.bindings();
  for (const auto& [name, extent] : size.dims) facts[name] = extent;
  return facts;
}

Bindings bindings_of(const Study& study, const Configuration& configuration,
                     const DeviceFacts& device, const ProblemSize& size) {
  Bindings names = facts_of(size, device);
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    names[study.parameters[p].name] = configuration.at(p);
  }
  for (const NamedExpression& one : study.derived) {
    if (auto value = one.expression.evaluate(names)) names[one.name] = *std::move(value);
  }
  return names;
}

bool constraints_hold(const Study& study, const Bindings& names) {
  const auto holds = [&](const Expression& rule) {
    const auto value = rule.evaluate(names);
    return value && truth(*value);
  };
  return std::ranges::all_of(study.constraints, holds) && std::ranges::all_of(study.only, holds);
}

SpaceDefinition space_definition(const Study& study, const ProblemSize& size,
                                 const DeviceFacts& device) {
  SpaceDefinition space{study.parameters, study.derived, study.constraints, facts_of(size, device)};
  space.constraints.insert(space.constraints.end(), study.only.begin(), study.only.end());
  return space;
}

SpaceDefinition definition_of_one(const Study& study, const Configuration& configuration,
                                  const ProblemSize& size, const DeviceFacts& device) {
  SpaceDefinition alone = space_definition(study, size, device);
  for (std::size_t p = 0; p < alone.parameters.size(); ++p) {
    alone.parameters[p].values = {configuration.at(p)};
  }
  return alone;
}

Expected<CompileRequest, std::string> compile_request(const Study& study, const SearchSpace& space,
                                                      const Configuration& configuration,
                                                      std::span<const NextLaunchPlan> then,
                                                      const DeviceFacts& device,
                                                      const std::string& source_text) {
  const Bindings names = space.bindings(configuration);
  CompileRequest out = TUNER_TRY(request(study, names, configuration, device, study.kernel.entry,
                                         study.kernel.source, source_text));
  out.is_host_function = study.kernel.runs_on_host();
  add_own(study, out);
  out.then = TUNER_TRY(entries_of(then, names));
  return out;
}

namespace {

// Options that change what is computed, not only how fast.
bool changes_answers(const std::string& word) {
  for (const std::string_view part : {"fast_math",
                                      "fast-math",
                                      "fmad",
                                      "ftz",
                                      "prec-div",
                                      "prec-sqrt",
                                      "-fma=",
                                      "fp-contract",
                                      "-Ofast",
                                      "math-opt",
                                      "finite-math",
                                      "relaxed-math",
                                      "mad-enable",
                                      "denorms",
                                      "signed-zeros",
                                      "single-precision",
                                      "divide-sqrt",
                                      "associative-math",
                                      "reciprocal-math",
                                      "opt-level",
                                      "-cl-opt-disable"}) {
    if (word.find(part) != std::string::npos) return true;
  }
  return false;
}

// Whether a name has a value for each configuration: a parameter's that the reference does not say,
// or of what follows from one.
bool is_chosen(const Study& study, const std::string& name) {
  const ReferenceSpec& reference = *study.reference;
  const auto is_it = [&](const auto& one) { return one.first == name; };
  if (std::ranges::any_of(reference.configuration, is_it)) return false;
  if (std::ranges::find(reference.per, name) != reference.per.end()) return false;
  if (std::ranges::find(study.parameters, name, &Parameter::name) != study.parameters.end()) {
    return true;
  }
  const auto derived = std::ranges::find(study.derived, name, &NamedExpression::name);
  if (derived == study.derived.end()) return false;
  return std::ranges::any_of(derived->expression.names(), [&](const std::string& from) {
    return from != name && is_chosen(study, from);
  });
}

bool depends_on_a_choice(const Study& study, const std::string& option) {
  for (auto at = option.find('{'); at != option.npos; at = option.find('{', at + 1)) {
    const auto end = option.find('}', at);
    if (end != option.npos && is_chosen(study, option.substr(at + 1, end - at - 1))) return true;
  }
  return false;
}

// The study's options for the reference. Which configuration comes first must not say whether the
// right answers are those of fast mathematics, so such options count where they hold for all.
Expected<std::vector<std::string>, std::string> reference_options(const Study& study,
                                                                  const Bindings& names) {
  if (study.kernel.subject == Subject::kCommand) return resolved_options(study, names);
  std::vector<std::string> texts;
  for (const std::string& option : study.kernel.options) {
    texts.push_back(TUNER_TRY(substitute(option, names)));
    if (!depends_on_a_choice(study, option)) continue;
    auto words = compiler_options({texts.back()});
    if (!words || std::ranges::none_of(*words, changes_answers)) continue;
    texts.pop_back();
    for (std::string& word : *words) {
      if (!changes_answers(word)) texts.push_back(std::move(word));
    }
  }
  auto words = compiler_options(texts);
  if (!words) return Unexpected{to_text(words.error())};
  return std::move(*words);
}

}  // namespace

Expected<CompileRequest, std::string> reference_request(const Study& study,
                                                        const SearchSpace& space,
                                                        const ReferenceCase& one,
                                                        const DeviceFacts& device,
                                                        const std::string& source_text) {
  const ReferenceSpec& reference = *study.reference;
  const Bindings names = space.bindings(one.configuration);
  CompileRequest out =
      TUNER_TRY(request(study, names, one.configuration, device, reference.entry,
                        reference.source.value_or(study.kernel.source), source_text));
  out.options = TUNER_TRY(reference_options(study, names));
  out.is_host_function = reference.from == AnswerSource::kLauncher;
  const auto then = TUNER_TRY(in_context("reference", next_launches(study, reference.then, names)));
  out.then = TUNER_TRY(entries_of(then, names));
  // A source of its own need not have the kernel's constants.
  if (!reference.source || reference.shares_source) add_own(study, out);
  return out;
}

}  // namespace tuner
