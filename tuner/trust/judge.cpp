// Runs one configuration at many sizes, on inputs that nobody has seen.

#include "tuner/trust/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/base/stopwatch.h"
#include "tuner/base/text.h"
#include "tuner/files/failure_report.h"
#include "tuner/measure/input_sets.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/study/unverified.h"
#include "tuner/trust/ceilings.h"
#include "tuner/trust/counters.h"
#include "tuner/trust/judged_source.h"

namespace tuner {
namespace {

constexpr int kSetsOfInputs = 3;

// Timing says nothing there, but one sample is needed. No set of inputs was seen before.
Study for_answers_only(Study study) {
  study.measure.min_samples = 1;
  study.measure.max_samples = 1;
  study.measure.cache = CacheState::kHot;
  study.measure.inputs = TimedInputs::kSame;
  study.least_work.reset();
  if (study.reference) study.reference->seeds = 1;
  return study;
}

bool has_random_inputs(const Study& study) {
  const auto is_random = [](const ArgumentSpec& one) {
    return is_read(one.role) && !one.is_scalar && one.fill.is_random();
  };
  return std::ranges::any_of(study.arguments, is_random);
}

Study as_judged(Study study) {
  const bool by_files = study.reference && study.reference->is_given();
  if (study.reference) study.reference->seeds = std::max(study.reference->seeds, kSetsOfInputs);
  if (has_random_inputs(study) && !by_files) study.measure.inputs = TimedInputs::kFresh;
  study.measure.drop_above = 0;
  return study;
}

// Under compute-sanitizer each access is slow, and the answers are known to be right.
Study for_tools(Study study) {
  study = for_answers_only(std::move(study));
  if (study.reference) study.reference->fills.clear();
  study.deterministic = false;
  return study;
}

// Size and inputs at which the judged kernel, or the study's own, is tested.
struct Question {
  ProblemSize size;
  std::vector<ExtremeInputs> inputs{};  // empty: the study's own
};

constexpr std::array kExtremes{ExtremeInputs::kLarge, ExtremeInputs::kTiny, ExtremeInputs::kEqual,
                               ExtremeInputs::kSpecial};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string failure_of(const Trial& trial) {
  const bool is_log = trial.state == TrialState::kCompile;
  return fmt::format("{}: {}", name_of(trial.state),
                     is_log ? error_in(trial.message) : first_line(trial.message));
}

// Why not: the study makes no sense there, or needs what is not there. Empty: it was.
std::string why_not_asked(const std::function<void()>& ask) {
  try {
    ask();
    return {};
  } catch (const InputError& error) {
    return first_line(error.what());
  } catch (const FatalError& error) {
    return first_line(error.what());
  }
}

std::string text_of(const std::vector<ExtremeInputs>& inputs) {
  std::vector<std::string> names;
  for (const ExtremeInputs one : inputs)
    names.emplace_back(kExtremeInputs.at(static_cast<std::size_t>(one)));
  return names.empty() ? "" : listed(names, "and") + " inputs";
}

// Ends a verdict: the source is not judged, for this reason.
struct Refused {
  std::string why;
};

class Court {
 public:
  Court(const JudgeTask& task, Bench& bench, SanitizedWorkers& tools, const Caller& caller)
      : task_(task),
        bench_(bench),
        tools_(tools),
        caller_(caller),
        first_{bench.models().front().front().get()},
        source_(task.own, task.judged),
        judged_(as_judged(task.judged)),
        own_(as_judged(task.own)),
        own_sources_(bench.sources_of(task.own)) {
    find_ceilings(bench, {&first_, 1});
    device_.emplace(bench.device({&first_, 1}));
    own_device_.emplace(bench.device({&first_, 1}, own_sources_));
  }

  Judged judged() {
    Judged out;
    out.device = device_->facts();
    out.same_inputs = same_inputs_text(judged_);
    for (const ProblemSize& size : judged_.sizes) {
      if (!look_at_size(out, size)) return out;
    }
    if (task_.timed) task_.timed();
    const ProblemSize& first = judged_.sizes.front();
    for (const ProblemSize& size :
         sizes_at_the_edge(judged_, first, out.checks.front().trial.geometry)) {
      if (!look_elsewhere(out, {size})) return out;
    }
    if (!look_elsewhere(out, {first, {kExtremes.begin(), kExtremes.end()}})) return out;
    look_for_same_bits(out, first);
    for (const auto& tool : tools_) {
      if (!look_with(*tool, out)) return out;
    }
    out.accepted = !is_over();
    if (!out.accepted || !task_.counters) return out;
    // Adds the counters to what was found before: the verdict stands.
    const auto trial = evaluate(*device_, judged_, first, out.configuration, {}, caller_.note);
    if (trial) out.checks.front().trial.counters = trial->counters;
    return out;
  }

 private:
  bool is_over() const { return caller_.interrupt.count() > 0; }

