// Ranks the trials of a store, and finds which of them the study has made stale.

#include "tuner/history/stored_results.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/history/identity.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"
#include "tuner/resolve/membership.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/search/ranking.h"
#include "tuner/source/known_sources.h"
#include "tuner/study/extents.h"
#include "tuner/study/unverified.h"

namespace tuner {
namespace {

bool device_fits(const DeviceFacts& device, const std::string& wanted) {
  return wanted.empty() || lower(device.name).find(lower(wanted)) != std::string::npos ||
         device.slug().find(lower(wanted)) != std::string::npos;
}

bool size_fits(const ProblemSize& size, const ProblemSize& wanted) {
  return std::all_of(wanted.dims.begin(), wanted.dims.end(), [&](const auto& dim) {
    return std::find(size.dims.begin(), size.dims.end(), dim) != size.dims.end();
  });
}

// Compares an import with the study: other parameters are a difference, what it cannot know is
// none.
std::vector<std::string> misfits(const ContextKey& imported, const Study& study) {
  std::vector<std::string> theirs = imported.parameters;
  std::vector<std::string> ours = parameter_names(study.parameters);
  std::sort(theirs.begin(), theirs.end());
  std::sort(ours.begin(), ours.end());
  if (theirs == ours) return {};
  return {"the imported results have other parameters"};
}

bool is_of_others(const StoredContext& context) {
  return context.hosts.own.empty() && !context.hosts.imported.empty();
}

int worth(const StoredResults& results) {
  if (!results.stale.empty()) return 0;
  if (!results.imported.empty()) return 1;
  return results.options.empty() ? 3 : 2;
}

bool goes_before(const StoredResults& a, const StoredResults& b) {
  return worth(a) != worth(b) ? worth(a) < worth(b) : is_behind(a.of, b.of);
}

std::string phrase(const StoredResults& results, const StoredResults& shown) {
  const std::string what = !results.imported.empty() ? "imported from " + results.imported
                           : results.options.empty() ? "measured"
                                                     : "measured with " + results.options;
  std::string text =
      fmt::format("{} valid of {} {}", results.ranked.ranked, results.ranked.trials.size(), what);
  if (!results.stale.empty()) text += " before a change (" + results.stale.front() + ")";
  const std::string& driver = results.ranked.device.driver;
  if (driver != shown.ranked.device.driver) text += ", driver " + driver;
  if (is_of_others(results.of)) text += ", on " + listed(results.of.hosts.imported);
  return text + " (" + results.ranked.date + ")";
}

// Each backend's machine, asked once.
using Machines = std::map<std::string, Machine>;

// Makes the key that the study would be measured under today. Driver and compiler are those of the
// machine that measured, unless another machine is queried: they are not the study's to change.
ContextKey key_now(const Study& study, const std::string& digest,
                   const std::shared_ptr<FileDigests>& data, const ContextKey& before,
                   const ResultFilter& filter, Machines& machines) {
  const std::string& backend = before.device.backend;
  if (filter.machine && !machines.contains(backend)) machines[backend] = filter.machine(backend);
  const Machine& machine = machines[backend];
  DeviceFacts device = before.device;
  for (const DeviceFacts& here : machine.devices) {
    if (here.name == device.name) device.driver = here.driver;
  }
  std::string compiler = identity_part(before, "compiler");
  const auto same = std::ranges::find_if(machine.compilers, [&](const std::string& one) {
    return compiler.starts_with(one.substr(0, one.find(' ')));
  });
  if (same != machine.compilers.end()) {
    compiler = *same;
  } else if (!machine.compilers.empty()) {
    compiler = machine.compilers.front();
  }
  return context_key(study, device, before.size,
                     {digest, data, compiler, identity_part(before, "backend options"),
                      identity_part(before, "plugins")});
}

// The study says it of what it would measure alike today. Without one it is known where nothing
// could be verified. Imports do not say.
std::optional<std::string> unverified(const StoredResults& results, const ContextKey& key,
                                      const Study* study) {
  if (!results.imported.empty()) return std::nullopt;
  if (study != nullptr && study->is_runnable() && results.stale.empty()) {
    return unverified_text(*study);
  }
  if (has_no_reference(key)) return "there was no reference";
  return std::nullopt;
}

// Explains why nothing could notice that answers are kept; empty where it would be noticed. A
// function of Python has the arguments that it was given, or draws others for each call; for other
// kernels it depends on the study.
std::string same_inputs(const StoredResults& results, const ContextKey& key, const Study* study) {
  if (key.device.backend == "python") {
    const auto timed = timed_how(key);
    const bool is_same = timed && timed->inputs == TimedInputs::kSame;
    return is_same ? "each call had the same arguments" : "";
  }
  return study != nullptr && results.stale.empty() ? same_inputs_text(*study) : "";
}

// Why a trial of this context cannot answer any more; empty when it can.
std::string staleness(const Trial& trial, FileDigests& digests) {
  if (!trial.sources_known) return "source: it is not known what was compiled";
  const std::string changed = first_changed(trial.further_files, digests);
  return changed.empty() ? std::string() : "source: changed: " + changed;
}

// Removes stale trials; returns why the first had to go.
std::string drop_stale(std::vector<Trial>& trials) {
  FileDigests digests;
  std::string why;
  std::erase_if(trials, [&](const Trial& trial) {
    const std::string reason = staleness(trial, digests);
    if (why.empty()) why = reason;
    return !reason.empty();
  });
  return why;
}

// Removes stale trials, unless none would be left: then all stay, and `stale` receives the reason.
void keep_current(std::vector<Trial>& trials, std::vector<std::string>& stale) {
  std::vector<Trial> current = trials;
  const std::string why = drop_stale(current);
  if (!current.empty()) {
    trials = std::move(current);
  } else if (!why.empty()) {
    stale.push_back(why);
  }
}

// Returns a context's trials, with those that cannot answer any more, and marks whether the study
// has each now.
std::vector<Trial> all_trials_for(Store& store, const Context& context, const Study& study,
                                  const Membership& members, const DeviceFacts& device,
                                  const ProblemSize& size, bool imported) {
  std::vector<Trial> trials = store.trials(context);
  std::vector<std::size_t> places;  // of the study's parameters in the stored configurations
  for (const Parameter& parameter : study.parameters) {
    const auto at = std::ranges::find(context.parameters, parameter.name);
    if (at == context.parameters.end()) return trials;
    places.push_back(static_cast<std::size_t>(at - context.parameters.begin()));
  }
  const auto space = members.space_for(trials.size(), facts_of(size, device), !imported);
  for (Trial& trial : trials) {
    Configuration configuration;
    for (const std::size_t place : places) configuration.push_back(trial.configuration.at(place));
    const Bindings names = bindings_of(study, configuration, device, size);
    trial.outside =
        space ? !space->index_of(configuration) : !members.has(configuration, names, !imported);
    imported ? score_recorded(study, names, trial) : rescore(study, names, trial, device.ceilings);
  }
  return trials;
}

// By what trials are suspect.
std::string limit_text(const Study& study, const Ceilings& ceilings) {
  if (!study.least_work || !ceilings.known()) return {};
  const LeastWork& work = *study.least_work;
  return fmt::format("{} | {} | {} | {}", work.bytes.text(), work.flops.text(), work.type,
                     dump(encoded<nlohmann::ordered_json>(ceilings)));
}

}  // namespace

std::vector<Trial> trials_for(Store& store, const Context& context, const Study& study,
                              const DeviceFacts& device, const ProblemSize& size, bool imported) {
  const Membership members(study);
  auto trials = all_trials_for(store, context, study, members, device, size, imported);
  drop_stale(trials);
  return trials;
}

std::vector<Trial> trials_for_run(Store& store, const Context& context, const Study& study,
                                  const DeviceFacts& device, const ProblemSize& size) {
  std::vector<Trial> trials = trials_for(store, context, study, device, size);
  const auto before = store.ranked_by(context);
  RankedBy now = ranked_by(study);
  now.limit = limit_text(study, device.ceilings);
  now.space = Membership(study).digest();
  if (before) now.warnings = before->warnings;
  // Also those that have no value now: they may have one again when the study changes back.
  if (before != now) store.rank_by(context, now, trials);
  return trials;
}

RankedBy ranked_by(const Study& study) {
  RankedBy how{study.objective, study.measure};
  for (std::size_t p = 0; study.baseline && p < study.parameters.size(); ++p) {
    how.baseline.emplace_back(study.parameters[p].name, study.baseline->configuration[p]);
  }
  return how;
}

std::optional<Configuration> baseline_of(const RankedBy& how,
                                         const std::vector<std::string>& parameters) {
  Configuration baseline;
  for (const std::string& name : parameters) {
    const auto found =
        std::ranges::find(how.baseline, name, [](const auto& one) { return one.first; });
    if (found == how.baseline.end()) return std::nullopt;
    baseline.push_back(found->second);
  }
  return baseline;
}

RankedResults ranked_trials(const RankedBy& how, const std::vector<std::string>& parameters,
                            std::vector<Trial> trials) {
  const std::size_t outside = std::erase_if(trials, [](const Trial& one) { return one.outside; });
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].index = i;
  const auto baseline = baseline_of(how, parameters);
  const auto round = standing_final(how.objective, trials, baseline);
  RankedResults results = rank(how.objective, std::move(trials), round, how.measure, baseline);
  results.outside = outside;
  return results;
}

