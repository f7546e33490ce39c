// Writes a study's constraints and launch expressions as C++ functions.

#include "tuner/codegen/header_rules.h"

#include <fmt/format.h>

#include <array>

#include "tuner/base/text.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"

namespace tuner {
namespace {

// Text of the study as a line comment: a backslash at its end would continue the comment.
std::string remark(const std::string& text) {
  std::string out = "// ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += c == '\\' ? '/' : byte < 32 ? ' ' : c;
  }
  return out;
}

// A choice as the expressions see it: the value, not the enumerator.
std::string choice_values(const HeaderField& field) {
  std::string out = "TUNER_FN num value_of(" + field.type + " v) {\n  switch (v) {\n";
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    out += fmt::format("    case {}::{}: return num({});\n", field.type, field.enumerators[i],
                       cpp_literal(field.values[i]));
  }
  return out + "  }\n  return num();\n}\n";
}

std::string names_struct(const HeaderModel& model) {
  const Study& study = *model.study;
  std::string members;
  std::string initial;
  const auto add = [&](const std::string& type, const std::string& name, const std::string& value) {
    const std::string& member = model.members.at(name);
    members += "  " + type + " " + member + ";\n";
    initial += (initial.empty() ? "\n      : " : ",\n        ") + member + "(" + value + ")";
  };
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    add(field.type, study.parameters[p].name, "c." + field.name);
  }
  const auto& dims = model.table->entries.front().size.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    add("long long", dims[d].first, "d." + model.dims[d].name);
  }
  for (const std::string& fact : model.device_facts) {
    add("decltype(device::" + fact + ")", "device." + fact, "v." + fact);
  }
  std::string derived;
  for (const NamedExpression& one : study.derived) {
    const std::string& member = model.members.at(one.name);
    members += "  num " + member + ";\n";
    derived += "    " + remark(one.name + ": " + one.expression.text()) + "\n";
    // In the body, because it may use what was computed before it as `n`.
    derived += "    n." + member + " = " + model.expression(one.expression) + ";\n";
  }
  std::string out =
      "// Everything that the study's expressions can name.\nstruct names {\n" + members;
  out += "  TUNER_FN names(const config& c, const dims& d, const device& v)" + initial + " {\n";
  out += "    static_cast<void>(c);\n    static_cast<void>(d);\n    static_cast<void>(v);\n";
  if (!derived.empty()) out += "    names& n = *this;\n" + derived;
  return out + "  }\n};\n";
}

std::string extent_function(const HeaderModel& model, const std::string& name,
                            const std::array<Expression, 3>& axes) {
  std::string out = fmt::format("TUNER_FN extent {}(const names& n) {{\n", name);
  out += "  static_cast<void>(n);\n  return {";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    out += (i > 0 ? ",\n          " : "") + std::string("extent_from(") +
           model.expression(axes[i]) + ")";
  }
  return out + "};\n}\n";
}

std::string attributes_function(const HeaderModel& model, const LaunchAttributesSpec& asked,
                                const std::string& mark) {
  const auto text = [&](const Expression& one, const char* usual) {
    return one.empty() ? std::string(usual) : model.expression(one);
  };
  std::string cluster;
  for (const Expression& one : asked.cluster) {
    cluster += (cluster.empty() ? "extent_from(" : ", extent_from(") + text(one, "num(1)") + ")";
  }
  return fmt::format(
      R"txt(TUNER_FN launch_attributes attributes{}(const names& n) {{
  static_cast<void>(n);
  const num cooperative = {};
  const num programmatic = {};
  const bool known = cooperative.ok() && programmatic.ok();
  return {{{{{}}}, holds(cooperative), known ? carveout_from({}) : no_carveout,
          scheduling_from({}), holds(programmatic)}};
}}
)txt",
      mark, text(asked.cooperative, "num(false)"), text(asked.programmatic, "num(false)"), cluster,
      text(asked.carveout, "num(-1)"), text(asked.scheduling, "num(\"default\")"));
}

