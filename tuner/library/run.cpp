// The tuning run, and what is stored, for a program that is not `tuner`.

#include <filesystem>

#include "tuner/deploy/registry.h"
#include "tuner/history/stored_results.h"
#include "tuner/library/state.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/run/device_run.h"
#include "tuner/run/tuning_run.h"

namespace libtuner {
namespace {

// A stop that the listener requests, instead of a signal.
class Stop final : public tuner::StopRequest {
 public:
  int count() const override { return wanted ? 1 : 0; }
  int fd() const override { return -1; }
  bool wanted = false;
};

Trial plain(const tuner::Study& study, const tuner::Trial& from) {
  const tuner::Shown shown = tuner::shown(from);
  return {with_names(study.parameters, from.configuration), std::string(tuner::name_of(from.state)),
          shown.median_ms, shown.objective, from.message};
}

Ranking plain(const tuner::Study& study, const tuner::RankedResults& results) {
  Ranking ranking{results.device.name, results.size.label(), {}};
  for (const tuner::Trial& trial : results.trials) ranking.trials.push_back(plain(study, trial));
  return ranking;
}

tuner::Settings run_settings(const tuner::Study& study, const RunSettings& from) {
  tuner::Settings to = settings_of(study, from);
  to.jobs = workers_of(from.jobs);
  tuner::Budget& budget = to.study.search.budget;
  const std::uint64_t evaluations = count_of(from.evaluations);
  const double seconds = seconds_of(from.seconds);
  if (evaluations > 0 || seconds > 0) budget = {};
  if (evaluations > 0) budget.evaluations = evaluations;
  if (seconds > 0) budget.seconds = seconds;
  return to;
}

}  // namespace

std::vector<Ranking> run(const Study& study, const RunSettings& settings,
                         const Listener& listener) {
  return guarded([&] {
    const tuner::Study& plain_study = study.state_->study;
    Stop stop;
    std::vector<Ranking> rankings;
    const tuner::RunListener ears([&](const tuner::RunEvent& event) {
      using Kind = tuner::RunEvent::Kind;
      if (event.kind == Kind::kNote && listener.note) listener.note(std::string(event.text));
      if (event.kind == Kind::kRanked) {
        rankings.push_back(plain(plain_study, event.outcome->results));
      }
      if (event.kind != Kind::kTrial) return;
      if (listener.trial) listener.trial(plain(plain_study, *event.trial), event.seconds);
      if (listener.stop && listener.stop()) stop.wanted = true;
    });
    const tuner::Catalogue catalogue = load_catalogue(settings.installation);
    tuner::tune(run_settings(plain_study, settings),
                {{program_of(settings.installation), settings.installation.plugin_dirs},
                 catalogue,
                 stop,
                 {}},
                ears);
    return rankings;
  });
}

std::string exported(const Study& study, const std::string& folder, const std::string& format) {
  return guarded([&] {
    const tuner::Study& plain_study = study.state_->study;
    if (!std::filesystem::exists(std::filesystem::path(folder) / "tuner.sqlite")) {
      throw Error("there are no results in '" + folder + "'");
    }
    tuner::Store store = tuner::Store::open(folder, tuner::Store::Access::kRead);
    std::vector<tuner::RankedResults> results;
    for (auto& one : tuner::newest_of_each(tuner::stored_results(store, &plain_study, {}))) {
      if (one.stale.empty()) results.push_back(std::move(one.ranked));
    }
    tuner::ExportSettings settings;
    settings.version = TUNER_VERSION;
    settings.source_digest = [](const tuner::Study& of) { return tuner::read_sources(of).digest; };
    settings.note = [](const std::string&) {};
    const auto exporter = format == "launcher" ? nullptr : tuner::make_exporter(format, settings);
    if (!exporter) throw Error("there is no format '" + format + "' that is a single file");
    return exporter->write(plain_study, results, "-").front().text;
  });
}

}  // namespace libtuner
