// Reads stores and loose files alike.

#include "tuner/commands/result_sets.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <sstream>

#include "tuner/results/loose_ranking.h"
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

std::vector<ResultSet> stored_sets(const fs::path& from, const Study* study,
                                   const ResultFilter& filter, std::vector<std::string>& notes) {
  Store store = Store::open(from, Store::Access::kRead);
  std::vector<ResultSet> all;
  for (StoredResults& results : newest_of_each(stored_results(store, study, filter))) {
    ResultSet set;
    // What another study's parameters were is not the order in which these are stored.
    if (results.parameters.size() == results.of.context.parameters.size()) {
      set.seconds = course_of(store, results);
    }
    set.results = std::move(results);
    all.push_back(std::move(set));
  }
  notes.insert(notes.end(), store.notes().begin(), store.notes().end());
  return all;
}

}  // namespace

std::vector<ResultSet> result_sets(const fs::path& from, const Study* study,
                                   const ResultFilter& filter, std::vector<std::string>& notes) {
  const bool folder = fs::is_directory(from);
  if (folder ? fs::exists(from / "tuner.sqlite") : is_store(from)) {
    return stored_sets(from, study, filter, notes);
  }
  std::vector<ResultSet> all;
  for (LooseRanking& loose : read_loose_rankings(from)) {
    if (!fits(loose.ranked.device, loose.ranked.size, filter)) continue;
    if (study != nullptr && loose.kernel != study->kernel.name) continue;
    ResultSet set;
    set.has_store = false;
    set.told_apart = loose.told_apart;
    set.results.kernel = loose.kernel;
    set.results.parameters = std::move(loose.parameters);
    set.results.ranked = std::move(loose.ranked);
    all.push_back(std::move(set));
  }
  return all;
}

bool holds_results(const fs::path& place) {
  const fs::path kind = place.extension();
  return fs::is_directory(place) || kind == ".csv" || kind == ".gz" || kind == ".tgz" ||
         kind == ".tar" || is_store(place);
}

}  // namespace tuner
