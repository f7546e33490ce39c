// Finds outputs that nothing verifies.

#include "tuner/study/unverified.h"

#include "tuner/study/sections.h"

namespace tuner {
namespace {

bool is_output(const ArgumentSpec& argument) {
  return !argument.is_scalar && (argument.role == Role::kOut || argument.role == Role::kInOut);
}

}  // namespace

std::vector<std::string> unverified_outputs(const Study& study) {
  std::vector<std::string> outputs;
  std::vector<std::string> all;
  bool any_verified = false;
  for (const ArgumentSpec& argument : study.arguments) {
    const bool is_said = !all.empty() && all.back() == argument.name;  // of another type
    if (!is_output(argument) || is_said) continue;
    if (reference_takes(study, argument.name)) {
      any_verified = true;
      continue;
    }
    all.push_back(argument.name);
    if (argument.role == Role::kOut) outputs.push_back(argument.name);
  }
  return any_verified ? outputs : all;
}

std::string unverified_text(const Study& study) {
  if (!study.runnable) return {};
  if (study.verify_nothing) return "answers were not compared, as was asked for";
  std::string text;
  for (const std::string& name : unverified_outputs(study)) {
    text += (text.empty() ? "nothing verifies '" : ", '") + name + "'";
  }
  if (!text.empty()) return text;
  for (const ArgumentSpec& argument : study.arguments) {
    if (is_output(argument)) return {};
  }
  return "no argument is an output";
}

}  // namespace tuner