namespace {

// By what is stored with them. Where no study has ranked them yet: by time, where there is one.
RankedResults ranked_without_study(const StoredContext& context, std::vector<Trial> trials) {
  const RankedBy how = context.ranked_by.value_or(RankedBy{});
  const bool timed = std::ranges::any_of(
      trials, [](const Trial& trial) { return is_valid(trial) && trial.timing.median != 0; });
  for (Trial& trial : trials) {
    if (context.ranked_by || timed) score_stored(how.objective, trial);
  }
  return ranked_trials(how, context.context.parameters, std::move(trials));
}

}  // namespace

bool is_behind(const StoredContext& a, const StoredContext& b) {
  if (is_of_others(a) != is_of_others(b)) return is_of_others(a);
  const int drivers =
      ::strverscmp(a.key.device.driver.c_str(), b.key.device.driver.c_str());  // 580.95 < 1000.1
  if (is_of_others(a) && drivers != 0) return drivers < 0;
  return a.newest <= b.newest;
}

ProblemSize parse_dims(const std::string& text) {
  ProblemSize wanted;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string piece = text.substr(at, comma - at);
    const std::size_t equals = piece.find('=');
    const auto extent =
        equals == std::string::npos ? std::nullopt : extent_from(piece.substr(equals + 1));
    if (equals == 0 || !extent) {
      reject("", "--size takes M=1024,N=1024, not '" + text + "'");
    }
    wanted.dims.emplace_back(piece.substr(0, equals), *extent);
    at = comma + 1;
  }
  return wanted;
}

