// Finds parameters that may vary: template parameters and macros.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"
#include "tuner/source/own_names.h"
#include "tuner/source/replaced_values.h"

namespace tuner {
namespace {

class Knobs {
 public:
  explicit Knobs(DraftContext& context) : c_(context) {}

  void take_templates() {
    std::string entry;
    for (std::size_t i = 0; i < c_.kernel.templates.size(); ++i) {
      const TemplateParameter& one = c_.kernel.templates[i];
      std::string present = template_argument(i);
      if (present.empty()) present = joined(one.default_value);
      std::string spelled = present;
      if (one.is_type()) {
        const bool is_given = c_.hint && i < c_.hint->template_arguments.size();
        const std::string deduced = is_given ? "" : c_.deduced_type(one.name);
        if (is_given) present = c_.type_said(c_.hint->template_arguments[i]);
        if (is_type(deduced)) spelled = present = deduced;
        if (present.starts_with("std :: ") && is_type(present.substr(7))) present.erase(0, 7);
        spelled = is_type(present) ? present : usual_type(one.name);
        c_.types[one.name] = c_.seen_through(spelled);
        if (spelled != present) {
          c_.plan.guess("entry", fmt::format("template parameter {} is {}", one.name, spelled));
        }
      } else if (!is_number(one.kind)) {
        spelled = present;  // an enumerator, a function
        if (present.empty() && !c_.source.enumerations.contains(one.kind)) {
          throw InputError(Complaint{
              {c_.request.source_name, c_.kernel.line, 1},
              fmt::format("template parameter {} of {} is no number", i + 1, c_.kernel.name),
              "no launch was found that shows what it is"});
        }
        if (present.empty()) {
          spelled = "static_cast<" + one.kind + ">(0)";
          c_.plan.guess("entry", fmt::format("template parameter {} is {}", one.name, spelled));
        }
      } else {
        const DraftedParameter parameter = template_parameter(one, present);
        const bool is_name =
            !present.empty() && std::isdigit(static_cast<unsigned char>(present[0])) == 0;
        if (is_name) c_.renamed[present] = parameter.name;
        spelled = "{" + parameter.name + "}";
        c_.template_values[one.name] = parameter.name;
        c_.plan.parameters.push_back(parameter);
      }
      entry += (entry.empty() ? "" : ", ") + spelled;
    }
    c_.plan.entry = c_.kernel.name + (entry.empty() ? "" : "<" + entry + ">");
    if (has_overloads()) {
      c_.plan.entry = fmt::format("static_cast<void (&)({})>({})", types_of(c_.kernel.parameters),
                                  c_.plan.entry);
    }
  }

  // Whether another function has the name, too, such as one that launches the kernel: then the name
  // alone names none.
  bool has_overloads() const {
    const std::string own = types_of(c_.kernel.parameters);
    const auto is_other = [&](const Declaration& one) {
      return (one.kind == Declaration::Kind::kFunction ||
              one.kind == Declaration::Kind::kPrototype) &&
             one.name == c_.kernel.name && types_of(one.parameters) != own;
    };
    return c_.kernel.templates.empty() && std::ranges::any_of(c_.source.declarations, is_other) &&
           std::ranges::all_of(c_.kernel.arguments, &FoundArgument::is_plain);
  }

  // "const float*, int" of "const float* __restrict__ x, int n".
  static std::string types_of(Tokens parameters) {
    std::string out;
    for (const Tokens piece : pieces_between_commas(parameters)) {
      const KernelParameter one = parameter_of(piece);
      if (!out.empty()) out += ", ";
      out += (one.is_const && one.is_pointer() ? "const " : "") + one.c_type;
      out.append(static_cast<std::size_t>(one.pointers), '*');
    }
    return out;
  }

