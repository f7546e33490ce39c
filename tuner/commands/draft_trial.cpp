// Reads a draft as `check` does, and tries it as `try` does.

#include "tuner/commands/draft_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/geometry_check.h"
#include "tuner/commands/time_limit.h"
#include "tuner/files/failure_report.h"
#include "tuner/files/ranked_table.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

constexpr const char* kLong = "it takes too long";
constexpr const char* kLateCompiler = "the compiler took longer";

void ignore(const std::string& /*note*/) {}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The function that a linker misses, without its namespaces; empty: it misses none.
std::string missing_function(const std::string& log) {
  static const std::regex kMissing(R"(undefined reference to [`'](?:[\w:<>, ]*[\s:])?(\w+)[(<])");
  std::smatch parts;
  return std::regex_search(log, parts, kMissing) ? parts[1].str() : "";
}

// Says what the compiler's first error is.
std::string compile_error(const std::string& log) {
  if (const std::string function = missing_function(log); !function.empty()) {
    return "it does not compile: no file that was read defines " + function + "()";
  }
  return "it does not compile: " + error_in(log);
}

// "uses an address 64 bytes behind argument 3, a buffer of 1024 bytes", "write past the end of y:
// element 70 of 64": how much larger it has to be at least.
void take_overrun(const std::string& message, const Strings& arguments, DraftTrial& out) {
  static const std::regex kFar(R"((\d+) bytes behind argument (\d+), a buffer of (\d+) bytes)");
  static const std::regex kNear(R"(past the end of (\w+): element (\d+) of (\d+))");
  std::smatch parts;
  double needed = 0, had = 0;
  if (std::regex_search(message, parts, kFar)) {
    const std::size_t place = std::stoul(parts[2].str());
    if (place == 0 || place > arguments.size()) return;
    out.name = arguments[place - 1];
    had = std::stod(parts[3].str());
    needed = had + std::stod(parts[1].str()) + 1;
  } else if (std::regex_search(message, parts, kNear)) {
    out.name = parts[1].str();
    had = std::stod(parts[3].str());
    needed = std::stod(parts[2].str()) + 1;
  }
  if (had < 1) return;
  constexpr double kMore = 2;  // other threads may go farther
  for (out.times = 2; static_cast<double>(out.times) * had < kMore * needed;) out.times *= 2;
}

}  // namespace

Assignments present_configuration(const Study& study, const Assignments& other) {
  Assignments out = other;
  const auto add = [&](const std::string& name, const Value& value) {
    const auto is_it = [&](const auto& one) { return one.first == name; };
    if (std::ranges::none_of(out, is_it)) out.emplace_back(name, to_text(value));
  };
  for (std::size_t i = 0; study.baseline && i < study.parameters.size(); ++i) {
    add(study.parameters[i].name, study.baseline->configuration.at(i));
  }
  if (!study.reference) return out;
  for (const auto& [name, value] : study.reference->configuration) add(name, value);
  return out;
}

DraftTrial judged(const std::string& message, const Strings& arguments) {
  using End = DraftTrial::End;
  const auto says = [&](std::string_view words) { return message.find(words) != message.npos; };
  DraftTrial out{.message = first_line(message)};
  static const std::regex kUnwritten(R"((?:elements of|changes its input) (\w+))");
  static const std::regex kRounding(R"((\w+)\[.* atol: (\S+) would pass)");
  static const std::regex kElement(R"((\w+)(?:\[\d|: number \d))");
  static const std::regex kUndefined(R"('(\w+)' was not declared|undeclared identifier '(\w+)')");
  std::smatch parts;
  out.is_race = says("right in the usual order of threads, wrong in another");
  if (std::regex_search(message, parts, kUnwritten)) {
    out.end = End::kUnwritten;
    out.name = parts[1].str();
  } else if (says("outside of the block's shared memory")) {
    out.end = End::kShared;
  } else if (says("killed by signal") || says("past the end") || says("_ADDRESS (")) {
    out.end = End::kCrash;
    take_overrun(message, arguments, out);
  } else if (const std::size_t late = message.find(kLateCompiler); late != message.npos) {
    out.end = End::kSlow;
    out.message = first_line(message.substr(late));
  } else if (says("does not compile")) {
    out.end = End::kCompile;
    out.message = compile_error(message);
    out.function = missing_function(message);
  } else if (says("not to be had") || says("seconds") || says("timeout")) {
    out.end = End::kSlow;
  } else if (std::regex_search(message, parts, kRounding)) {
    out.end = End::kRounding;
    out.name = parts[1].str();
    constexpr double kMore = 4;  // other orders differ more
    out.atol = fmt::format("{:.1e}", kMore * std::stod(parts[2].str()));
  }
  if (out.end == End::kOther && std::regex_search(message, parts, kElement)) {
    out.name = parts[1].str();
  }
  if (std::regex_search(message, parts, kUndefined)) {
    out.name = parts[1].matched ? parts[1].str() : parts[2].str();
  }
  return out;
}

