// `tuner judge`: one verdict on a kernel that nobody trusts.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"
#include "tuner/codec/json.h"
#include "tuner/codec/json_text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/one_try.h"
#include "tuner/resolve/objective.h"
#include "tuner/results/ranked_table.h"
#include "tuner/results/results_json.h"
#include "tuner/run/judge.h"
#include "tuner/run/sources.h"
#include "tuner/study/unverified.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct JudgeOptions : DeviceOptions {
  std::string kernel, study;
  Words configuration;
  Words sizes;
  bool json = false;
  std::string color = "auto";
};

JudgeOptions parse_judge(const Words& words) {
  JudgeOptions o;
  std::string configuration;
  OptionTable add;
  add("study", po::value(&o.study), "the study that says what is right");
  add("configuration", po::value(&configuration),
      "NAME=VALUE,... instead of the study's baseline or first valid one");
  add("size", po::value(&o.sizes)->composing(),
      "problem size such as M=1024,N=1024 instead of the study's; may be repeated");
  add("backend", po::value(&o.backend)->default_value("auto"), "auto, cuda, cpu, ...");
  add("device", po::value(&o.device)->default_value("0"), "its number");
  add("timeout", po::value(&o.timeout)->default_value(10), "seconds for one size");
  add("json", po::bool_switch(&o.json), "the verdict as JSON");
  add.plugin_dirs(o.plugin_dirs);
  add.color(o.color);
  const auto values = add.parse(words, "tuner judge KERNEL --study STUDY [options]");
  o.kernel = one_input(values, "which kernel? Give the path of its source (see --help)", true);
  if (o.study.empty()) wrong_usage("which study? Give --study");
  if (!configuration.empty()) o.configuration = {configuration};
  if (!(o.timeout > 0)) wrong_usage("--timeout must be a positive number of seconds");
  return o;
}

// What is said of it, in one word and one sentence.
struct KernelVerdict {
  std::string word;  // "accepted", "refused", or the state of the first failure
  std::string why;
};

KernelVerdict verdict_on(const Judged& judged) {
  if (judged.accepted) return {"accepted", ""};
  const auto failed = std::ranges::find_if(judged.checks, [](const JudgeCheck& check) {
    return check.counts && !is_valid(check.trial);
  });
  if (failed == judged.checks.end()) return {"interrupted", ""};
  return {std::string(name_of(failed->trial.state)),
          failed->size.label() + ": " + failed->trial.message};
}

KernelVerdict refused(const std::vector<std::string>& functions) {
  return {"refused", "functions of the host are not judged: " + listed(functions, "and")};
}

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

std::string judge_text(const JudgeOptions& options, const Judged& judged,
                       const KernelVerdict& verdict, const Study& study, const Colours& colours) {
  std::string text = fmt::format(
      "{}: {}\n", for_terminal(options.kernel),
      judged.accepted ? colours.good(verdict.word) : colours.bad(for_terminal(verdict.word)));
  if (!verdict.why.empty()) text += "  " + lines_for_terminal(verdict.why) + "\n";
  if (judged.checks.empty()) return text;
  text += judged_line("device", judged.device.name);
  text += judged_line("configuration", configuration_text(study.parameters, judged.configuration));
  std::string right;
  std::string skipped;
  for (const JudgeCheck& check : judged.checks) {
    std::string& list = !check.counts ? skipped : right;
    if (!check.counts || is_valid(check.trial)) list += " " + check.size.label();
  }
  if (!right.empty()) text += judged_line("right at", right.substr(1));
  if (!skipped.empty()) {
    text += judged_line("not asked at",
                        skipped.substr(1) + ": the study's own kernel is wrong there, too");
  }
  if (judged.deterministic) {
    text +=
        judged_line("same bits", *judged.deterministic ? "in each launch" : "no: launches differ");
  }
  if (const Trial* trial = timed(judged)) {
    text +=
        judged_line("time", fmt::format("{:.5g} ms ({:.5g} to {:.5g}) at {}", trial->timing.median,
                                        trial->timing.ci_low, trial->timing.ci_high,
                                        judged.checks.front().size.label()));
    if (trial->limit) text += judged_line("of the limit", share_text(*trial));
  }
  if (const auto ratio = speedup(judged)) {
    text += judged_line("the reference", fmt::format("takes {:.4g} times as long", *ratio));
  }
  return text + judged_line("judged in", fmt::format("{:.2f} s", judged.seconds));
}

