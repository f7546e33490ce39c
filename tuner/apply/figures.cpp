// Medians and intervals over runs, as text and JSON.

#include "tuner/apply/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tuner/base/terminal_text.h"
#include "tuner/model/json_text.h"
#include "tuner/model/trial.h"

namespace tuner {
namespace {

std::optional<Worth> worth_of(const AppliedRuns& runs,
                              const std::function<double(const AppliedRun&)>& figure,
                              double confidence) {
  const std::size_t pairs = std::min(runs.without.size(), runs.with.size());
  if (pairs == 0) return std::nullopt;
  std::vector<double> without, with;
  for (std::size_t i = 0; i < pairs; ++i) {
    without.push_back(figure(runs.without[i]));
    with.push_back(figure(runs.with[i]));
  }
  const Ratio ratio = paired_ratio(with, without, confidence);
  return Worth{summarise(without, confidence), summarise(with, confidence), ratio};
}

const double kConfidence = MeasureSpec{}.confidence;

}  // namespace

std::optional<Worth> worth_of_program(const AppliedRuns& runs) {
  return worth_of(
      runs, [](const AppliedRun& run) { return run.seconds; }, kConfidence);
}

std::optional<Worth> worth_of_kernel(const AppliedRuns& runs) {
  return worth_of(
      runs, [](const AppliedRun& run) { return run.counts.kernel_ms(); }, kConfidence);
}

namespace {

// Kinds are the same over runs where the answer or the reason is.
std::string key_of(const LaunchCount& count) {
  return count.answer ? std::to_string(*count.answer) : count.kernel + "\n" + count.reason;
}

std::map<std::string, std::vector<double>> means_of(const std::vector<AppliedRun>& runs) {
  std::map<std::string, std::vector<double>> out;
  for (const AppliedRun& run : runs) {
    for (const LaunchCount& one : run.counts.launches) {
      if (one.weight > 0) out[key_of(one)].push_back(one.ms / one.weight);
    }
  }
  return out;
}

}  // namespace

std::vector<AppliedKind> kinds_of(const AppliedRuns& runs) {
  const auto without = means_of(runs.without), with = means_of(runs.with);
  const auto median_in = [](const auto& all, const std::string& key) {
    const auto found = all.find(key);
    return found != all.end() ? median(found->second) : 0.0;
  };
  const std::vector<AppliedRun>& last = runs.with.empty() ? runs.without : runs.with;
  std::vector<AppliedKind> out;
  if (last.empty()) return out;
  for (const LaunchCount& one : last.back().counts.launches) {
    out.push_back({one, median_in(without, key_of(one)), median_in(with, key_of(one))});
  }
  const auto cost = [](const AppliedKind& one) {
    return -std::max(one.without_ms, one.with_ms) * static_cast<double>(one.count.launches);
  };
  std::ranges::stable_sort(out, {}, cost);
  return out;
}

// ---- as text ------------------------------------------------------------------------------------

namespace {

std::string size_text(const ProblemSize& size) {
  std::string out;
  for (const auto& [name, extent] : size.dims) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, extent);
  }
  return out.empty() ? "-" : out;
}

std::string ms_text(double ms) { return ms > 0 ? fmt::format("{:.4g}", ms) : "-"; }

void add_replaced(const Study& study, const std::vector<AppliedLaunch>& answers,
                  const std::vector<AppliedKind>& kinds, std::string& out) {
  const auto is_replaced = [](const AppliedKind& one) {
    return one.count.answer && one.count.replaced > 0;
  };
  if (std::ranges::none_of(kinds, is_replaced)) return;
  out += fmt::format("{:>12} {:>12} {:>12}  {:<11} {:<24} {}\n", "launches", "without, ms",
                     "with, ms", "chosen", "size", "configuration");
  for (const AppliedKind& one : kinds) {
    if (!is_replaced(one)) continue;
    const AppliedLaunch& answer = answers.at(*one.count.answer);
    out += fmt::format("{:>12} {:>12} {:>12}  {:<11} {:<24} {}\n", one.count.replaced,
                       ms_text(one.without_ms), ms_text(one.with_ms), name_of(answer.variant->how),
                       size_text(answer.variant->size),
                       configuration_text(study.parameters, answer.variant->configuration));
  }
}

