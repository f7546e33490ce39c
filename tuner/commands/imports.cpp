// Turns the entries of a foreign file into trials of a study.

#include "tuner/commands/imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/choice/tuned_table.h"
#include "tuner/commands/options.h"
#include "tuner/exchange/recording.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/results/ranked_files.h"
#include "tuner/run/identity.h"
#include "tuner/run/stored_results.h"
#include "tuner/study/size_check.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

ContextKey key_of(const Recording& recording, const ImportAs& as, const Study* study,
                  const Tell& tell) {
  ContextKey key;
  key.kernel = !as.kernel.empty() ? as.kernel
               : study != nullptr ? study->kernel.name
                                  : recording.kernel;
  if (key.kernel.empty()) reject(recording.name, "the file names no kernel", "--kernel NAME");
  key.device.backend = "imported";
  key.device.name = as.device.empty() ? recording.device : as.device;
  if (key.device.name.empty()) reject(recording.name, "the file names no device", "--device NAME");
  key.size = size_of(recording, as.size, study, tell);
  key.identity = {{"imported", recording.name}};
  return key;
}

// By the study's metrics and objective, from the time or as recorded.
void score(const Recording& recording, const Study& study, TrialBatch& batch) {
  batch.ranked_by = ranked_by(study);
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

// Of a finalist whose search nobody kept: one figure is all there is to rank by.
void take_for_search(Trial& trial) {
  const FinalResult final = *std::exchange(trial.final, std::nullopt);
  trial.timing.median = final.median_ms.value();
  trial.timing.ci_low = final.ci_low_ms.value();
  trial.timing.ci_high = final.ci_high_ms.value();
  trial.timing.min = final.median_ms.value();
  trial.metrics = final.metrics;
  trial.objective = SearchFigure(final.objective.value());
}

}  // namespace

TrialBatch batch_of(const Recording& recording, const ImportAs& as, const Study* study,
                    const Tell& tell) {
  TrialBatch batch;
  batch.key = key_of(recording, as, study, tell);
  batch.key.parameters =
      parameter_names(study != nullptr ? study->parameters : recording.parameters);
  batch.trials = study != nullptr ? trials_of(recording, study->parameters) : trials_of(recording);
  if (batch.trials.empty()) reject(recording.name, "there are no results in it");
  if (study == nullptr) {
    batch.ranked_by.objective = {recording.objective, recording.maximize || as.maximize, {}};
  } else {
    score(recording, *study, batch);
  }
  return batch;
}

std::vector<TrialBatch> batches_of_csv(const std::filesystem::path& path, const ImportAs& as,
                                       const Study& study, std::vector<std::string>& notes) {
  std::vector<TrialBatch> batches;
  std::optional<ProblemSize> wanted;
  if (!as.size.empty()) wanted = parse_size_option(as.size, study, DataFiles::kIgnored);
  for (RankedResults& results : read_ranked_files(path, study, notes)) {
    if (wanted && results.size != *wanted) {
      reject(path.string(),
             "these results are of the size " + results.size.label() + ", not " + wanted->label());
    }
    TrialBatch batch;
    batch.key.kernel = as.kernel.empty() ? study.kernel.name : as.kernel;
    batch.key.device = results.device;
    batch.key.size = results.size;
    batch.key.parameters = parameter_names(study.parameters);
    batch.key.identity = {{"imported", results.size.label() + ".csv"}};
    // How many samples there were is all that a file says of them.
    for (Trial& trial : results.trials) {
      trial.timing.samples.clear();
      if (trial.final && !is_time(trial.timing.median)) take_for_search(trial);
    }
    batch.trials = std::move(results.trials);
    batch.ranked_by = ranked_by(study);
    if (batch.trials.empty()) reject(path.string(), "there are no results in it");
    batches.push_back(std::move(batch));
  }
  return batches;
}

ImportKind import_kind(const fs::path& path, bool with_study) {
  if (!fs::exists(path)) reject(path.string(), "there is no such file");
  if (fs::is_directory(path)) {
    if (fs::exists(path / "tuner.sqlite")) return ImportKind::kStore;
    if (with_study) return ImportKind::kCsv;  // a folder of them
    reject(path.string(), "there is no tuner.sqlite in this folder",
           "a folder of ranked CSV files needs --study");
  }
  if (is_store(path)) return ImportKind::kStore;
  if (path.extension() == ".csv") return ImportKind::kCsv;
  const std::string text = read_maybe_compressed(path).text;
  if (is_tar(text)) return ImportKind::kCsv;
  return is_t1(text) ? ImportKind::kT1 : ImportKind::kRecording;
}

Recording read_import(const fs::path& path, const std::string& objective, const Tell& tell) {
  Recording recording = read_any_recording(path, objective);
  for (const std::string& note : recording.notes) tell(note);
  return recording;
}

// Under a study that tunes for a metric the study's own formula comes first: a file's quantity of
// the same name may be in another unit.
TrialBatch read_batch(const fs::path& path, const ImportAs& as, const std::string& objective,
                      const Study* study, const Tell& tell) {
  if (study != nullptr && as.maximize) {
    wrong_usage("--maximize does not go with --study: the study says it");
  }
  if (study != nullptr && objective.empty()) {
    try {
      return batch_of(read_import(path, "time", tell), as, study, tell);
    } catch (const InputError& by_time) {
      if (study->objective.name == "time") throw;
      try {
        return batch_of(read_import(path, study->objective.name, tell), as, study, tell);
      } catch (const InputError&) {
        throw by_time;
      }
    }
  }
  TrialBatch batch = batch_of(read_import(path, objective, tell), as, study, tell);
  const ObjectiveSpec& ranked_by = batch.ranked_by.objective;
  if (study == nullptr && ranked_by.name != "time" && !ranked_by.maximize) {
    tell(path.string() + ": less of '" + ranked_by.name +
         "' is taken to be better; with --maximize more is");
  }
  return batch;
}

}  // namespace tuner
