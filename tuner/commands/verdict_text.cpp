// Writes a verdict as text and as JSON.

#include "tuner/commands/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "tuner/files/results_json.h"
#include "tuner/model/bound.h"
#include "tuner/model/json_text.h"

namespace tuner {

KernelVerdict verdict_on(const Judged& judged) {
  if (!judged.refused.empty()) return {"refused", judged.refused};
  if (judged.accepted) return {"accepted", ""};
  const auto failed = std::ranges::find_if(judged.checks, [](const JudgeCheck& check) {
    return check.counts && !is_valid(check.trial);
  });
  if (failed == judged.checks.end()) return {"interrupted", ""};
  const std::string on = failed->inputs.empty() ? "" : ", " + failed->inputs;
  return {std::string(name_of(failed->trial.state)),
          failed->size.label() + on + ": " + failed->trial.message};
}

namespace {

const Trial* timed(const Judged& judged) {
  if (judged.checks.empty() || !is_valid(judged.checks.front().trial)) return nullptr;
  return &judged.checks.front().trial;
}

std::optional<double> speedup(const Judged& judged) {
  const Trial* trial = timed(judged);
  if (trial == nullptr || !judged.reference_ms || !is_time(trial->timing.median)) {
    return std::nullopt;
  }
  return *judged.reference_ms / trial->timing.median;
}

std::string judged_line(const char* name, const std::string& text) {
  return fmt::format("  {:<14} {}\n", name, for_terminal(text));
}

// Lists the sizes, inputs and tools that were checked, and the checks that do not count, with their
// reason.
std::string lines_of_checks(const Judged& judged) {
  std::string right;
  std::string inputs;
  std::string tools;
  std::map<std::string, std::string> skipped;  // by why
  for (const JudgeCheck& check : judged.checks) {
    const std::string size = check.size.label();
    if (!check.counts) {
      const std::string& what = check.tool.empty() ? check.inputs : check.tool;
      skipped[check.why_not] += ", " + size + (what.empty() ? "" : " (" + what + ")");
    } else if (is_valid(check.trial)) {
      if (!check.tool.empty()) tools += ", " + check.tool + " at " + size;
      if (!check.inputs.empty()) inputs += ", " + check.inputs;
      if (check.tool.empty() && check.inputs.empty()) right += ", " + size;
    }
  }
  std::string text;
  const auto add = [&text](const char* name, const std::string& list, const std::string& end = "") {
    if (!list.empty()) text += judged_line(name, list.substr(2) + end);
  };
  add("right at", right);
  add("and for", inputs);
  add("clean", tools);
  for (const auto& [why, list] : skipped) add("not counted", list, ": " + why);
  if (!judged.own_fault.empty()) {
    text += judged_line("decided by", "the reference alone; the study's own kernel is of no use: " +
                                          judged.own_fault);
  }
  for (const std::string& warning : judged.warnings) text += judged_line("warning", warning);
  return text;
}

}  // namespace

std::string judged_text(const std::string& kernel, const Judged& judged,
                        const KernelVerdict& verdict, const Study& study, double seconds,
                        const Colours& colours) {
  std::string text = fmt::format(
      "{}: {}\n", for_terminal(kernel),
      judged.accepted ? colours.good(verdict.word) : colours.bad(for_terminal(verdict.word)));
  if (!verdict.why.empty()) text += "  " + lines_for_terminal(verdict.why) + "\n";
  if (judged.checks.empty()) return text;
  text += judged_line("device", judged.device.name);
  text += judged_line("configuration", configuration_text(study.parameters, judged.configuration));
  text += lines_of_checks(judged);
  if (judged.deterministic) {
    text +=
        judged_line("same bits", *judged.deterministic ? "in each launch" : "no: launches differ");
  }
  if (const Trial* trial = timed(judged)) {
    text +=
        judged_line("time", fmt::format("{:.5g} ms ({:.5g} to {:.5g}) at {}", trial->timing.median,
                                        trial->timing.ci_low, trial->timing.ci_high,
                                        judged.checks.front().size.label()));
    if (!judged.same_inputs.empty()) {
      text += judged_line("not noticed", "a kernel that keeps its answers: " + judged.same_inputs);
    }
    if (trial->limit) text += judged_line("of the limit", share_text(*trial));
    if (const auto bound = bound_of(trial->counters)) text += judged_line("counters", bound->text);
  }
  if (const auto ratio = speedup(judged)) {
    text += judged_line("the reference", fmt::format("takes {:.4g} times as long", *ratio));
  }
  return text + judged_line("judged in", fmt::format("{:.2f} s", seconds));
}

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json name_or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

Json checks_json(const Judged& judged) {
  Json checks = Json::array();
  for (const JudgeCheck& check : judged.checks) {
    checks.push_back({{"size", json_of(check.size)},
                      {"at_the_edge", check.at_the_edge},
                      {"inputs", name_or_null(check.inputs)},
                      {"tool", name_or_null(check.tool)},
                      {"state", name_of(check.trial.state)},
                      {"counts", check.counts},
                      {"why_not", name_or_null(check.counts ? "" : check.why_not)},
                      {"message", check.trial.message},
                      {"seconds", check.seconds}});
  }
  return checks;
}

}  // namespace

std::string judged_json(const std::string& kernel, const Judged& judged,
                        const KernelVerdict& verdict, const Study& study, double seconds) {
  Json out{{"kernel", kernel},
           {"study", study.kernel.name},
           {"accepted", judged.accepted},
           {"verdict", verdict.word},
           {"why", verdict.why},
           {"device", judged.device.name},
           {"configuration", json_of(study.parameters, judged.configuration)},
           {"time_ms", nullptr},
           {"ci_low_ms", nullptr},
           {"ci_high_ms", nullptr},
           {"limit", nullptr},
           {"bound", nullptr},
           {"reference_ms", or_null(judged.reference_ms)},
           {"speedup", or_null(speedup(judged))},
           {"deterministic", or_null(judged.deterministic)},
           {"same_inputs", name_or_null(judged.same_inputs)},
           {"own_fault", name_or_null(judged.own_fault)},
           {"warnings", judged.warnings},
           {"checks", checks_json(judged)},
           {"seconds", seconds}};
  if (const Trial* trial = timed(judged)) {
    out["time_ms"] = trial->timing.median;
    out["ci_low_ms"] = trial->timing.ci_low;
    out["ci_high_ms"] = trial->timing.ci_high;
    if (const auto bound = bound_of(trial->counters)) {
      out["bound"] = {{"by", bound->by}, {"text", bound->text}};
    }
    if (const auto share = share_of_limit(*trial)) {
      out["limit"] = {{"ms", trial->limit->ms}, {"of", trial->limit->of}, {"share", *share}};
    }
  }
  return dump(out, 2) + "\n";
}

}  // namespace tuner