void add_left(const std::vector<AppliedKind>& kinds, std::string& out) {
  for (const AppliedKind& one : kinds) {
    const std::uint64_t left =
        one.count.launches - std::min(one.count.launches, one.count.replaced);
    if (left == 0) continue;
    out += fmt::format("{:>12} left as they were ({}): {}\n", left, for_terminal(one.count.kernel),
                       one.count.reason.empty() ? "before its image was there" : one.count.reason);
  }
  std::uint64_t recorded = 0;
  for (const AppliedKind& one : kinds) recorded += one.count.recorded;
  if (recorded == 0) return;
  out += fmt::format(
      "{:>12} recorded into graphs: what these take is in the program's time alone\n", recorded);
}

std::string worth_line(const char* what, const std::optional<Worth>& worth) {
  if (!worth || worth->without.median <= 0) return {};
  const auto timing = [](const Timing& one) {
    return fmt::format("{:.4g} ({:.4g} to {:.4g})", one.median, one.ci_low, one.ci_high);
  };
  return fmt::format("{:<12} {:<32} {:<32} {:.4g} ({:.4g} to {:.4g})\n", what,
                     timing(worth->without), timing(worth->with), worth->ratio.median,
                     worth->ratio.interval.low, worth->ratio.interval.high);
}

}  // namespace

std::string figures_text(const Study& study, const std::vector<AppliedLaunch>& answers,
                         const AppliedRuns& runs) {
  std::string out;
  const std::vector<AppliedKind> kinds = kinds_of(runs);
  add_replaced(study, answers, kinds, out);
  add_left(kinds, out);
  const std::string lines = worth_line("kernel, ms", worth_of_kernel(runs)) +
                            worth_line("program, s", worth_of_program(runs));
  if (lines.empty()) return out;
  return out + fmt::format("{:<12} {:<32} {:<32} {}\n", "", "without", "with", "ratio") + lines;
}

// ---- as JSON ------------------------------------------------------------------------------------

namespace {

nlohmann::json worth_json(const std::optional<Worth>& worth) {
  if (!worth) return nullptr;
  const auto timing = [](const Timing& one) {
    return nlohmann::json{
        {"median", one.median}, {"low", one.ci_low}, {"high", one.ci_high}, {"runs", one.samples}};
  };
  nlohmann::json ratio = nullptr;
  if (worth->without.median > 0) {
    ratio = {{"median", worth->ratio.median},
             {"low", worth->ratio.interval.low},
             {"high", worth->ratio.interval.high}};
  }
  return {{"without", timing(worth->without)}, {"with", timing(worth->with)}, {"ratio", ratio}};
}

nlohmann::json kind_json(const Study& study, const std::vector<AppliedLaunch>& answers,
                         const AppliedKind& kind) {
  const auto known = [](double ms) { return ms > 0 ? nlohmann::json(ms) : nlohmann::json(); };
  nlohmann::json out{{"kernel", kind.count.kernel},
                     {"launches", kind.count.launches},
                     {"replaced", kind.count.replaced},
                     {"recorded", kind.count.recorded},
                     {"without_ms", known(kind.without_ms)},
                     {"with_ms", known(kind.with_ms)},
                     {"reason", nullptr},
                     {"size", nullptr},
                     {"configuration", nullptr},
                     {"chosen", nullptr}};
  if (!kind.count.reason.empty()) out["reason"] = kind.count.reason;
  if (!kind.count.answer || !answers.at(*kind.count.answer).variant) return out;
  const AppliedVariant& variant = *answers.at(*kind.count.answer).variant;
  out["size"] = nlohmann::json::object();
  for (const auto& [name, extent] : variant.size.dims) out["size"][name] = extent;
  out["configuration"] = nlohmann::json::object();
  for (std::size_t i = 0; i < study.parameters.size(); ++i) {
    out["configuration"][study.parameters[i].name] = value_to_json(variant.configuration[i]);
  }
  out["chosen"] = name_of(variant.how);
  return out;
}

}  // namespace

nlohmann::json figures_json(const Study& study, const std::vector<AppliedLaunch>& answers,
                            const AppliedRuns& runs) {
  nlohmann::json launches = nlohmann::json::array();
  for (const AppliedKind& one : kinds_of(runs)) launches.push_back(kind_json(study, answers, one));
  return {{"pairs", std::min(runs.without.size(), runs.with.size())},
          {"kernel_ms", worth_json(worth_of_kernel(runs))},
          {"program_s", worth_json(worth_of_program(runs))},
          {"launches", std::move(launches)}};
}

}  // namespace tuner