  // Macros that -D changes, and names that the source uses and nobody defines, as Kernel Tuner's.
  void take_macros() {
    take_given_values();
    for (const FoundMacro& macro : c_.source.macros) {
      const bool is_used = c_.reached.contains(macro.name) || of_the_launch(macro.name);
      const bool is_new = c_.plan.parameter(macro.name) == nullptr;
      if (!is_used || !is_new || !macro.is_guarded || !is_knob(macro.name)) continue;
      take_over(macro.name);
      add_macro(macro.name, of_the_build(macro).value_or(macro.value), "macro of " + macro.place);
    }
    take_undefined_in_directives();
    for (const std::string& name : c_.request.undefined) {
      if (includes_a_library()) break;
      const bool is_new = c_.plan.parameter(name) == nullptr;
      if (is_new && c_.reached.contains(name) && is_value(name)) add_undefined(name);
    }
    for (const Declaration& one : c_.source.declarations) {
      const bool is_device = one.body.data() == c_.kernel.body.data() ||
                             (mentions(one.head, "__device__") && !one.body.empty() &&
                              c_.reached.contains(std::string(last_name(one.name))));
      if (is_device && c_.source.holds(one.all.front())) take_undefined(one);
    }
  }

  // Takes how far the loops of the kernel are unrolled, which the source need not be edited for.
  void take_unrolling() {
    const std::string name(kUnroll);
    const std::vector<Token> own = c_.source.tokens_with({});
    const bool has_own = std::ranges::any_of(c_.plan.parameters, [&](const DraftedParameter& one) {
      return lower(one.name).find(name) != one.name.npos;
    });
    const bool is_taken = has_own ||
                          std::ranges::count(c_.kernel.arguments, name, &FoundArgument::name) > 0 ||
                          std::ranges::count(given_values(own), kUnroll, &GivenValue::name) > 0;
    const bool has_loops = std::ranges::any_of(unrollable_loops(own), [&](const auto& loop) {
      return c_.reached.contains(std::string(loop.function)) &&
             (c_.kernel.is_own || loop.function != last_name(c_.kernel.name));
    });
    if (is_taken || !has_loops) return;
    c_.plan.replaced.push_back(name);
    c_.plan.parameters.push_back({.name = name,
                                  .values = {0, 1, 2, 4, 8},
                                  .from = "factor of its innermost loops; 0: as the source has it",
                                  .is_safe = true});
  }

  // Throws InputError for a knob that was asked for and that the kernel has not.
  void check_knobs() const {
    for (const std::string& name : c_.request.knobs) {
      if (c_.plan.parameter(name) != nullptr) continue;
      throw InputError(
          Complaint{{c_.request.source_name, c_.kernel.line, 1},
                    fmt::format("{} uses no number '{}'", c_.kernel.name, name),
                    "a knob is a #define, a const or constexpr variable, or a template parameter"});
    }
  }

  // Takes parameters and values from a script for another tuner, and no other parameters but those
  // that the source needs to be compiled.
  void take_script(const TunerScript& script) {
    const auto listed = [&](const DraftedParameter& one) {
      return std::ranges::any_of(script.parameters,
                                 [&](const auto& theirs) { return theirs.first == one.name; });
    };
    std::erase_if(c_.plan.parameters, [&](const DraftedParameter& one) {
      return !listed(one) && c_.source.macro(one.name) != nullptr;
    });
    std::erase_if(c_.plan.replaced,
                  [&](const std::string& name) { return c_.plan.parameter(name) == nullptr; });
    const std::vector<std::int64_t> first = first_valid(script);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto& [name, values] = script.parameters[i];
      if (c_.plan.parameter(name) == nullptr) add_macro(name, first[i], "");
      const auto given = script.given.find(name);
      const std::string by =
          given == script.given.end() ? "tune_params, " + script.place : given->second;
      *std::ranges::find(c_.plan.parameters, name, &DraftedParameter::name) = {
          name, values, first[i], true, by, true};
      std::erase_if(c_.plan.guessed, [is = name + " is "](const std::string& guess) {
        return guess.starts_with(is);  // at present
      });
    }
    for (const std::string& name : script.unknown) {
      if (c_.plan.parameter(name) == nullptr) add_undefined(name);
    }
    c_.plan.constraints = script.restrictions;
    c_.plan.options = script.options;
    c_.plan.tolerance = script.tolerance;
    c_.plan.not_taken = script.remarks;
    if (!script.not_taken.empty()) {
      c_.plan.guessed.push_back(
          fmt::format("not taken from {}: {}", script.place, fmt::join(script.not_taken, ", ")));
    }
    for (const std::string& one : script.left_out) {
      c_.plan.guessed.push_back(
          fmt::format("not literal in {}: {}; write it in the study", script.place, one));
    }
  }

 private:
  // Whether the launch spells a type that the source or the language has.
  bool is_type(const std::string& spelled) const {
    const std::string name = spelled.substr(0, spelled.find(" <"));
    return element_type(c_.seen_through(spelled)) ||
           c_.source.types.contains(name.substr(name.rfind(' ') + 1));
  }