using Json = nlohmann::ordered_json;

Json or_null(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json checks_json(const Judged& judged) {
  Json checks = Json::array();
  for (const JudgeCheck& check : judged.checks) {
    checks.push_back({{"size", json_of(check.size)},
                      {"at_the_edge", check.at_the_edge},
                      {"state", name_of(check.trial.state)},
                      {"counts", check.counts},
                      {"message", check.trial.message}});
  }
  return checks;
}

// One document; the form is in docs/judge.md.
std::string judge_json(const JudgeOptions& options, const Judged& judged,
                       const KernelVerdict& verdict, const Study& study) {
  Json out{{"kernel", options.kernel},
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
           {"reference_ms", or_null(judged.reference_ms)},
           {"speedup", or_null(speedup(judged))},
           {"deterministic", or_null(judged.deterministic)},
           {"checks", checks_json(judged)},
           {"seconds", judged.seconds}};
  if (const Trial* trial = timed(judged)) {
    out["time_ms"] = trial->timing.median;
    out["ci_low_ms"] = trial->timing.ci_low;
    out["ci_high_ms"] = trial->timing.ci_high;
    if (const auto share = share_of_limit(*trial)) {
      out["limit"] = {{"ms", trial->limit->ms}, {"of", trial->limit->of}, {"share", *share}};
    }
  }
  return dump(out, 2) + "\n";
}

JudgeTask task_of(const JudgeOptions& options, const Study& study) {
  if (study.kernel.is_launcher) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               study.kernel.language == "program"
                                   ? "a 'command' is a program, which is not judged"
                                   : "a 'launcher' is a function of the host, which is not judged",
                               ""});
  }
  const std::string unverified = unverified_text(study);
  if (!unverified.empty()) {
    throw InputError(
        Complaint{{study.file.string(), 0, 0}, "a verdict needs right answers: " + unverified, ""});
  }
  const Assignments assigned = assignments_of(options.configuration);
  JudgeTask task;
  task.own = study;
  task.judged = with_source(study, std::filesystem::absolute(options.kernel).lexically_normal());
  task.secret = drawn_secret();
  task.configuration = [study, assigned](const ProblemSize& size, const DeviceFacts& device) {
    return chosen_configuration(study, assigned, size, device);
  };
  return task;
}

}  // namespace

int judge_command(const Words& words) {
  const JudgeOptions options = parse_judge(words);
  const auto note = noted(options.color);
  const Study study = load_study(options.study, options.sizes, note);
  const JudgeTask task = task_of(options, study);
  std::error_code error;
  if (!std::filesystem::is_regular_file(task.judged.kernel.source, error)) {
    throw InputError(Complaint{{options.kernel, 0, 0}, "there is no such file", ""});
  }
  Judged judged;
  KernelVerdict verdict;
  const Interrupt interrupt;
  const auto functions = host_functions_in(read_file(task.judged.kernel.source.string()));
  if (!functions.empty()) {
    verdict = refused(functions);
  } else {
    DeviceSettings settings = device_settings(options, study);
    const Catalogue catalogue = load_plugins(options.plugin_dirs);
    judged = judge(settings, task,
                   {{executable_path(), options.plugin_dirs}, catalogue, interrupt, note});
    verdict = verdict_on(judged);
  }
  std::cout << (options.json
                    ? judge_json(options, judged, verdict, study)
                    : judge_text(options, judged, verdict, study, Colours(options.color, stdout)));
  if (interrupt.count() > 0) return kExitInterrupted;
  return judged.accepted ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
