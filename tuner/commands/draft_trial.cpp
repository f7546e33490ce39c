// Reads a draft as `check` does, and tries it as `try` does.

#include "tuner/commands/draft_trial.h"

#include <algorithm>
#include <optional>
#include <regex>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/commands/one_try.h"
#include "tuner/resolve/resolve.h"
#include "tuner/results/ranked_table.h"
#include "tuner/run/load_study.h"
#include "tuner/study/geometry_check.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

constexpr double kTimeout = 8;  // seconds for one configuration

void ignore(const std::string& /*note*/) {}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The compiler's first error, without the folder that it works in.
std::string compile_error(const std::string& log) {
  const std::size_t error = std::min(log.find("error: "), log.size());
  const std::size_t from = log.rfind('\n', error) + 1;
  static const std::regex kFolder(R"(/\S*/)");
  const std::string line = error == log.size() ? first_line(log) : first_line(log.substr(from));
  return "it does not compile: " + std::regex_replace(line, kFolder, "");
}

// What the draft itself says of the kernel as it is.
Assignments present_configuration(const Study& study) {
  Assignments out;
  if (!study.reference) return out;
  for (const auto& [name, value] : study.reference->configuration) {
    out.emplace_back(name, to_text(value));
  }
  return out;
}

DraftTrial judged(const std::string& message) {
  using End = DraftTrial::End;
  const auto says = [&](std::string_view words) { return message.find(words) != message.npos; };
  DraftTrial out{End::kOther, false, {}, first_line(message)};
  static const std::regex kUnwritten(R"((?:elements of|changes its input) (\w+))");
  static const std::regex kUndefined(
      R"('([A-Z][A-Z0-9_]*)' was not declared|undeclared identifier '([A-Z][A-Z0-9_]*)')");
  std::smatch parts;
  if (std::regex_search(message, parts, kUnwritten)) {
    out.end = End::kUnwritten;
    out.name = parts[1].str();
  } else if (says("killed by signal") || says("past the end")) {
    out.end = End::kCrash;
  } else if (says("not to be had") || says("seconds") || says("timeout")) {
    out.end = End::kSlow;
  } else if (says("does not compile")) {
    out.end = End::kCompile;
    out.message = compile_error(message);
  }
  if (std::regex_search(message, parts, kUndefined)) {
    out.name = parts[1].matched ? parts[1].str() : parts[2].str();
  }
  return out;
}

DraftTrial judged(const std::optional<TryOutcome>& outcome) {
  if (!outcome || !outcome->trial) return {DraftTrial::End::kOther, false, {}, "it was not run"};
  const Trial& trial = *outcome->trial;
  if (trial.state == TrialState::kOk) return {DraftTrial::End::kRight, true, {}, {}};
  DraftTrial out = judged(trial.message);
  if (trial.state == TrialState::kTimeout) out.end = DraftTrial::End::kSlow;
  if (trial.state == TrialState::kCompile) {
    out.end = DraftTrial::End::kCompile;
    out.message = compile_error(trial.message);
    return out;
  }
  out.is_verified = trial.message.find("during probe") != std::string::npos ||
                    trial.message.find("during estimate") != std::string::npos;
  if (trial.state == TrialState::kCorrectness && out.name.empty()) {
    out.end = DraftTrial::End::kWrong;
  }
  out.message = std::string(shown_name(trial.state)) + ": " + out.message;
  return out;
}

}  // namespace

std::string why_refused(const std::filesystem::path& path) {
  try {
    const Study study = load_study(path.string(), {}, ignore);
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

DraftTrial try_draft(const std::filesystem::path& path, const Words& plugin_dirs) {
  try {
    RunSettings settings{load_study(path.string(), {}, ignore)};
    DeviceOptions options;
    options.backend = "cpu";
    options.timeout = kTimeout;
    settings.devices = device_settings(options, settings.study);
    const Interrupt interrupt;
    const WorkerProgram program{executable_path(), plugin_dirs};
    const Catalogue catalogue = load_plugins(plugin_dirs);
    std::optional<TryOutcome> outcome;
    try_configuration(
        settings, present_configuration(settings.study), program, catalogue, interrupt,
        [&](TryOutcome one) { outcome = std::move(one); }, ignore);
    return judged(outcome);
  } catch (const InterruptedError&) {
    throw;
  } catch (const std::exception& error) {
    return judged(error.what());
  }
}

}  // namespace tuner
