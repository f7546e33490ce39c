// `tuner report`: writes results as one HTML page.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/result_sets.h"
#include "tuner/report/page.h"
#include "tuner/run/output_guard.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

struct ReportOptions {
  // A study file; or results folders, ranked CSV files or folders of these, together on one page.
  Strings targets;
  std::string output;
  std::string results = "results";
  std::string title;  // empty: the kernels' names
  ResultFilter filter;
  std::vector<MetricLimit> limits;
  bool all = false;  // with stale ones
  bool force = false;
};

// "gflops=67000"
MetricLimit parse_limit(const std::string& text) {
  const auto equals = text.find('=');
  MetricLimit limit{text.substr(0, equals)};
  char* end = nullptr;
  if (equals != std::string::npos) limit.value = std::strtod(text.c_str() + equals + 1, &end);
  if (limit.metric.empty() || end == nullptr || *end != '\0' || !(limit.value > 0) ||
      !std::isfinite(limit.value)) {
    wrong_usage("--limit takes METRIC=NUMBER such as gflops=67000, not '" + text + "'");
  }
  return limit;
}

ReportOptions parse_report(const Strings& words) {
  ReportOptions o;
  Strings limits;
  OptionTable add;
  add("output,o", o.output, "the HTML file to write ('-' for standard output)");
  add("results", o.results, "folder of the results, with a STUDY");
  add.filter(o.filter);
  add("title", o.title, "of the page; default: the kernels' names");
  add("limit", limits,
      "the limit of a metric on the device, such as gflops=67000; the report shows the share that "
      "was reached; may be repeated");
  add("all", o.all, "with a STUDY: also show results that are stale");
  add.force(o.force);
  const auto values = add.parse(words, "tuner report STUDY|DIR... -o FILE.html [options]");
  o.targets = inputs(values);
  if (o.output.empty()) wrong_usage("the HTML file is missing: -o FILE.html");
  for (const std::string& text : limits) o.limits.push_back(parse_limit(text));
  return o;
}

namespace fs = std::filesystem;

bool is_study(const fs::path& target) {
  const std::string extension = target.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

// The places that hold results, and the study if one is named.
struct Sources {
  std::optional<Study> study;
  std::vector<fs::path> places;
};

Sources sources_of(const ReportOptions& options) {
  Sources out;
  for (const std::string& target : options.targets) {
    if (!is_study(target)) {
      out.places.emplace_back(target);
      continue;
    }
    if (options.targets.size() > 1) {
      wrong_usage("a study stands alone, not beside other targets ('" + target + "')",
                  "several folders of results may be named");
    }
    out.study = read_study(target);
  }
  if (out.places.empty()) out.places.emplace_back(options.results);
  for (const fs::path& place : out.places) {
    if (fs::exists(place)) continue;
    wrong_usage("there are no results in '" + place.string() +
                "': run 'tuner run' first, or name their folder" +
                (out.study ? " with --results" : ""));
  }
  return out;
}

}  // namespace

int report_command(const Strings& words) {
  const ReportOptions options = parse_report(words);
  const Sources from = sources_of(options);
  const Study* const study = from.study ? &*from.study : nullptr;
  OutputGuard guard(options.force);
  if (study != nullptr) guard.protect(*study);
  for (const fs::path& place : from.places) {
    if (fs::is_directory(place)) guard.protect_store(place);
  }
  guard.check(options.output);
  ReportData data = report_data(from.places, study, options.filter, options.all, tell);
  if (data.sets.empty()) {
    std::cerr << "nothing has been measured that fits\n";
    return kExitNothingValid;
  }
  if (!options.title.empty()) data.title = options.title;
  data.version = TUNER_VERSION;
  data.limits = options.limits;
  const std::string page = report_page(data);
  if (options.output == "-") {
    std::cout << page;
  } else {
    guard.write(options.output, page);
    std::cerr << for_terminal(fmt::format("{}: {}, {} KiB", options.output,
                                          count_text(data.sets.size(), "ranking"),
                                          page.size() / 1024))
              << "\n";
  }
  const bool any =
      std::ranges::any_of(data.sets, [](const ReportSet& set) { return set.ranked.ranked > 0; });
  return any ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