  // Nothing: no configuration of these values is valid at the size, or it was interrupted.
  std::optional<Trial> evaluate(PooledDevice& device, const Study& study, const ProblemSize& size,
                                const Configuration& configuration,
                                const std::function<void(SizeTask&)>& change = {},
                                const Note& no_counters = {}) {
    const SearchSpace space =
        SearchSpace::build(definition_of_one(study, configuration, size, device.facts()));
    if (space.size() == 0) return std::nullopt;
    SizeTask task = planned_task(study, space, size, device.facts(), bench_.sources().reference);
    for (auto* arguments : {&task.plan.arguments, &task.plan.constants}) {
      for (ArgumentPlan& argument : *arguments) argument.seed ^= task_.secret;
    }
    if (change) change(task);
    auto trial = measure_one(device, std::move(task), configuration, no_counters);
    if (trial && study.kernel.source == judged_.kernel.source) look_at_files(*trial);
    return trial;
  }

  // Refuses a source that has read other files, and removes these from messages.
  void look_at_files(Trial& trial) const {
    const std::string refusal = source_.refusal(trial);
    if (!refusal.empty()) throw Refused{refusal};
    if (trial.state == TrialState::kCompile) trial.message = source_.tellable(trial.message);
  }

  // Whether to go on.
  bool add(Judged& out, JudgeCheck check, const Stopwatch& since) {
    check.seconds = since.seconds();
    out.checks.push_back(std::move(check));
    return !out.checks.back().counts || is_valid(out.checks.back().trial);
  }

  bool look_at_size(Judged& out, const ProblemSize& size) {
    if (is_over()) return false;
    const Stopwatch since;
    if (out.configuration.empty()) out.configuration = task_.configuration(size, out.device);
    const auto listen = [&out](SizeTask& task) {
      task.reference_timed = [&out](double ms) {
        if (!out.reference_ms) out.reference_ms = ms;
      };
      task.warn = [&out](const std::string& text) {
        if (std::ranges::find(out.warnings, text) == out.warnings.end()) {
          out.warnings.push_back(text);
        }
      };
    };
    std::optional<Trial> trial;
    try {
      trial = evaluate(*device_, judged_, size, out.configuration, listen);
    } catch (const FatalError& error) {
      refuse_without_answer(error);
      throw;
    }
    if (!trial) return false;
    return add(out, {size, false, {}, {}, std::move(*trial)}, since);
  }

  // A study whose reference has no answer at its own size cannot say what is right.
  void refuse_without_answer(const FatalError& error) const {
    const std::string text = error.what();
    if (!judged_.reference || text.find(": the reference") == text.npos) return;
    throw InputError(
        {Complaint{judged_.reference->where, "nothing says what is right: " + text, ""}},
        judged_.text);
  }

  // Tests a size or inputs that the study does not declare allowed. Where the reference or the
  // study's own kernel goes wrong, too, nothing is held against others. Most kernels are right on
  // several inputs at once, which takes less time; else each is tested by itself.
  bool look_elsewhere(Judged& out, const Question& question) {
    if (is_over()) return false;
    const Stopwatch since;
    JudgeCheck check{question.size, question.inputs.empty(), text_of(question.inputs)};
    std::optional<Trial> trial;
    const std::string nonsense =
        why_not_asked([&] { trial = ask(*device_, judged_, question, out.configuration, check); });
    if (nonsense.empty() && !trial) return !is_over();
    if (trial) check.trial = std::move(*trial);
    const bool is_right = nonsense.empty() && check.counts && is_valid(check.trial);
    if (question.inputs.size() > 1 && !is_right) {
      return std::ranges::all_of(question.inputs, [&](ExtremeInputs one) {
        return look_elsewhere(out, {question.size, {one}});
      });
    }
    if (!nonsense.empty()) {
      check.counts = false;
      check.why_not = nonsense;
    } else if (!is_valid(check.trial)) {
      decide(out, question, check);
    }
    return add(out, std::move(check), since);
  }

  // Decides whether a wrong answer counts. The study's own kernel shows what is allowed; where it
  // is of no use, as in a study of a reference alone, whatever the reference has an answer for.
  void decide(Judged& out, const Question& question, JudgeCheck& check) {
    if (!own_fault_) own_fault_ = fault_of_own();
    out.own_fault = *own_fault_;
    if (!own_fault_->empty()) {
      check.counts = check.why_not.empty();
      return;
    }
    std::optional<Trial> trial;
    std::string why = why_not_asked([&] { trial = own_trial(question); });
    check.counts = trial && is_valid(*trial);
    check.why_not.clear();
    if (check.counts) return;
    if (trial) why = failure_of(*trial);
    check.why_not = "the study's own kernel is wrong there, too" + (why.empty() ? "" : ": " + why);
  }

  // Returns why the study's own kernel is of no use: it is wrong where the study claims it right.
  std::string fault_of_own() {
    std::optional<Trial> trial;
    const std::string why = why_not_asked([&] { trial = own_trial({own_.sizes.front()}); });
    if (!trial) return why.empty() ? "it has no valid configuration" : why;
    if (is_valid(*trial)) return {};
    return failure_of(*trial);
  }

