// What may vary: template parameters and macros.

#include <fmt/format.h>

#include <cctype>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"
#include "tuner/drafting/guesses.h"
#include "tuner/drafting/study_text.h"

namespace tuner {
namespace {

class Knobs {
 public:
  explicit Knobs(DraftContext& context) : c_(context) {}

  void take_templates() {
    std::string entry, now;
    for (std::size_t i = 0; i < c_.kernel.templates.size(); ++i) {
      const TemplateParameter& one = c_.kernel.templates[i];
      std::string present = template_argument(i);
      if (present.empty()) present = joined(one.default_value);
      std::string spelled = present;
      if (one.is_type()) {
        spelled = element_type(c_.seen_through(present)) ? present : "float";
        c_.types[one.name] = c_.seen_through(spelled);
        if (present.empty()) {
          c_.plan.guess("entry", fmt::format("template parameter {} is {}", one.name, spelled));
        }
        now += (now.empty() ? "" : ", ") + spelled;
      } else {
        const DraftedParameter parameter = template_parameter(one, present);
        const bool is_name =
            !present.empty() && std::isdigit(static_cast<unsigned char>(present[0])) == 0;
        if (is_name) c_.renamed[present] = parameter.name;
        spelled = "{" + parameter.name + "}";
        now += (now.empty() ? "" : ", ") + std::to_string(parameter.present);
        c_.template_values[one.name] = parameter.name;
        c_.plan.parameters.push_back(parameter);
      }
      entry += (entry.empty() ? "" : ", ") + spelled;
    }
    c_.plan.entry = c_.kernel.name + (entry.empty() ? "" : "<" + entry + ">");
    c_.plan.reference_entry = c_.kernel.name + (now.empty() ? "" : "<" + now + ">");
  }

  // Macros that -D changes, and names that the source uses and nobody defines, as Kernel Tuner's.
  void take_macros() {
    for (const FoundMacro& macro : c_.source.macros) {
      if (!c_.words.contains(macro.name)) continue;
      if (macro.is_guarded && looks_tunable(macro.name)) {
        add_macro(macro.name, macro.value, "macro of " + macro.place);
      } else if (looks_tunable(macro.name)) {
        c_.plan.guessed.push_back(
            fmt::format("{} = {} ({}) stays as it is: write #ifndef {} ... #endif around its "
                        "#define to have it tuned",
                        macro.name, macro.value, macro.place, macro.name));
      }
    }
    for (const Token& token : c_.kernel.body) {
      const std::string name(token.text);
      const bool is_theirs = name.starts_with("block_size_") || name.starts_with("tile_size_") ||
                             name.starts_with("TUNE_") || name.starts_with("loop_unroll_factor");
      if (!token.is_word() || !is_theirs || c_.source.macro(name) != nullptr) continue;
      if (c_.plan.parameter(name) != nullptr || !initialiser_of(c_.kernel.body, name).empty())
        continue;
      const bool is_block = lower(name).find("block") != std::string::npos;
      add_macro(name, is_block ? 16 : 1, "used and defined nowhere");
      c_.plan.parameters.back().is_guess = true;
      c_.plan.guessed.push_back(fmt::format("{} is {} at present", name, is_block ? 16 : 1));
    }
  }

 private:
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
      value = is_flag ? 1 : looks_tunable(one.name) ? 16 : 1;
      c_.plan.guessed.push_back(
          fmt::format("template parameter {} is {} at present", one.name, *value));
    }
    DraftedParameter out{one.name, {}, *value, is_guess, "template parameter"};
    out.values = is_flag ? std::vector<std::int64_t>{0, 1} : values_to_try(one.name, *value, 0);
    if (looks_tunable(one.name)) return out;
    out.values = {*value};  // it may well be a part of what is computed
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
}

}  // namespace tuner
