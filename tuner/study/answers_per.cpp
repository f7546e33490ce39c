// Makes the reference of a T1 file compute an answer for each value of some parameters.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/base/text.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

[[noreturn]] void refuse(const Study& study, const std::string& message,
                         const std::string& suggestion = {}) {
  throw InputError(Complaint{{study.file.string(), 0, 0}, "--per: " + message, suggestion});
}

// The expression with the values of parameters that the reference has always.
Expression with_values(const Expression& expression,
                       const std::vector<std::pair<std::string, Value>>& values) {
  if (expression.empty()) return expression;
  const std::string& from = expression.text();
  std::string text;
  for (std::size_t at = 0; at < from.size();) {
    std::size_t end = at;
    while (end < from.size() && is_word_part(from[end])) ++end;
    if (end == at) {  // a sign, or a text with what is in it
      const bool quote = from[at] == '\'' || from[at] == '"';
      end = quote ? std::min(from.find(from[at], at + 1), from.size() - 1) + 1 : at + 1;
    }
    const std::string word = from.substr(at, end - at);
    const auto known = std::ranges::find(values, word, &std::pair<std::string, Value>::first);
    text += known == values.end() ? word : "(" + to_literal(known->second) + ")";
    at = end;
  }
  auto parsed = Expression::parse(text, expression.origin());
  return parsed ? *parsed : expression;
}

void check_names(const Study& study, const std::vector<std::string>& names) {
  std::uint64_t answers = 1;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(study.parameters, name, &Parameter::name);
    if (found == study.parameters.end()) {
      std::vector<std::string> known;
      for (const Parameter& one : study.parameters) known.push_back(one.name);
      refuse(study, "there is no parameter '" + name + "'", did_you_mean(name, known));
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
  for (std::size_t axis = 0; axis < 3; ++axis) {
    reference.launch.block[axis] = with_values(study.launch.block[axis], reference.configuration);
    reference.launch.grid[axis] = with_values(study.launch.grid[axis], reference.configuration);
  }
  reference.launch.dynamic_shared_bytes =
      with_values(study.launch.dynamic_shared_bytes, reference.configuration);
  return study;
}

}  // namespace tuner
