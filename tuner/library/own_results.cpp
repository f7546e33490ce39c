// Trials that a program measured by itself, as the store and the ranking have them.

#include "tuner/library/own_results.h"

#include <utility>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/deploy/registry.h"
#include "tuner/history/stored_results.h"
#include "tuner/library/tuner.h"
#include "tuner/model/json_text.h"
#include "tuner/model/statistics.h"
#include "tuner/model/trial_figures.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/final.h"

namespace libtuner {

using Json = nlohmann::ordered_json;

namespace {

// Whether a part of the identity stays a text, because tables show it; others are only compared and
// stored as hashes.
bool is_shown(const std::string& component) {
  return component == "measuring" || component == "compiler" || component == "backend options";
}

tuner::ContextKey key_from(const tuner::Study& study, const Json& context) {
  const Json& device = context.at("device");
  tuner::ContextKey key;
  key.kernel = study.kernel.name;
  key.device.backend = "python";
  key.device.name = device.at("name");
  key.device.arch = device.value("arch", "");
  key.device.driver = device.value("driver", "");
  key.size = study.sizes.front();
  key.parameters = tuner::parameter_names(study.parameters);
  for (const Json& part : context.at("identity")) {
    const std::string name = part.at(0);
    const std::string text = part.at(1);
    key.identity.emplace_back(name, is_shown(name) ? text : tuner::to_hex(tuner::hash_of(text)));
  }
  return key;
}

tuner::SearchSpace space_of(const tuner::Study& study) {
  if (study.is_runnable()) throw Error("the study has a kernel: a run measures that");
  auto space = tuner::SearchSpace::build(tuner::space_definition(study, study.sizes.front(), {}));
  if (space.size() == 0)
    throw Error("the constraints leave no configuration: " + space.why_empty());
  return space;
}

}  // namespace

OwnResults::OwnResults(tuner::Study study, const std::string& folder, const std::string& context)
    : study_(std::move(study)),
      space_(space_of(study_)),
      store_(tuner::Store::open(folder)),
      key_(key_from(study_, tuner::parse_json(context))),
      context_(store_.context(key_)) {
  if (tuner::parse_json(context).value("fresh", false)) store_.start_afresh(context_);
  tuner::trials_for_run(store_, context_, study_, key_.device, key_.size);
}

tuner::Trial OwnResults::trial_from(const std::string& text) const {
  const Json json = tuner::parse_json(text);
  tuner::Trial trial;
  for (const tuner::Parameter& parameter : study_.parameters) {
    trial.configuration.push_back(
        tuner::value_from_json(json.at("configuration").at(parameter.name)));
  }
  const std::string state = json.at("state");
  const auto known = tuner::trial_state_named(state);
  if (!known) throw Error("there is no state '" + state + "'");
  trial.state = *known;
  trial.message = json.value("message", "");
  for (const tuner::TrialFigure& one : tuner::trial_figures()) {
    const auto told = json.find(one.name);
    if (told != json.end() && told->is_number()) one.set(trial, told->get<double>());
  }
  if (!tuner::is_valid(trial)) return trial;
  const double confidence = study_.measure.confidence;
  trial.timing = tuner::summarise(json.at("samples").get<std::vector<double>>(), confidence);
  const tuner::Bindings names =
      tuner::bindings_of(study_, trial.configuration, key_.device, key_.size);
  tuner::score(study_, names, trial);
  if (json.contains("final")) {
    trial.final.emplace().samples = json.at("final").get<std::vector<double>>();
    tuner::score_final(study_, names, {}, trial);
  }
  return trial;
}

void OwnResults::record(const std::string& trials) {
  std::vector<tuner::Trial> made;
  for (const Json& one : tuner::parse_json(trials)) made.push_back(trial_from(one.dump()));
  store_.record(context_, made);
}

std::string OwnResults::results() {
  std::vector<tuner::RankedResults> ranked;
  std::vector<tuner::Trial> trials;
  for (tuner::StoredResults& one : tuner::stored_results(store_, &study_, {})) {
    if (one.of.context.id != context_.id) continue;
    trials = one.ranked.trials;
    ranked.push_back(std::move(one.ranked));
  }
  tuner::ExportSettings settings;
  settings.version = TUNER_VERSION;
  const auto files = tuner::make_exporter("json", settings)->write(study_, ranked, "-");
  Json document = tuner::parse_json(files.front().text);
  Json& finalists = document["finalists"] = Json::array();
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].index = i;
  for (const std::size_t at : tuner::finalists_due(study_, key_.size, key_.device, trials)) {
    Json& one = finalists.emplace_back(Json::object());
    for (std::size_t p = 0; p < study_.parameters.size(); ++p) {
      one[study_.parameters[p].name] = tuner::value_to_json(trials[at].configuration[p]);
    }
  }
  return tuner::dump(document);
}

}  // namespace libtuner
