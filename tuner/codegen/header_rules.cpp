// Spells a study's constraints and launch expressions in C++.

#include "tuner/codegen/header_rules.h"

#include <fmt/format.h>

#include <array>

#include "tuner/codegen/cpp_text.h"

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

void fill_names(const HeaderModel& model, Filling& out) {
  std::vector<Filling>& members = out.lists["MEMBERS"];
  std::string& initial = out.words["INITIAL"];
  const auto add = [&](const std::string& type, const std::string& name, const std::string& value) {
    const std::string& member = model.members.at(name);
    members.push_back({{{"TYPE", type}, {"MEMBER", member}}});
    initial += (initial.empty() ? "" : ",\n        ") + member + "(" + value + ")";
  };
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    add(field.type, model.study->parameters[p].name, "c." + field.name);
  }
  const auto& dims = model.table->entries.front().size.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    add("long long", dims[d].first, "d." + model.dims[d].name);
  }
  for (const std::string& fact : model.device_facts) {
    add("decltype(device::" + fact + ")", "device." + fact, "v." + fact);
  }
  for (const NamedExpression& one : model.study->derived) {
    out.lists["DERIVED"].push_back({{{"MEMBER", model.members.at(one.name)},
                                     {"REMARK", remark(one.name + ": " + one.expression.text())},
                                     {"VALUE", model.expression(one.expression)}}});
  }
}

// One launch; `mark` ends the names of its functions.
Filling launch_filling(const HeaderModel& model, const LaunchSpec& launch,
                       const std::string& mark) {
  const auto text = [&](const Expression& one, const char* usual) {
    return one.empty() ? std::string(usual) : model.expression(one);
  };
  const auto axis = [&](const Expression& one) {
    return "extent_from(" + text(one, "num(1)") + ")";
  };
  const LaunchAttributesSpec& asked = launch.attributes;
  return {{{"MARK", mark},
           {"GRID", joined(launch.grid, axis, ",\n          ")},
           {"BLOCK", joined(launch.block, axis, ",\n          ")},
           {"SHARED", text(launch.dynamic_shared_bytes, "num(0)")},
           {"CLUSTER", joined(asked.cluster, axis)},
           {"COOPERATIVE", text(asked.cooperative, "num(false)")},
           {"PROGRAMMATIC", text(asked.programmatic, "num(false)")},
           {"CARVEOUT", text(asked.carveout, "num(-1)")},
           {"SCHEDULING", text(asked.scheduling, "num(\"default\")")}}};
}

void fill_launches(const HeaderModel& model, Filling& out) {
  if (asks_for_attributes(*model.study)) out.words["ATTRIBUTES"] = "yes";
  out.lists["LAUNCHES"].push_back(launch_filling(model, model.study->launch, ""));
  for (const NextLaunchSpec& next : model.study->then) {
    std::vector<Filling>& all = out.lists["NEXT"];
    const std::string number = std::to_string(all.size());
    Filling one = launch_filling(model, next.launch, "_then_" + number);
    one.words.insert({{"I", number},
                      {"ENTRY", cpp_string(next.entry)},
                      {"REMARK", remark("then " + next.entry)},
                      {"WHEN", next.when.empty() ? "num(true)" : model.expression(next.when)}});
    all.push_back(one);
    out.lists["LAUNCHES"].push_back(std::move(one));
  }
  out.words["NEXT_COUNT"] = std::to_string(model.study->then.size());
}

}  // namespace

void fill_rules(const HeaderModel& model, Filling& out) {
  fill_names(model, out);
  fill_launches(model, out);
  constexpr std::array kScopes{std::pair(RuleScope::kChoice, "rules_of_the_choice"),
                               std::pair(RuleScope::kSize, "rules_of_the_size"),
                               std::pair(RuleScope::kBoth, "rules_here")};
  for (const auto& [scope, name] : kScopes) {
    Filling one{{{"SCOPE", name}}};
    for (std::size_t i = 0; i < model.scopes.size(); ++i) {
      if (model.scopes[i] != scope) continue;
      const Expression& rule = model.study->constraints[i];
      one.lists["RULES"].push_back(
          {{{"REMARK", remark(rule.text())}, {"VALUE", model.expression(rule)}}});
      if (scope == RuleScope::kSize) out.words["SIZE_RULES"] = "yes";
    }
    out.lists["SCOPES"].push_back(std::move(one));
  }
}

}  // namespace tuner
