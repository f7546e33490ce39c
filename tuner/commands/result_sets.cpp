// Reads stores and loose files alike.

#include "tuner/commands/result_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/commands/what_next.h"
#include "tuner/files/ranked_files.h"
#include "tuner/files/ranked_table.h"
#include "tuner/history/identity.h"
#include "tuner/search/ranking.h"
#include "tuner/store/trial_codec.h"

namespace tuner {

namespace {

namespace fs = std::filesystem;

// Seconds of "2026-01-31T12:00:00Z"; -1 when it is none.
double seconds_of(const std::string& date) {
  std::tm time{};
  if (::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr) return -1;
  return static_cast<double>(::timegm(&time));
}

// Rows keep their places while later records replace them, as a final's do: a row came at the
// latest when the next ones did.
std::vector<double> course_of(Store& store, const StoredResults& results) {
  const Context& context = results.of.context;
  const auto dates = store.dates(context);
  std::map<std::string, double> when;
  double latest = 1e300;
  double first = 0;
  for (auto row = dates.rbegin(); row != dates.rend(); ++row) {
    const double at = seconds_of(row->second);
    if (at >= 0) latest = std::min(latest, at);
    when[row->first] = latest;
    first = latest;
  }
  std::vector<double> seconds;
  for (const Trial& trial : results.ranked.trials) {
    const auto found = when.find(canonical_configuration(results.parameters, trial.configuration));
    if (found == when.end() || found->second > 1e299) return {};
    seconds.push_back(found->second - first);
  }
  return seconds;
}

std::vector<StoredResults> stored_sets(const fs::path& from, const Study* study,
                                       const ResultFilter& filter, const Note& tell) {
  Store store = Store::open(from, Store::Access::kRead);
  std::vector<StoredResults> all = newest_of_each(stored_results(store, study, filter));
  for (StoredResults& set : all) {
    // Reads the course only if the stored parameters match: another study's may have another order.
    if (set.parameters.size() == set.of.context.parameters.size()) {
      set.seconds = course_of(store, set);
    }
  }
  std::ranges::for_each(store.notes(), tell);
  return all;
}

}  // namespace

std::vector<StoredResults> result_sets(const fs::path& from, const Study* study,
                                       const ResultFilter& filter, const Note& tell) {
  const bool folder = fs::is_directory(from);
  if (folder ? fs::exists(from / "tuner.sqlite") : is_store(from)) {
    return stored_sets(from, study, filter, tell);
  }
  std::vector<StoredResults> all;
  for (LooseRanking& loose : read_loose_rankings(from)) {
    if (!fits(loose.ranked.device, loose.ranked.size, filter)) continue;
    if (study != nullptr && loose.kernel != study->kernel.name) continue;
    StoredResults set;
    set.has_store = false;
    set.kernel = loose.kernel;
    set.parameters = std::move(loose.parameters);
    set.ranked = std::move(loose.ranked);
    all.push_back(std::move(set));
  }
  return all;
}

bool holds_results(const fs::path& place) {
  const fs::path kind = place.extension();
  return fs::is_directory(place) || kind == ".csv" || kind == ".gz" || kind == ".tgz" ||
         kind == ".tar" || is_store(place);
}

std::vector<FirstLoss> first_losses(const StoredResults& results,
                                    const std::vector<std::size_t>& counts) {
  std::vector<Trial> in_order = results.ranked.trials;
  std::ranges::sort(in_order, {}, &Trial::index);  // which is the order of the store
  const auto losses = losses_after(results.objective, in_order, counts);
  std::vector<FirstLoss> out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out.push_back({counts[i], counts[i] <= in_order.size(), losses[i]});
  }
  return out;
}

namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::string verification(const RankedResults& ranked) {
  if (!ranked.unverified) return "not recorded";
  if (!ranked.unverified->empty()) return "not verified: " + *ranked.unverified;
  return "each measured configuration gave the right answer";
}

void add_device(const DeviceFacts& device, NamedTexts& out) {
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.emplace_back(name, text);
  };
  add("Device", device.name);
  add("Backend", device.backend);
  add("Architecture", device.arch);
  add("Driver", device.driver);
  if (device.multiprocessors > 1) add("Multiprocessors", std::to_string(device.multiprocessors));
  if (device.memory_bytes > 0) {
    add("Memory", fmt::format("{:.1f} GiB", static_cast<double>(device.memory_bytes) / kGibibyte));
  }
  if (device.clock_khz > 0) {
    add("Highest clock", fmt::format("{:.0f} MHz", static_cast<double>(device.clock_khz) / 1000));
  }
}

