// Goes through a study's expressions.

#include "tuner/resolve/facts_used.h"

#include <set>

#include "tuner/base/error.h"

namespace tuner {
namespace {

void collect_facts(const Expression& expression, std::set<std::string>& facts) {
  for (const std::string& name : expression.names()) {
    if (name.starts_with("device.")) facts.insert(name.substr(7));
  }
}

void collect_facts(const LaunchSpec& launch, std::set<std::string>& facts) {
  for (const Expression& one : launch.grid) collect_facts(one, facts);
  for (const Expression& one : launch.block) collect_facts(one, facts);
  collect_facts(launch.dynamic_shared_bytes, facts);
  const LaunchAttributesSpec& more = launch.attributes;
  for (const Expression& one : more.cluster) collect_facts(one, facts);
  for (const auto* one :
       {&more.cooperative, &more.carveout, &more.scheduling, &more.programmatic}) {
    collect_facts(*one, facts);
  }
}

}  // namespace

std::vector<std::string> facts_used(const Study& study) {
  std::set<std::string> facts;
  for (const NamedExpression& one : study.derived) collect_facts(one.expression, facts);
  for (const Expression& one : study.constraints) collect_facts(one, facts);
  for (const Expression& one : study.only) collect_facts(one, facts);
  collect_facts(study.launch, facts);
  for (const NextLaunchSpec& next : study.then) {
    collect_facts(next.launch, facts);
    collect_facts(next.when, facts);
  }
  for (const ArgumentSpec& argument : study.arguments) {
    if (argument.is_scalar) collect_facts(argument.value, facts);
    if (!is_working_space(argument.role)) continue;
    for (const Expression& one : argument.shape) collect_facts(one, facts);
  }
  for (const ArgumentSpec& constant : study.constants) {
    if (constant.is_scalar) collect_facts(constant.value, facts);
    for (const Expression& one : constant.shape) collect_facts(one, facts);
  }
  return {facts.begin(), facts.end()};
}

void require_told_facts(const Study& study, const DeviceFacts& device) {
  const Bindings told = device.bindings();
  for (const std::string& fact : facts_used(study)) {
    if (told.contains("device." + fact)) continue;
    const std::string what =
        "device." + fact + ", which " + device.backend + " does not tell of '" + device.name + "'";
    throw InputError(
        {Complaint{study.kernel.where, "the study uses " + what, "write the number itself"}},
        study.text);
  }
}

}  // namespace tuner
