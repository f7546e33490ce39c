// Looks for what wrong answers have in common: one parameter, or what their messages say.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/files/failure_report.h"

namespace tuner {
namespace {

// For the shell: BM == 64 and FORM == 'plain'.
std::string rule_of(const Trial& trial, std::span<const std::string> parameters) {
  std::string out;
  for (std::size_t p = 0; p < parameters.size() && p < trial.configuration.size(); ++p) {
    const Value& value = trial.configuration[p];
    const char* quote = std::holds_alternative<std::string>(value) ? "'" : "";
    out += fmt::format("{}{} == {}{}{}", out.empty() ? "" : " and ", parameters[p], quote,
                       to_text(value), quote);
  }
  return for_terminal(out);
}

using WrongTrials = std::vector<const Trial*>;

WrongTrials wrong_trials(const RankedResults& results) {
  WrongTrials wrong;
  for (const Trial& trial : results.trials) {
    if (trial.state == TrialState::kCorrectness) wrong.push_back(&trial);
  }
  return wrong;
}

// "y[0] = 1, expected 2": which answer it gave, as far as the message shows.
std::string answer_of(const Trial& trial) {
  return trial.message.substr(0, trial.message.find(" ("));
}

using Values = std::set<std::string>;

Values values_of(const WrongTrials& trials, std::size_t parameter) {
  Values values;
  for (const Trial* trial : trials) values.insert(to_text(trial->configuration.at(parameter)));
  return values;
}

std::string listed(const Values& values) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count++ == kMost) return text + ", ...";
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

// Whether no value of a right variant is one of a wrong variant.
bool tells_apart(std::size_t parameter, const WrongTrials& wrong, const WrongTrials& right) {
  const Values of_wrong = values_of(wrong, parameter);
  const Values of_right = values_of(right, parameter);
  return std::ranges::none_of(of_right, [&](const auto& one) { return of_wrong.contains(one); });
}

// Whether wrong answers are the same where this value is, whatever the others are, and other ones
// where it is another.
bool decides_answers(std::size_t parameter, const WrongTrials& wrong) {
  std::map<std::string, std::string> answers;
  Values different;
  bool repeated = false;
  for (const Trial* trial : wrong) {
    const auto [at, fresh] =
        answers.emplace(to_text(trial->configuration.at(parameter)), answer_of(*trial));
    if (!fresh && at->second != answer_of(*trial)) return false;
    repeated = repeated || !fresh;
    different.insert(answer_of(*trial));
  }
  return repeated && different.size() > 1 && different.size() == answers.size();
}

// The evidence of all wrong answers; nothing where they differ in it.
std::optional<Evidence> common_evidence(const WrongTrials& wrong) {
  const auto first = wrong.front()->evidence;
  const bool same =
      std::ranges::all_of(wrong, [&](const Trial* one) { return one->evidence == first; });
  return same ? std::optional(first.value_or(Evidence::kNone)) : std::nullopt;
}

std::string about_evidence(const WrongTrials& wrong, bool has_orders) {
  const auto seen = common_evidence(wrong);
  if (!seen) return "";
  switch (*seen) {
    case Evidence::kNan:
      return ": NaN is left, which outputs start as. The kernel does not write it, or computes it";
    case Evidence::kAdds:
      return ": right where outputs start as zeros. A kernel that adds to one needs role: inout, "
             "fill: zeros";
    case Evidence::kDirty:
      return ": right where workspaces are zeroed before each launch, which 'zero: never' does not "
             "promise";
    case Evidence::kUnwritten:
      return ": elements are not written. The grid covers too little, or the kernel leaves them "
             "out";
    case Evidence::kPlaces:
      return ": the right values are in other places. Answers are compared element by element";
    case Evidence::kNowAndThen:
      return fmt::format(
          ": it is right in some launches only, as with a race, a missing barrier, or sums in any "
          "order{}",
          has_orders ? ". --random-order may show it" : "");
    case Evidence::kRounding: {
      double largest = 0;
      for (const Trial* one : wrong) largest = std::max(largest, one->max_error);
      if (!std::isfinite(largest)) return "";
      return fmt::format(" by a little: with 'atol: {:.1e}' in 'verify' all would pass",
                         1.05 * largest);
    }
    default:
      break;
  }
  const bool agree = wrong.size() > 1 && std::ranges::all_of(wrong, [&](const Trial* one) {
                       return one->message == wrong.front()->message;
                     });
  if (agree) return " in the same way. The kernel, the reference, or an argument is wrong";
  if (*seen == Evidence::kEverywhere)
    return ", in all elements. The kernel, the reference, or an argument is wrong";
  return "";
}

// Whether each is a whole answer, which may be right for other values: all of it was written, it is
// the same in each launch, and rounding does not explain it.
bool may_be_right_elsewhere(const WrongTrials& wrong) {
  return std::ranges::all_of(wrong, [](const Trial* one) {
    return one->evidence == Evidence::kNone || one->evidence == Evidence::kEverywhere;
  });
}

// One parameter that wrong variants have in common, and that the answer may depend on.
std::string about_one_parameter(const RankedResults& results, const WrongTrials& wrong,
                                std::span<const std::string> parameters) {
  WrongTrials right;
  for (const Trial& trial : results.trials) {
    if (is_valid(trial)) right.push_back(&trial);
  }
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const bool decides = right.empty() ? decides_answers(p, wrong) : tells_apart(p, wrong, right);
    if (decides) found.push_back(p);
  }
  // Keeps, of several parameters, those with a single right value, as where all answers are
  // compared with the one of that value.
  if (found.size() > 1 && right.size() > 1) {
    std::erase_if(found, [&](std::size_t p) { return values_of(right, p).size() > 1; });
  }
  if (wrong.size() < 2 || found.size() != 1) return "";
  const std::string name = for_terminal(parameters[found.front()]);
  const std::string seen =
      right.empty()
          ? fmt::format("wrong answers differ with {} alone", name)
          : fmt::format("all {} wrong variants have {} = {}; right ones have {}", wrong.size(),
                        name, for_terminal(listed(values_of(wrong, found.front()))),
                        for_terminal(listed(values_of(right, found.front()))));
  if (results.device.backend == "python") return seen + "\n";  // its reference takes no values
  if (!may_be_right_elsewhere(wrong)) {
    return seen + about_evidence(wrong, results.device.can(kShufflesThreads)) + "\n";
  }
  return fmt::format(
      "{}. If the right answer depends on {}, 'reference: {{per: [{}]}}' computes one for each "
      "value (T1 file: --per {})\n",
      seen, name, name, name);
}

}  // namespace