namespace {

DraftTrial end_of(const std::optional<TryOutcome>& outcome, const Strings& arguments) {
  using End = DraftTrial::End;
  if (outcome && !outcome->refused.empty()) {
    return {.end = End::kRefused, .message = outcome->refused.front()};
  }
  if (!outcome || !outcome->trial) return {.message = "it was not run"};
  const Trial& trial = *outcome->trial;
  if (trial.state == TrialState::kOk) return {.end = End::kRight, .is_verified = true};
  DraftTrial out = judged(trial.message, arguments);
  if (trial.state == TrialState::kTimeout) out.end = End::kSlow;
  if (trial.state == TrialState::kCompile) {
    out.end = End::kCompile;
    out.message = compile_error(trial.message);
    out.function = missing_function(trial.message);
    return out;
  }
  out.is_verified = trial.message.find("during probe") != std::string::npos ||
                    trial.message.find("during estimate") != std::string::npos;
  if (trial.state == TrialState::kCorrectness && out.end == End::kOther) out.end = End::kWrong;
  out.message = std::string(shown_name(trial.state)) + ": " + out.message;
  return out;
}

// Takes "the reference changes its input x" for an output that was drafted as an input.
void take_changed_input(const Strings& doubts, const Strings& arguments, DraftTrial& out) {
  for (const std::string& doubt : doubts) {
    const DraftTrial doubted = judged(doubt, arguments);
    if (doubted.end != DraftTrial::End::kUnwritten) continue;
    out.end = doubted.end;
    out.name = doubted.name;
    return;
  }
}

Strings names_of(const std::vector<ArgumentSpec>& arguments) {
  Strings out;
  for (const ArgumentSpec& one : arguments) out.push_back(one.name);
  return out;
}

std::string backend_of(const Study& study, const TrialSetup& setup) {
  for (const PluginItem& backend : setup.catalogue.items(PluginKind::kBackend)) {
    const bool is_gpu = backend.backend.runs_on_host == 0;
    if (is_gpu == setup.on_gpu && backend.language() == study.kernel.language) return backend.name;
  }
  throw UnavailableError("no backend of this kind is installed");
}

}  // namespace

std::string why_refused(const DraftText& draft) {
  try {
    const Study study = checked_study(study_of_text(draft.file, draft.yaml), {}, ignore);
    const DeviceFacts facts = nominal_facts("sm_90");
    const ProblemSize size = study.sizes.empty() ? ProblemSize{} : study.sizes.front();
    const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
    if (space.size() == 0) return "no configuration satisfies all constraints";
    for (const GeometryReport& report :
         {check_geometry(study, space, size, facts), check_options(study, space, size, facts)}) {
      if (!report.complaints.empty()) return report.complaints.front().message;
    }
    return {};
  } catch (const InputError& error) {
    return error.complaints().empty() ? error.what() : error.complaints().front().message;
  }
}

std::string shown_end(DraftTrial::End end) {
  using End = DraftTrial::End;
  switch (end) {
    case End::kUnwritten:
      return "does not write every element";
    case End::kCrash:
    case End::kShared:
      return "crashes";
    case End::kCompile:
      return "does not compile";
    case End::kSlow:
      return "takes too long";
    case End::kRounding:
    case End::kWrong:
      return "gives another answer";
    default:
      return "does not run";
  }
}

DraftTrial try_draft(const DraftText& draft, const TrialSetup& setup, const Assignments& other) {
  Strings arguments;
  std::vector<std::string> doubts;
  const auto take_doubt = [&](const std::string& note) {
    constexpr std::string_view kWarning = "warning: ";
    if (note.starts_with(kWarning)) doubts.push_back(note.substr(kWarning.size()));
  };
  const TimeLimit limit(2 * setup.timeout);  // a reference comes first
  try {
    Settings settings{checked_study(study_of_text(draft.file, draft.yaml), {}, ignore)};
    arguments = names_of(settings.study.arguments);
    settings.study.backend = {backend_of(settings.study, setup)};
    settings.timeout = setup.timeout;
    std::optional<TryOutcome> outcome;
    try_configuration(settings, present_configuration(settings.study, other),
                      {{executable_path(), setup.plugin_dirs}, setup.catalogue, limit, take_doubt},
                      [&](TryOutcome one) { outcome = std::move(one); });
    const bool has_answer = outcome && outcome->trial;
    if (!has_answer && limit.is_over()) return {.end = DraftTrial::End::kSlow, .message = kLong};
    DraftTrial out = end_of(outcome, arguments);
    if (out.end == DraftTrial::End::kRight) take_changed_input(doubts, arguments, out);
    out.doubts = std::move(doubts);
    return out;
  } catch (const InterruptedError&) {
    if (limit.is_interrupted()) throw;
    return {.end = DraftTrial::End::kSlow, .message = kLong};
  } catch (const UnavailableError& error) {
    return {.end = DraftTrial::End::kNoDevice, .message = first_line(error.what())};
  } catch (const std::exception& error) {
    // A compiler that was stopped has no message that would say so.
    if (limit.is_over()) return {.end = DraftTrial::End::kSlow, .message = kLong};
    return judged(error.what(), arguments);
  }
}

}  // namespace tuner