// detail::grid, block and shared of one launch; `mark` ends their names.
std::string launch_functions(const HeaderModel& model, const LaunchSpec& launch,
                             const std::string& mark) {
  std::string out = extent_function(model, "grid" + mark, launch.grid);
  out += extent_function(model, "block" + mark, launch.block);
  if (asks_for_attributes(*model.study)) {
    out += attributes_function(model, launch.attributes, mark);
  }
  const Expression& shared = launch.dynamic_shared_bytes;
  return out + "TUNER_FN long long shared" + mark +
         "(const names& n) {\n  static_cast<void>(n);\n  const num v = " +
         (shared.empty() ? std::string("num(0)") : model.expression(shared)) +
         ";\n  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : "
         "v;\n  return whole.k == kind::integer && whole.i >= 0 ? whole.i : -1;\n}\n";
}

std::string mark_of(std::size_t next) { return fmt::format("_then_{}", next); }

// What detail needs to know of the launches that follow.
std::string next_functions(const HeaderModel& model) {
  std::string out;
  for (std::size_t i = 0; i < model.study->then.size(); ++i) {
    const NextLaunchSpec& next = model.study->then[i];
    out += remark("then " + next.entry) + "\n" + launch_functions(model, next.launch, mark_of(i));
    out += "TUNER_FN num when" + mark_of(i) +
           "(const names& n) {\n  static_cast<void>(n);\n  return " +
           (next.when.empty() ? std::string("num(true)") : model.expression(next.when)) + ";\n}\n";
  }
  return out;
}

// Within valid(): those that take part have to fit, too.
std::string next_limits(const HeaderModel& model) {
  std::string out;
  for (std::size_t i = 0; i < model.study->then.size(); ++i) {
    const std::string mark = mark_of(i) + "(n)";
    out += fmt::format(
        "  const num takes_part_{0} = when{1};\n  if (!takes_part_{0}.ok()) return "
        "false;\n"
        "  if (takes_part_{0}.truth() &&\n      !launchable(block{1}, "
        "grid{1}, shared{1}, v)) {{\n    return false;\n  }}\n",
        i, mark);
    if (!asks_for_attributes(*model.study)) continue;
    out += fmt::format(
        "  if (takes_part_{0}.truth() &&\n      !attributes_fit(attributes{1}, "
        "grid{1}, v)) {{\n    return false;\n  }}\n",
        i, mark);
  }
  return out;
}

std::string next_launches_text(const HeaderModel& model) {
  if (model.study->then.empty()) return {};
  const bool more = asks_for_attributes(*model.study);
  std::string out = fmt::format(
      R"txt(
// A kernel that is launched after the main one, in the same stream.
struct next_launch {{
  const char* entry;  // as the study writes it
  bool takes_part;    // else this configuration goes without
  extent grid;
  extent block;
  long long dynamic_shared_bytes;  // as dynamic_shared_bytes_of{}
}};
TUNER_TABLE int next_launch_count = {};
// The launches that follow, in their order from 0.
TUNER_FN next_launch next_launch_of(int which, const config& c, const dims& d, const device& v) {{
  const detail::names n(c, d, v);
  switch (which) {{
)txt",
      more ? "\n  launch_attributes attributes;" : "", model.study->then.size());
  for (std::size_t i = 0; i < model.study->then.size(); ++i) {
    out += fmt::format(
        "    case {0}:\n      return {{{1}, detail::holds(detail::when{2}), detail::grid{2},\n"
        "              detail::block{2}, detail::shared{2}{3}}};\n",
        i, cpp_string(model.study->then[i].entry), mark_of(i) + "(n)",
        more ? fmt::format(", detail::attributes{}(n)", mark_of(i)) : "");
  }
  return out + fmt::format(
                   "    default:\n      return {{\"\", false, {{0, 0, 0}}, {{0, 0, 0}}, "
                   "-1{}}};\n  }}\n}}\n",
                   more ? ", {}" : "");
}

// Those of all constraints that have this scope.
std::string constraints(const HeaderModel& model, const std::string& name, RuleScope scope) {
  std::string out = "TUNER_FN bool " + name + "(const names& n) {\n  static_cast<void>(n);\n";
  for (std::size_t i = 0; i < model.scopes.size(); ++i) {
    if (model.scopes[i] != scope) continue;
    const Expression& rule = model.study->constraints[i];
    out += "  " + remark(rule.text()) + "\n  if (!holds(" + model.expression(rule) +
           ")) return false;\n";
  }
  return out + "  return true;\n}\n";
}

constexpr const char* kExtentFrom =
    R"txt(TUNER_FN unsigned extent_from(const num& v) {
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i > 0 && whole.i <= 4294967295ll
             ? static_cast<unsigned>(whole.i)
             : 0u;
}
)txt";
constexpr const char* kAttributesFrom =
    R"txt(TUNER_FN int carveout_from(const num& v) {
  const num whole = v.k == kind::real && v.f == floor_of(v.f) ? from_double(v.f) : v;
  return whole.k == kind::integer && whole.i >= -1 && whole.i <= 100 ? static_cast<int>(whole.i)
                                                                     : no_carveout;
}
TUNER_FN int scheduling_from(const num& v) {
  return holds(eq(v, num("default")))          ? 0
         : holds(eq(v, num("spread")))         ? 1
         : holds(eq(v, num("load_balancing"))) ? 2
                                               : -1;
}
)txt";
constexpr const char* kAttributesOf =
    R"txt(// What its launch asks for besides.