std::string mostly_wrong_text(const RankedResults& results) {
  const std::size_t wrong = wrong_trials(results).size();
  const auto right = static_cast<std::size_t>(std::ranges::count_if(results.trials, is_valid));
  if (right == 0 || wrong <= right) return "";
  const bool is_baseline = right == 1 && results.baseline && results.baseline->at &&
                           is_valid(results.trials[*results.baseline->at]);
  return fmt::format("only {} gave the right answer, {} did not: look at the study first",
                     is_baseline ? "the baseline" : fmt::format("{} of {}", right, right + wrong),
                     wrong);
}

std::string about_wrong_answers(const RankedResults& results,
                                std::span<const std::string> parameters) {
  const WrongTrials wrong = wrong_trials(results);
  if (wrong.empty()) return "";
  std::string text = mostly_wrong_text(results);
  if (!text.empty()) text += "\n";
  text += about_one_parameter(results, wrong, parameters);
  const auto failed = std::ranges::count_if(results.trials, std::not_fn(is_valid));
  if (results.ranked > 0 || static_cast<std::size_t>(failed) != wrong.size()) return text;
  const std::string cause =
      text.empty() ? about_evidence(wrong, results.device.can(kShufflesThreads)) : "";
  return text + fmt::format("every variant is wrong{}. To run one alone: --where \"{}\"\n", cause,
                            rule_of(*wrong.front(), parameters));
}

}  // namespace tuner