NamedTexts provenance_of(const StoredResults& results) {
  NamedTexts out{{"Kernel", results.kernel}, {"Problem size", results.ranked.size.label()}};
  add_device(results.ranked.device, out);
  const auto add = [&](const char* name, const std::string& text) {
    out.emplace_back(name, text.empty() ? "not recorded" : text);
  };
  if (!results.ranked.form.empty()) add("What is tuned", "a " + results.ranked.form);
  add("Compiler", results.ranked.compiler);
  add("Measuring", identity_part(results.of.key, "measuring"));
  if (!results.options.empty()) add("Backend options", results.options);
  if (!results.imported.empty()) add("Imported from", results.imported);
  add("Answers", verification(results.ranked));
  add("Newest result", results.ranked.date);
  if (results.has_store) add("Source (digest)", identity_part(results.of.key, "source"));
  add("Kept in", results.has_store ? "the results' database" : "a ranked CSV file");
  return out;
}

std::vector<std::string> remarks_of(const StoredResults& results) {
  std::vector<std::string> out;
  for (const std::string& reason : results.stale) out.push_back("Stale: " + reason);
  if (!results.ranked.unverified.value_or("").empty()) {
    out.push_back("Not verified: " + *results.ranked.unverified +
                  "; wrong answers would be ranked.");
  }
  for (std::string& line : advice_lines(results.ranked)) out.push_back("A" + line.substr(1) + ".");
  std::vector<std::string> parts;
  if (results.has_store) {
    for (const FirstLoss& one : first_losses(results, {1, 8, 32})) {
      if (one.asked)
        parts.push_back(fmt::format("{} after {}", loss_text(one.loss), one.questions));
    }
  }
  if (parts.size() > 1) {
    out.push_back("Distance from the best, by question: " + listed(parts, "and") + ".");
  }
  const auto outdated = std::ranges::count_if(results.ranked.trials, &Trial::outdated);
  if (outdated > 0) {
    out.push_back(fmt::format(
        "{} results were measured while the device was faster or slower; they are not ranked.",
        outdated));
  }
  if (results.ranked.outside > 0) out.push_back(outside_text(results.ranked));
  for (const std::string& warning : results.ranked.warnings) out.push_back("Warning: " + warning);
  for (const std::string& other : results.others) out.push_back("Not shown: " + other);
  return out;
}

}  // namespace

namespace {

// Lists what to do next with the results of a study.
std::vector<std::string> next_of(const StoredResults& results, const Study& study,
                                 const std::filesystem::path& place) {
  if (results.ranked.ranked == 0) return {};
  const std::string file = shell_word(std::filesystem::proximate(study.file).string());
  if (!results.stale.empty()) return {"These results are stale: `tuner run " + file + "`"};
  std::vector<std::string> out = hint_lines({study_hints(study, results.ranked)});
  const std::string from = results.has_store ? " --results " : " --from ";
  out.push_back("Use them: `" + header_command(study, file, from + shell_word(place.string())) +
                "`");
  return out;
}

}  // namespace

std::vector<ReportSet> report_sets(std::vector<StoredResults> results, const Study* study,
                                   const std::filesystem::path& place) {
  std::vector<ReportSet> all;
  for (StoredResults& set : results) {
    ReportSet one;
    if (study != nullptr) one.next = next_of(set, *study, place);
    one.provenance = provenance_of(set);
    one.remarks = remarks_of(set);
    one.stale = !set.stale.empty();
    one.kernel = set.kernel;
    one.parameters = std::move(set.parameters);
    one.ranked = std::move(set.ranked);
    one.objective = std::move(set.objective);
    one.seconds = std::move(set.seconds);
    all.push_back(std::move(one));
  }
  return all;
}

ReportData report_data(const std::vector<std::filesystem::path>& places, const Study* study,
                       const ResultFilter& filter, bool with_stale, const Note& tell) {
  ReportData data;
  std::vector<std::string> kernels;
  for (const std::filesystem::path& place : places) {
    std::vector<StoredResults> results = result_sets(place, study, filter, tell);
    const auto is_stale = [](const StoredResults& one) { return !one.stale.empty(); };
    const auto stale = static_cast<std::size_t>(std::ranges::count_if(results, is_stale));
    if (!with_stale && stale > 0 && stale < results.size()) {
      std::erase_if(results, is_stale);
      tell(count_text(stale, "stale ranking") + " left out (--all shows them)");
    }
    for (ReportSet& set : report_sets(std::move(results), study, place)) {
      if (std::ranges::find(kernels, set.kernel) == kernels.end()) kernels.push_back(set.kernel);
      data.sets.push_back(std::move(set));
    }
  }
  data.title = fmt::format("{}", fmt::join(kernels, ", "));
  return data;
}

}  // namespace tuner