TUNER_FN launch_attributes attributes_of(const config& c, const dims& d, const device& v) {
  return detail::attributes(detail::names(c, d, v));
}
)txt";

}  // namespace

std::string header_rules(const HeaderModel& model) {
  const bool more = asks_for_attributes(*model.study);
  std::string out = more ? std::string(kAttributesText) : "";
  out += std::string("namespace detail {\n") + kExtentFrom + (more ? kAttributesFrom : "");
  for (const HeaderField& field : model.parameters) {
    if (field.is_choice) out += choice_values(field);
  }
  out += names_struct(model);
  out += launch_functions(model, model.study->launch, "") + next_functions(model);
  out += constraints(model, "rules_of_the_choice", RuleScope::kChoice) +
         constraints(model, "rules_of_the_size", RuleScope::kSize) +
         constraints(model, "rules_here", RuleScope::kBoth);
  out +=
      R"txt(// Of one of configs[]: whether it may be used on a device for a size that keeps its own rules.
TUNER_FN bool serves(const names& n, const device& v) {
  if (!rules_here(n)) return false;
TUNER_LIMITS  return launchable(block(n), grid(n), shared(n), v);
}
}  // namespace detail

// How to launch a configuration.
TUNER_FN extent grid_of(const config& c, const dims& d, const device& v) {
  return detail::grid(detail::names(c, d, v));
}
TUNER_FN extent block_of(const config& c, const dims& d, const device& v) {
  return detail::block(detail::names(c, d, v));
}
// Bytes; -1: the study's expression has no value here. Above 48 KiB the kernel has to opt in.
TUNER_FN long long dynamic_shared_bytes_of(const config& c, const dims& d, const device& v) {
  return detail::shared(detail::names(c, d, v));
}
TUNER_ATTRIBUTES_OF// Whether a configuration may be used: the study's constraints and the launch limits of CUDA.
TUNER_FN bool valid(const config& c, const dims& d, const device& v) {
  const detail::names n(c, d, v);
  return detail::rules_of_the_choice(n) && detail::rules_of_the_size(n) && detail::serves(n, v);
}
)txt";
  const std::string fit =
      more ? "  if (!attributes_fit(attributes(n), grid(n), v)) return false;\n" : "";
  out = replaced(std::move(out), "TUNER_LIMITS", next_limits(model) + fit);
  out = replaced(std::move(out), "TUNER_ATTRIBUTES_OF", more ? kAttributesOf : "");
  return out + next_launches_text(model);
}

}  // namespace tuner
