// Finds outputs that nothing verifies, and has others compared, or none, where the command line
// says so.

#include "tuner/study/unverified.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/resolve/reference_plan.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

std::vector<std::string> unverified_outputs(const Study& study) {
  std::vector<std::string> outputs;
  std::vector<std::string> all;
  bool any_verified = false;
  for (const ArgumentSpec& argument : study.arguments) {
    const bool is_said = !all.empty() && all.back() == argument.name;  // of another type
    if (!is_output(argument.role) || is_said) continue;
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
  if (!study.is_runnable() || study.memory_is_captured) return {};
  if (study.verify_nothing) return "answers were not compared, as was asked for";
  std::string text;
  for (const std::string& name : unverified_outputs(study)) {
    text += (text.empty() ? "nothing verifies '" : ", '") + name + "'";
  }
  if (!text.empty()) return text;
  return outputs_of(study).empty() ? "no argument is an output" : "";
}

std::string same_inputs_text(const Study& study) {
  if (!study.is_runnable() || study.kernel.subject == Subject::kCommand) return {};
  const bool is_fresh = study.measure.inputs == TimedInputs::kFresh;
  if (study.reference && study.reference->is_given()) {
    return "the answers from files are for one set of inputs";
  }
  const auto is_drawn = [&](const ArgumentSpec& one) {
    const auto is = [&](const FillSpec& fill) {
      return is_fresh ? fill.is_random() : fill.is_drawn_by_device();
    };
    const bool any_member =
        one.record && std::ranges::any_of(one.record->members, is, &MemberSpec::fill);
    return is_read(one.role) && (is(one.fill) || any_member);
  };
  if (std::ranges::none_of(study.arguments, is_drawn) &&
      std::ranges::none_of(study.constants, is_drawn)) {
    return "no input has random numbers that the device draws ('uniform', 'normal', 'integers', "
           "'zipf')";
  }
  if (study.measure.cache != CacheState::kHot || is_fresh) return {};
  return "with 'cache: hot' a sample repeats launches on the same inputs";
}

// ---- --per, --no-verify -------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const Study& study, const std::string& message,
                         const std::string& suggestion = {}) {
  throw InputError(Complaint{{study.file.string(), 0, 0}, "--per: " + message, suggestion});
}

void check_names(const Study& study, const std::vector<std::string>& names) {
  std::uint64_t answers = 1;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(study.parameters, name, &Parameter::name);
    if (found == study.parameters.end()) {
      refuse(study, "there is no parameter '" + name + "'",
             did_you_mean(name, parameter_names(study.parameters)));
    }
    answers *= found->values.size();
    if (answers <= kMostAnswers) continue;
    refuse(study,
           fmt::format("{} right answers, one for each combination of values; at most {} are "
                       "computed",
                       answers, kMostAnswers));
  }
}

}  // namespace

Study study_with_answers_per(Study study, const std::vector<std::string>& names) {
  if (names.empty()) return study;
  if (study.file.extension() != ".json") {
    refuse(study, "it is for T1 files; a study says 'reference: {per: [NAME]}'");
  }
  if (!study.reference) refuse(study, "no answers are compared in this file");
  check_names(study, names);
  ReferenceSpec& reference = *study.reference;
  for (const std::string& name : names) {
    if (std::ranges::find(reference.per, name) == reference.per.end())
      reference.per.push_back(name);
    std::erase_if(reference.configuration, [&](const auto& one) { return one.first == name; });
  }
  return study;
}

Study unverified_study(Study study) {
  if (study.file.extension() != ".json") {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "--no-verify is for T1 files; a study says 'verify: none'",
                               ""});
  }
  verify_nothing(study);
  return study;
}

}  // namespace tuner