  std::optional<Trial> ask(PooledDevice& device, const Study& of, const Question& question,
                           const Configuration& configuration, JudgeCheck& check) {
    Study study = for_answers_only(of);
    const bool is_extreme = !question.inputs.empty();
    if (is_extreme && (!study.reference || study.reference->is_given())) return std::nullopt;
    if (is_extreme) study.reference->fills = question.inputs;
    bool is_other = true;  // some input is
    auto trial = evaluate(device, study, question.size, configuration, [&](SizeTask& task) {
      if (is_extreme && task.plan.reference) {
        auto& fills = task.plan.reference->fills;
        std::erase_if(fills,
                      [&task](ExtremeInputs one) { return !has_inputs_for(task.plan, one); });
        is_other = !fills.empty();
        check.inputs = text_of(fills);
      }
      task.warn = [&](const std::string& text) {
        const bool no_answer = text.starts_with(kNotCompared);
        if (!no_answer && !text.starts_with(kNotFinite)) return;
        check.why_not = text;
        if (!no_answer) return;
        check.counts = false;
        check.trial.message = text;
      };
    });
    if (!is_other) return std::nullopt;
    if (trial && !check.counts) trial->message = check.trial.message;
    if (trial && is_valid(*trial) && check.counts) check.why_not.clear();
    return trial;
  }

  // Tests the study's own kernel in a process that has not run the judged one.
  std::optional<Trial> own_trial(const Question& question) {
    first_.worker->start();
    JudgeCheck ignored;
    return ask(*own_device_, own_, question, task_.configuration(question.size, device_->facts()),
               ignored);
  }

  // Checks that answers are the same to the bit, unless the study asked for it before.
  void look_for_same_bits(Judged& out, const ProblemSize& size) {
    out.deterministic = out.checks.front().trial.deterministic;
    if (out.deterministic || is_over()) return;
    Study twice = for_answers_only(judged_);
    twice.deterministic = true;
    const auto trial = evaluate(*device_, twice, size, out.configuration);
    if (trial) out.deterministic = trial->deterministic;
  }

  // Finds the smallest size that the study allows, so that it does not take long.
  ProblemSize size_for_tools(const Configuration& configuration) {
    const ProblemSize& first = judged_.sizes.front();
    for (const ProblemSize& size : smaller_sizes(judged_, first)) {
      ConfigIndex valid = 0;
      why_not_asked([&] {
        const auto one = definition_of_one(judged_, configuration, size, device_->facts());
        valid = SearchSpace::build(one).size();
      });
      if (valid > 0) return size;
    }
    return first;
  }

  bool look_with(SanitizedWorker& tool, Judged& out) {
    if (is_over()) return false;
    const Stopwatch since;
    JudgeCheck check;
    check.size = size_for_tools(out.configuration);
    check.tool = tool.tool();
    check.trial.state = TrialState::kOk;
    std::string why_not;
    const std::string found =
        finding(tool, judged_, bench_.sources(), check.size, out.configuration, why_not);
    if (!found.empty()) {
      check.trial.state = TrialState::kCorrectness;
      check.trial.message = tool.tool() + ": " + found;
      tool.begin_anew();
      std::string ignored;
      check.counts = finding(tool, own_, own_sources_, check.size,
                             task_.configuration(check.size, device_->facts()), ignored)
                         .empty();
      if (!check.counts) check.why_not = tool.tool() + " finds something in the study's own, too";
    } else if (!why_not.empty()) {
      check.counts = false;
      check.why_not = check.trial.message = "not looked at: " + first_line(why_not);
    } else {
      check.trial.message = tool.warning();
    }
    return add(out, std::move(check), since);
  }

  // Returns a tool's finding while the study's kernel runs once. `why_not`: it did not come so far.
  std::string finding(SanitizedWorker& tool, const Study& study, const SourceTexts& sources,
                      const ProblemSize& size, const Configuration& configuration,
                      std::string& why_not) {
    try {
      PooledDevice device = bench_.device({&tool.device(), 1}, sources);
      const auto trial = evaluate(device, for_tools(study), size, configuration);
      if (!trial || !is_valid(*trial)) why_not = trial ? trial->message : "interrupted";
    } catch (const std::exception& error) {
      why_not = error.what();
    }
    return tool.finding();
  }

  const JudgeTask& task_;
  Bench& bench_;
  SanitizedWorkers& tools_;
  const Caller& caller_;
  WorkingDevice first_;
  JudgedSource source_;
  Study judged_;
  Study own_;
  SourceTexts own_sources_;
  std::optional<PooledDevice> device_;
  std::optional<PooledDevice> own_device_;
  std::optional<std::string> own_fault_;  // nothing: not asked yet
};

}  // namespace

Judged judge(const JudgeTask& task, Bench& bench, SanitizedWorkers& tools, const Caller& caller) {
  caller.catalogue.check_study(task.judged);
  for (const std::string& text : bench.notes()) caller.note(text);
  try {
    return Court(task, bench, tools, caller).judged();
  } catch (const Refused& refused) {
    Judged out;
    out.refused = refused.why;
    return out;
  }
}

}  // namespace tuner
