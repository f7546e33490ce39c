// Says of results what was measured, how, and what to know about them.

#include "tuner/commands/report_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

std::string identity_of(const StoredResults& results, const std::string& name) {
  for (const auto& [part, text] : results.of.key.identity) {
    if (part == name) return text;
  }
  return {};
}

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

NamedTexts provenance_of(const ResultSet& set) {
  const StoredResults& results = set.results;
  NamedTexts out{{"Kernel", results.kernel}, {"Problem size", results.ranked.size.label()}};
  add_device(results.ranked.device, out);
  const auto add = [&](const char* name, const std::string& text) {
    out.emplace_back(name, text.empty() ? "not recorded" : text);
  };
  add("Compiler", results.ranked.compiler);
  add("Measuring", identity_of(results, "measuring"));
  if (!results.options.empty()) add("Backend options", results.options);
  if (!results.imported.empty()) add("Imported from", results.imported);
  add("Answers", verification(results.ranked));
  add("Newest result", results.ranked.date);
  if (set.has_store) add("Source (digest)", identity_of(results, "source"));
  add("Kept in", set.has_store ? "the results' database" : "a ranked CSV file");
  return out;
}

std::vector<std::string> remarks_of(const ResultSet& set) {
  std::vector<std::string> out;
  const StoredResults& results = set.results;
  if (!set.told_apart) {
    out.emplace_back(
        "This CSV file does not say which times are from the final and which from the search. The "
        "best ranks usually come from a final, where the device is warmer: do not compare them "
        "with the others to the last percent.");
  }
  for (const std::string& reason : results.stale) out.push_back("Stale: " + reason);
  if (!results.ranked.unverified.value_or("").empty()) {
    out.push_back("Not verified: " + *results.ranked.unverified +
                  "; wrong answers would be ranked.");
  }
  const auto outdated = std::ranges::count_if(results.ranked.trials, &Trial::outdated);
  if (outdated > 0) {
    out.push_back(fmt::format(
        "{} results are from when the device was faster or slower, and are not ranked.", outdated));
  }
  for (const std::string& other : results.others) out.push_back("Not shown: " + other);
  return out;
}

}  // namespace

std::vector<ReportSet> report_sets(std::vector<ResultSet> results) {
  std::vector<ReportSet> all;
  for (ResultSet& set : results) {
    ReportSet one;
    one.provenance = provenance_of(set);
    one.remarks = remarks_of(set);
    one.kernel = set.results.kernel;
    one.parameters = std::move(set.results.parameters);
    one.ranked = std::move(set.results.ranked);
    one.objective = std::move(set.results.objective);
    one.told_apart = set.told_apart;
    one.seconds = std::move(set.seconds);
    all.push_back(std::move(one));
  }
  return all;
}

ReportData report_data(const std::vector<std::filesystem::path>& places, const Study* study,
                       const ResultFilter& filter, std::vector<std::string>& notes) {
  ReportData data;
  std::vector<std::string> kernels;
  for (const std::filesystem::path& place : places) {
    for (ReportSet& set : report_sets(result_sets(place, study, filter, notes))) {
      if (std::ranges::find(kernels, set.kernel) == kernels.end()) kernels.push_back(set.kernel);
      data.sets.push_back(std::move(set));
    }
  }
  data.title = fmt::format("{}", fmt::join(kernels, ", "));
  return data;
}

}  // namespace tuner
