// Turns the entries of a foreign file into trials of a study.

#include "tuner/app/import_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/statistics.h"
#include "tuner/exporters/ranked_files.h"
#include "tuner/exporters/tuned_table.h"
#include "tuner/run/identity.h"
#include "tuner/run/stored_results.h"
#include "tuner/study/size_check.h"

namespace tuner {
namespace {

constexpr double kConfidence = 0.95;

[[noreturn]] void reject(const std::string& file, const std::string& message,
                         const std::string& suggestion = {}) {
  throw InputError(Complaint{{file, 0, 0}, message, suggestion});
}

ContextKey key_of(const Recording& recording, const ImportOptions& options, const Study* study) {
  ContextKey key;
  key.kernel = !options.kernel.empty() ? options.kernel
               : study != nullptr      ? study->kernel.name
                                       : recording.kernel;
  if (key.kernel.empty()) reject(recording.name, "the file names no kernel", "--kernel NAME");
  key.device.backend = "imported";
  key.device.name = options.device.empty() ? recording.device : options.device;
  if (key.device.name.empty()) reject(recording.name, "the file names no device", "--device NAME");
  if (!options.size.empty()) {
    key.size =
        study != nullptr ? parse_size_option(options.size, *study) : parse_dims(options.size);
  } else if (study != nullptr && study->sizes.size() == 1) {
    key.size = study->sizes.front();
  } else if (study != nullptr && study->sizes.size() > 1) {
    reject(recording.name, "the file names no problem size, and the study has several", "--size");
  }
  key.identity = {{"imported", recording.name}};
  return key;
}

// Where each parameter of the study stands in the recording; empty: its only value.
std::vector<std::optional<std::size_t>> places(const Recording& recording, const Study& study) {
  std::vector<std::optional<std::size_t>> out;
  for (const Parameter& parameter : study.parameters) {
    const auto found = std::ranges::find(recording.parameters, parameter.name, &Parameter::name);
    if (found != recording.parameters.end()) {
      out.emplace_back(static_cast<std::size_t>(found - recording.parameters.begin()));
    } else if (parameter.values.size() == 1) {
      out.emplace_back(std::nullopt);
    } else {
      reject(recording.name, "parameter '" + parameter.name + "' is not in the recording");
    }
  }
  for (const Parameter& recorded : recording.parameters) {
    const auto known = std::ranges::find(study.parameters, recorded.name, &Parameter::name);
    if (known != study.parameters.end() || recorded.values.size() == 1) continue;
    reject(recording.name,
           "the recording varies '" + recorded.name + "', which is no parameter of the study");
  }
  return out;
}

// Some write numbers as text: then it is the study's value of that text.
Value value_for(const Parameter& parameter, const Value& recorded) {
  if (!std::holds_alternative<std::string>(recorded)) return recorded;
  for (const Value& value : parameter.values) {
    if (to_text(value) == to_text(recorded)) return value;
  }
  return recorded;
}

Trial trial_of(const Recording& recording, std::size_t entry, Configuration configuration) {
  const RecordedTrial& recorded = recording.entries[entry];
  Trial trial;
  trial.configuration = std::move(configuration);
  trial.state = recorded.state;
  if (!std::isnan(recorded.cost_seconds)) trial.cost_seconds = recorded.cost_seconds;
  if (recorded.state != TrialState::kOk) {
    trial.message = "failed in " + recording.name;
    return trial;
  }
  const auto samples = recording.samples_of(entry);
  if (!samples.empty()) {
    trial.timing = summarise({samples.begin(), samples.end()}, kConfidence);
  }
  if (recording.objective == "time") {
    // What the file calls the time counts, be it a mean or a median.
    trial.timing.median = recorded.objective;
    if (samples.empty()) {
      trial.timing.ci_low = trial.timing.ci_high = trial.timing.min = recorded.objective;
    }
    trial.objective = recorded.objective / 1000;
  } else {
    trial.metrics.emplace_back(recording.objective, recorded.objective);
    trial.objective = recorded.objective;
  }
  return trial;
}

}  // namespace

namespace {

// By the study's metrics and objective, from the time or as recorded.
void score(const Recording& recording, const Study& study, TrialBatch& batch) {
  batch.ranked_by = {study.objective, study.measure};
  const auto any = [&] { return std::ranges::any_of(batch.trials, is_valid); };
  const bool any_before = any();
  for (Trial& trial : batch.trials) {
    const Bindings names =
        bindings_of(study, trial.configuration, batch.key.device, batch.key.size);
    score_recorded(study, names, trial);
  }
  if (!any_before || any()) return;
  reject(
      recording.name,
      fmt::format("the study's objective is '{}', which '{}', taken from this file, does not give",
                  study.objective.name, recording.objective),
      recording.objective == study.objective.name ? "" : "--objective " + study.objective.name);
}

}  // namespace

TrialBatch batch_of(const Recording& recording, const ImportOptions& options, const Study* study) {
  TrialBatch batch;
  batch.key = key_of(recording, options, study);
  std::vector<std::optional<std::size_t>> order;
  if (study != nullptr) {
    batch.key.parameters = parameter_names(study->parameters);
    order = places(recording, *study);
  } else {
    batch.key.parameters = parameter_names(recording.parameters);
    for (std::size_t i = 0; i < recording.parameters.size(); ++i) order.emplace_back(i);
  }
  for (std::size_t entry = 0; entry < recording.entries.size(); ++entry) {
    const Configuration recorded = recording.configuration(entry);
    Configuration configuration;
    for (std::size_t p = 0; p < order.size(); ++p) {
      if (!order[p]) {
        configuration.push_back(study->parameters[p].values.front());
      } else if (study != nullptr) {
        configuration.push_back(value_for(study->parameters[p], recorded[*order[p]]));
      } else {
        configuration.push_back(recorded[*order[p]]);
      }
    }
    batch.trials.push_back(trial_of(recording, entry, std::move(configuration)));
  }
  if (batch.trials.empty()) reject(recording.name, "there are no results in it");
  if (study == nullptr) {
    batch.ranked_by.objective = {recording.objective, recording.maximize || options.maximize, {}};
  } else {
    score(recording, *study, batch);
  }
  return batch;
}

std::vector<TrialBatch> batches_of_csv(const std::filesystem::path& path,
                                       const ImportOptions& options, const Study& study) {
  std::vector<std::string> notes;
  std::vector<TrialBatch> batches;
  for (RankedResults& results : read_ranked_files(path, study, notes)) {
    TrialBatch batch;
    batch.key.kernel = options.kernel.empty() ? study.kernel.name : options.kernel;
    batch.key.device = results.device;
    batch.key.size = results.size;
    batch.key.parameters = parameter_names(study.parameters);
    batch.key.identity = {{"imported", results.size.label() + ".csv"}};
    // How many samples there were is all that a file says of them.
    for (Trial& trial : results.trials) trial.timing.samples.clear();
    batch.trials = std::move(results.trials);
    batch.ranked_by = {study.objective, study.measure};
    if (batch.trials.empty()) reject(path.string(), "there are no results in it");
    batches.push_back(std::move(batch));
  }
  for (const std::string& note : notes) std::cerr << for_terminal(note) << "\n";
  return batches;
}

}  // namespace tuner
