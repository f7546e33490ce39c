#include "tuner/app/stored_results.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "tuner/app/artifacts.h"
#include "tuner/app/identity.h"
#include "tuner/base/error.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/ranking.h"
#include "tuner/exporters/tuned_table.h"

namespace tuner {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool device_fits(const DeviceFacts& device, const std::string& wanted) {
  return wanted.empty() || lower(device.name).find(lower(wanted)) != std::string::npos ||
         device.slug().find(lower(wanted)) != std::string::npos;
}

bool size_fits(const ProblemSize& size, const ProblemSize& wanted) {
  return std::all_of(wanted.dims.begin(), wanted.dims.end(), [&](const auto& dim) {
    return std::find(size.dims.begin(), size.dims.end(), dim) != size.dims.end();
  });
}

std::string value_of(const ContextKey& key, const std::string& component) {
  for (const auto& [name, text] : key.identity) {
    if (name == component) return text;
  }
  return {};
}

// What an import cannot know is no difference; other parameters are.
std::vector<std::string> misfits(const ContextKey& imported, const Study& study) {
  std::vector<std::string> theirs = imported.parameters;
  std::vector<std::string> ours = names_of(study.parameters);
  std::sort(theirs.begin(), theirs.end());
  std::sort(ours.begin(), ours.end());
  if (theirs == ours) return {};
  return {"the imported results have other parameters"};
}

int worth(const StoredResults& results) {
  if (!results.stale.empty()) return 0;
  return results.imported.empty() ? 2 : 1;
}

// Each backend's machine, asked once.
class Machines {
 public:
  explicit Machines(const ResultFilter& filter) : filter_(filter) {}
  const Machine& of(const std::string& backend) {
    const auto known = known_.find(backend);
    if (known != known_.end()) return known->second;
    return known_.emplace(backend, filter_.machine ? filter_.machine(backend) : Machine{})
        .first->second;
  }

 private:
  const ResultFilter& filter_;
  std::map<std::string, Machine> known_;
};

// What the study would be measured as today. Driver and compiler are those of the machine that
// measured, unless another machine is asked: they are not the study's to change.
ContextKey key_now(const Study& study, const std::string& digest, const ContextKey& before,
                   Machines& machines) {
  const Machine& machine = machines.of(before.device.backend);
  DeviceFacts device = before.device;
  for (const DeviceFacts& here : machine.devices) {
    if (here.name == device.name) device.driver = here.driver;
  }
  const std::string compiler =
      machine.compiler.empty() ? value_of(before, "compiler") : machine.compiler;
  return context_key(study, device, before.size, digest, compiler,
                     value_of(before, "backend options"));
}

}  // namespace

std::vector<Trial> trials_for(Store& store, const Context& context, const Study& study,
                              const DeviceFacts& device, const ProblemSize& size) {
  std::vector<Trial> trials = store.trials(context);
  std::vector<std::size_t> places;  // of the study's parameters in the stored configurations
  for (const Parameter& parameter : study.parameters) {
    const auto at = std::ranges::find(context.parameters, parameter.name);
    if (at == context.parameters.end()) return trials;
    places.push_back(static_cast<std::size_t>(at - context.parameters.begin()));
  }
  for (Trial& trial : trials) {
    Configuration configuration;
    for (const std::size_t place : places) configuration.push_back(trial.configuration.at(place));
    rescore(study, names_of(study, configuration, device, size), trial);
  }
  return trials;
}

RankedResults ranked_trials(const Study* study, std::vector<Trial> trials) {
  const ObjectiveSpec objective = study ? study->objective : ObjectiveSpec{};
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].index = i;
  const auto round = standing_final(objective, trials);
  return rank(objective, std::move(trials), round, study ? study->measure : MeasureSpec{});
}

ProblemSize parse_dims(const std::string& text) {
  ProblemSize wanted;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string piece = text.substr(at, comma - at);
    const std::size_t equals = piece.find('=');
    std::int64_t extent = 0;
    const char* end = piece.data() + piece.size();
    if (equals == std::string::npos || equals == 0 ||
        std::from_chars(piece.data() + equals + 1, end, extent).ptr != end ||
        equals + 1 == piece.size()) {
      throw InputError(Complaint{{}, "--size takes M=1024,N=1024, not '" + text + "'", ""});
    }
    wanted.dims.emplace_back(piece.substr(0, equals), extent);
    at = comma + 1;
  }
  return wanted;
}

bool fits(const DeviceFacts& device, const ProblemSize& size, const ResultFilter& filter) {
  return device_fits(device, filter.device) && size_fits(size, parse_dims(filter.size));
}

std::vector<StoredResults> stored_results(Store& store, const Study* study,
                                          const ResultFilter& filter) {
  static_cast<void>(parse_dims(filter.size));  // a mistake is told even where nothing is stored
  std::string digest;
  if (study != nullptr && study->runnable) digest = read_sources(*study).digest;
  Machines machines(filter);
  std::vector<StoredResults> all;
  for (const StoredContext& context : store.contexts(study ? study->kernel.name : "")) {
    if (context.trials == 0 || !fits(context.key.device, context.key.size, filter)) continue;
    StoredResults results;
    results.kernel = context.key.kernel;
    results.parameters = context.context.parameters;
    results.imported = value_of(context.key, "imported");
    if (study != nullptr && !results.imported.empty()) {
      results.stale = misfits(context.key, *study);
    } else if (study != nullptr) {
      results.stale = differences(context.key, key_now(*study, digest, context.key, machines));
    }
    const bool for_study = study != nullptr && results.imported.empty();
    results.ranked = ranked_trials(
        study,
        for_study ? trials_for(store, context.context, *study, context.key.device, context.key.size)
                  : store.trials(context.context));
    results.ranked.device = context.key.device;
    results.ranked.size = context.key.size;
    results.ranked.date = context.newest;
    results.ranked.compiler = results.imported.empty() ? value_of(context.key, "compiler")
                                                       : "imported from " + results.imported;
    all.push_back(std::move(results));
  }
  return all;
}

std::vector<StoredResults> newest_of_each(std::vector<StoredResults> all) {
  std::vector<StoredResults> kept;
  for (StoredResults& candidate : all) {
    const auto same = std::find_if(kept.begin(), kept.end(), [&](const StoredResults& k) {
      return k.kernel == candidate.kernel && k.ranked.device.name == candidate.ranked.device.name &&
             k.ranked.size == candidate.ranked.size;
    });
    if (same == kept.end()) {
      kept.push_back(std::move(candidate));
    } else if (worth(candidate) >= worth(*same)) {
      *same = std::move(candidate);
    }
  }
  return kept;
}

}  // namespace tuner