bool holds_trials(const std::filesystem::path& folder, const std::string& kernel) {
  Store store = Store::open(folder, Store::Access::kRead);
  return std::ranges::any_of(store.contexts(kernel),
                             [](const StoredContext& one) { return one.trials > 0; });
}

bool fits(const DeviceFacts& device, const ProblemSize& size, const ResultFilter& filter) {
  return device_fits(device, filter.device) && size_fits(size, parse_dims(filter.size));
}

std::vector<StoredResults> stored_results(Store& store, const Study* study,
                                          const ResultFilter& filter) {
  static_cast<void>(parse_dims(filter.size));  // a mistake is told even where nothing is stored
  std::string digest;
  if (study != nullptr && study->is_runnable()) digest = read_sources(*study).digest;
  const auto data = std::make_shared<FileDigests>();
  std::optional<Membership> members;
  if (study != nullptr) members.emplace(*study);
  Machines machines;
  std::vector<StoredResults> all;
  for (const StoredContext& context : store.contexts(study ? study->kernel.name : "")) {
    if (context.trials == 0 || !fits(context.key.device, context.key.size, filter)) continue;
    StoredResults results;
    results.of = context;
    results.objective = study ? study->objective : context.ranked_by.value_or(RankedBy{}).objective;
    results.kernel = context.key.kernel;
    results.parameters = context.context.parameters;
    results.imported = identity_part(context.key, "imported");
    // A study without a kernel says what may be chosen, and nothing of how it is measured.
    if (study != nullptr && (!results.imported.empty() || !study->is_runnable())) {
      results.stale = misfits(context.key, *study);
    } else if (study != nullptr) {
      results.stale =
          differences(context.key, key_now(*study, digest, data, context.key, filter, machines));
    }
    results.options = identity_part(context.key, "backend options");
    if (study == nullptr) {
      results.ranked = ranked_without_study(context, store.trials(context.context));
    } else {
      const bool imported = !results.imported.empty();
      std::vector<Trial> trials = all_trials_for(store, context.context, *study, *members,
                                                 context.key.device, context.key.size, imported);
      if (!imported) keep_current(trials, results.stale);
      results.ranked = ranked_trials(ranked_by(*study), results.parameters, std::move(trials));
    }
    if (context.ranked_by) results.ranked.warnings = context.ranked_by->warnings;
    results.ranked.device = context.key.device;
    results.ranked.size = context.key.size;
    results.ranked.unverified = unverified(results, context.key, study);
    results.ranked.same_inputs = same_inputs(results, context.key, study);
    results.ranked.form = identity_part(context.key, "form");
    const bool by_variant = results.ranked.form == "command";
    if (results.imported.empty() && !by_variant) results.ranked.timed = timed_how(context.key);
    results.ranked.date = context.newest;
    results.ranked.compiler = results.imported.empty() ? identity_part(context.key, "compiler")
                                                       : "imported from " + results.imported;
    all.push_back(std::move(results));
  }
  std::stable_partition(all.begin(), all.end(),
                        [](const StoredResults& one) { return one.stale.empty(); });
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
      continue;
    }
    if (goes_before(*same, candidate)) std::swap(*same, candidate);
    same->others.insert(same->others.end(), candidate.others.begin(), candidate.others.end());
    same->others.push_back(phrase(candidate, *same));
  }
  return kept;
}

}  // namespace tuner