  // "IndexType" is a whole number, and so is the type of what stands in an index.
  std::string usual_type(const std::string& name) const {
    const std::string word = lower(name);
    const auto says = [&](const char* part) { return word.find(part) != word.npos; };
    const bool is_whole = says("index") || says("idx") || says("size") || says("offset");
    return is_whole || stands_in_index(name) ? "int" : "float";
  }

  // Whether an argument of this type does.
  bool stands_in_index(const std::string& type) const {
    int depth = 0;
    return std::ranges::any_of(c_.kernel.body, [&](const Token& token) {
      if (token.is("[")) ++depth;
      if (token.is("]")) --depth;
      return depth > 0 && std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& one) {
               return one.c_type == type && !one.is_pointer() && token.is(one.name);
             });
    });
  }

  // The value that the project's build gives a macro.
  std::optional<std::int64_t> of_the_build(const FoundMacro& macro) const {
    const auto found = c_.request.project.definitions.find(macro.name);
    return found == c_.request.project.definitions.end() ? std::nullopt
                                                         : whole_number(found->second);
  }

  // Whether a name is a knob, by its looks or because it was asked for.
  bool is_knob(const std::string& name) const {
    return c_.request.knobs.contains(name) || looks_tunable(name);
  }

  // Whether template parameters of this kind are numbers.
  bool is_number(const std::string& kind) const {
    return kind == "auto" ||
           (element_type(c_.seen_through(kind)) && !c_.source.enumerations.contains(kind));
  }

  // Takes numbers of the source and of its headers that the kernel uses, "#define X 4" and "const
  // int X = 4", which the parameter replaces.
  void take_given_values() {
    const std::vector<Token> compiled = c_.compiled_tokens();
    for (const GivenValue& one : given_values(compiled)) {
      const std::string name(one.name);
      const FoundMacro* macro = c_.source.macro(name);
      const auto value = whole_number(one.text);
      const bool is_guarded = macro != nullptr && macro->is_guarded;
      if (!value || *value < 1 || is_guarded) continue;
      if (c_.source.computed.contains(name)) continue;  // another branch of an #if names another
      if (!(is_knob(name) || is_tile(name)) || !c_.reached.contains(name)) continue;
      if (c_.plan.parameter(name) != nullptr || !is_in_reach(*one.at)) continue;
      take_over(name);
      c_.plan.replaced.push_back(name);
      c_.plan.parameters.push_back({name, values_to_try(name, *value, 0), *value, false,
                                    c_.source.place_of(*one.at) + " gives it"});
    }
  }

  // "k<BLOCK>", where the kernel uses BLOCK, too: one parameter stands for both.
  void take_over(const std::string& name) {
    const auto given = c_.renamed.find(name);
    if (given == c_.renamed.end()) return;
    const std::string former = given->second;
    std::erase_if(c_.plan.parameters, [&](const auto& one) { return one.name == former; });
    for (auto& [parameter, meaning] : c_.template_values) {
      if (meaning == former) meaning = name;
    }
    c_.plan.entry = replaced(c_.plan.entry, "{" + former + "}", "{" + name + "}");
    c_.renamed.erase(given);
  }

  // Whether a definition is one of the file's, or of a function that the kernel uses.
  bool is_in_reach(const Token& name) const {
    for (const Declaration& one : c_.source.declarations) {
      if (one.body.empty() || one.kind != Declaration::Kind::kFunction) continue;
      if (name.at < one.body.front().at || name.at > one.body.back().at) continue;
      return one.body.data() == c_.kernel.body.data() ||
             c_.reached.contains(std::string(last_name(one.name)));
    }
    return true;
  }

  // Whether the launch spells a name.
  bool of_the_launch(const std::string& name) const {
    if (!c_.hint) return false;
    const auto has = [&](Tokens one) { return mentions(one, name); };
    return std::ranges::any_of(c_.hint->block, has) || std::ranges::any_of(c_.hint->grid, has);
  }

  // Whether a name is an extent of the block, as the launch spells it, and of the kernel's shared
  // memory: then it is a knob, whatever it is called.
  bool is_tile(const std::string& name) const {
    const auto is_it = [&](Tokens one) { return one.size() == 1 && one[0].is(name); };
    if (!c_.hint || std::ranges::none_of(c_.hint->block, is_it)) return false;
    const Tokens body = c_.kernel.body;
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (!body[at].is("__shared__")) continue;
      const std::size_t end = std::min(index_of(body, ";", at), body.size());
      if (mentions(body.subspan(at, end - at), name)) return true;
    }
    return false;
  }

  // "#pragma unroll UNROLL"; "#if VEC == 1" and "#elif VEC == 2", of which one has to hold.
  void take_undefined_in_directives() {
    std::map<std::string, std::vector<std::int64_t>> compared;
    for (const Token& token : c_.source.tokens) {
      if (token.kind != Token::Kind::kDirective || !c_.source.holds(token)) continue;
      const std::string_view kind = directive_name(token);
      const std::vector<Token> words = tokens_of(directive_rest(token));
      const bool unrolls = kind == "pragma" && words.size() == 2 && words[0].is("unroll");
      const bool compares =
          words.size() == 4 && words[0].is_word() && words[1].is("=") && words[2].is("=");
      const std::string factor(unrolls ? words[1].text : "");
      if (unrolls && words[1].is_word() && c_.plan.parameter(factor) == nullptr &&
          is_nobodys(factor)) {
        add_undefined(factor);
      }
      const auto value = compares ? whole_number(words[3].text) : std::nullopt;
      if (value && (kind == "if" || kind == "elif")) {
        compared[std::string(words[0].text)].push_back(*value);
      }
    }
    for (auto& [name, values] : compared) {
      const std::int64_t first = values.front();
      std::ranges::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
      const bool is_choice = values.size() > 1 && values.front() > 0;
      if (!is_choice || !is_undefined(name) || c_.plan.parameter(name) != nullptr) continue;
      add_undefined(name);
      c_.plan.parameters.back().present = first;
      c_.plan.parameters.back().values =
          mentions(c_.kernel.body, name) ? values : std::vector<std::int64_t>{first};
    }
  }

  // Macros that only a build, or a tuner, defines.
  void take_undefined(const Declaration& function) {
    const Tokens body = function.body;
    for (std::size_t at = 0; at + 1 < body.size(); ++at) {
      const std::string name(body[at].text);
      const bool is_theirs = name.starts_with("block_size_") || name.starts_with("tile_size_") ||
                             name.starts_with("TUNE_") || name.starts_with("loop_unroll_factor");
      const bool is_operand = !body[at + 1].is("(") && !body[at + 1].is_word() &&
                              !body[at + 1].is("::") && (at == 0 || !body[at - 1].is("."));
      if (!body[at].is_word() || c_.plan.parameter(name) != nullptr) continue;
      if (!is_theirs && !(is_operand && is_undefined(name))) continue;
      if (c_.source.macro(name) != nullptr || !initialiser_of(function.body, name).empty())
        continue;
      add_undefined(name);
    }
  }

  void add_undefined(const std::string& name) {
    const std::string word = lower(name);
    const auto says = [&](std::string_view part) { return word.find(part) != std::string::npos; };
    const bool is_count = word.starts_with("tile_size_") || word.starts_with("tune_");
    const bool is_extent = says("block") || says("group") || says("tile") || says("size");
    add_macro(name, is_extent && (says("block") || !is_count) ? 16 : 1, "used and defined nowhere");
    c_.plan.parameters.back().is_guess = true;
    c_.plan.guessed.push_back(
        fmt::format("{} is {} at present", name, c_.plan.parameters.back().present));
  }

  // A name in capital letters that no text of the project gives a meaning, and no system header.
  bool is_undefined(const std::string& name) const {
    constexpr std::string_view kOfTheSystem[] = {"CUDA",  "CU_",    "FLT_",  "DBL_",     "INT",
                                                 "UINT",  "M_",     "NULL",  "NAN",      "INF",
                                                 "HUGE_", "CHAR_",  "LONG_", "LLONG_",   "ULLONG_",
                                                 "SHRT_", "USHRT_", "RAND_", "SIZE_MAX", "__"};
    const bool is_of_the_system = std::ranges::any_of(
        kOfTheSystem, [&](std::string_view one) { return name.starts_with(one); });
    const bool is_macro = name.size() > 1 &&
                          std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
                          is_in_capitals(name);
    return is_macro && !is_of_the_system && !includes_a_library() && is_nobodys(name);
  }

  // Whether headers of a folder that was not read are included, "<cub/cub.cuh>": what nobody else
  // defines is theirs.
  bool includes_a_library() const {
    return std::ranges::any_of(c_.source.tokens, [](const Token& token) {
      if (token.kind != Token::Kind::kDirective || directive_name(token) != "include") return false;
      const std::string_view rest = directive_rest(token);
      return rest.starts_with("<") && rest.find('/') != rest.npos && !rest.starts_with("<sys/");
    });
  }

  bool is_nobodys(const std::string& name) const {
    return std::ranges::find(c_.kernel.templates, name, &TemplateParameter::name) ==
               c_.kernel.templates.end() &&
           !is_declared(name);
  }

  // Behind a type, in an enumeration, as a macro, as a template's parameter.
  bool is_declared(const std::string& name) const {
    const std::vector<Token>& all = c_.source.tokens;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const Token& token = all[at];
      if (token.kind == Token::Kind::kDirective) {
        const auto macro = definition_in(token);
        if (macro && macro->name == name) return true;
        continue;
      }
      if (!token.is(name) || at == 0) continue;
      const Token& before = all[at - 1];
      const bool is_behind_type =
          before.is_word() && !before.is("return") && !before.is("case") && !before.is("else");
      const bool is_pointer = at > 1 && (before.is("*") || before.is("&")) &&
                              all[at - 2].is_word() && at + 1 < all.size() &&
                              (all[at + 1].is(",") || all[at + 1].is(")") || all[at + 1].is(";"));
      if (is_behind_type || is_pointer || is_enumerator(all, at)) return true;
    }
    return false;
  }

  // Whether it is a value wherever it stands: no function, no array, no type.
  bool is_value(const std::string& name) const {
    const std::vector<Token>& all = c_.source.tokens;
    for (std::size_t at = 0; at + 1 < all.size(); ++at) {
      const bool is_other = is_one_of("( [ . -> < ::", all[at + 1].text) || all[at + 1].is_word();
      if (all[at].is(name) && is_other) return false;
    }
    return true;
  }

  static bool is_enumerator(const std::vector<Token>& all, std::size_t at) {
    for (std::size_t from = at; from-- > 0 && at - from < 200;) {
      if (all[from].is(";") || all[from].is("}") || all[from].is(")")) return false;
      if (all[from].is("enum")) return true;
    }
    return false;
  }

  // The n-th template argument of the launch; empty: none.
  std::string template_argument(std::size_t n) const {
    return c_.hint && n < c_.hint->template_arguments.size()
               ? joined(c_.hint->template_arguments[n])
               : "";
  }

  DraftedParameter template_parameter(const TemplateParameter& one, const std::string& present) {
    std::optional<std::int64_t> value = whole_number(present);
    if (!value) {
      if (const auto text = c_.host_number(present, 0, 0)) value = constant_value(*text);
    }
    const bool is_flag = one.kind == "bool";
    const bool is_guess = !value;
    if (!value) {
      value = is_flag ? 1 : is_knob(one.name) ? 16 : 1;
      c_.plan.guessed.push_back(
          fmt::format("template parameter {} is {} at present", one.name, *value));
    }
    DraftedParameter out{one.name, {}, *value, is_guess, "template parameter"};
    out.values = is_flag ? std::vector<std::int64_t>{0, 1} : values_to_try(one.name, *value, 0);
    if (is_knob(one.name)) return out;
    out.open = std::exchange(out.values, {*value});  // it may well be a part of what is computed
    if (is_no_knob(one.name)) out.open.clear();
    if (c_.request.proven.contains(one.name)) return out;
    c_.plan.guessed.push_back(
        fmt::format("{} stays {}: add values if it is a knob", one.name, *value));
    return out;
  }

  void add_macro(const std::string& name, std::int64_t value, const std::string& from) {
    c_.plan.parameters.push_back({name, values_to_try(name, value, 0), value, false, from});
    c_.plan.has_macros = true;
  }

  DraftContext& c_;
};

}  // namespace

void draft_knobs(DraftContext& context) {
  Knobs knobs(context);
  knobs.take_templates();
  knobs.take_macros();
  if (!context.request.script) knobs.take_unrolling();
  knobs.check_knobs();
  if (context.request.script) knobs.take_script(*context.request.script);
}

}  // namespace tuner
