// `tuner import`: takes over stores, recordings and benchmarks of others, whose entries become
// trials.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "tuner/base/archives.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/size_check.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/imports.h"
#include "tuner/files/ranked_files.h"
#include "tuner/files/recording.h"
#include "tuner/model/statistics.h"
#include "tuner/resolve/membership.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/output_guard.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_text.h"

namespace tuner {

namespace {

namespace fs = std::filesystem;

ContextKey key_of(const Recording& recording, const ImportAs& as, const Study* study,
                  const Note& tell) {
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
  const Membership members(study);
  batch.ranked_by = ranked_by(study);
  batch.ranked_by.space = members.digest();
  const auto any = [&] { return std::ranges::any_of(batch.trials, is_valid); };
  const bool any_before = any();
  for (Trial& trial : batch.trials) {
    const Bindings names =
        bindings_of(study, trial.configuration, batch.key.device, batch.key.size);
    trial.outside = !members.has(trial.configuration, names, false);
    score_recorded(study, names, trial);
  }
  if (!any_before || any()) return;
  reject(
      recording.name,
      fmt::format("the study's objective is '{}', which '{}', taken from this file, does not give",
                  study.objective.name, recording.objective),
      recording.objective == study.objective.name ? "" : "--objective " + study.objective.name);
}

// Turns the final of a finalist into its search's result: without a record of the search, this
// figure is all there is to rank by.
void take_for_search(Trial& trial) {
  const FinalResult final = *std::exchange(trial.final, std::nullopt);
  trial.timing.median = final.median_ms.value();
  trial.timing.ci_low = final.ci_low_ms.value();
  trial.timing.ci_high = final.ci_high_ms.value();
  trial.timing.min = final.median_ms.value();
  trial.metrics = final.metrics;
  trial.objective = SearchFigure(final.objective.value());
}

// A recording under the kernel, device and size that `as`, study or the recording itself name.
// With a study its parameters, metrics and objective are the study's. Throws InputError when
// something is named nowhere or does not fit, or when no valid result has the study's objective.
TrialBatch batch_of(const Recording& recording, const ImportAs& as, const Study* study,
                    const Note& tell) {
  TrialBatch batch;
  batch.key = key_of(recording, as, study, tell);
  batch.key.parameters =
      parameter_names(study != nullptr ? study->parameters : recording.parameters);
  batch.trials = trials_of(recording, study != nullptr ? study->parameters : recording.parameters);
  if (batch.trials.empty()) reject(recording.name, "there are no results in it");
  if (study == nullptr) {
    batch.ranked_by.objective = {recording.objective, recording.maximize || as.maximize, {}};
  } else {
    score(recording, *study, batch);
  }
  return batch;
}

// Reads ranked CSV files of this program, with the device.json beside them: a file, or a folder of
// files. Adds to `notes` what is left out. Throws InputError for files of another study.
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
    // Drops the samples: the file gives only their number.
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

// Reads a recording by this objective; empty = the file's own. Passes the file's notes to `tell`.
Recording read_import(const fs::path& path, const std::string& objective, const Note& tell) {
  Recording recording = read_any_recording(path, objective);
  for (const std::string& note : recording.notes) tell(note);
  return recording;
}

}  // namespace

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

// Under a study that tunes for a metric the study's own formula comes first: a file's quantity of
// the same name may be in another unit.
TrialBatch read_batch(const fs::path& path, const ImportAs& as, const std::string& objective,
                      const Study* study, const Note& tell) {
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
         "' is taken as better (--maximize: more is better)");
  }
  return batch;
}

namespace {

struct ImportOptions {
  Strings files;
  std::string results = "results";
  std::string output;  // of a study made from a T1 file or a recording
  bool force = false;  // whatever file has that name is replaced
  std::string study;   // whose kernel, parameters and sizes imported results belong to
  ImportAs as;
  std::string objective;  // empty = the study's, else what the file says, else the time
};

ImportOptions parse_import(const Strings& words) {
  ImportOptions o;
  OptionTable add;
  add.results(o.results);
  add("output,o", o.output, "write a T1 file, or a recording's space, as YAML study");
  add("force", o.force, "replace that file even if tuner has not written it");
  add("study", o.study, "the study that imported results belong to");
  add("kernel", o.as.kernel, "its name, instead of what the file says");
  add("device", o.as.device, "its name, instead of what the file says");
  add("size", o.as.size, "problem size of a recording, such as M=1024,N=1024");
  add("objective", o.objective,
      "what to rank a recording's results by: time (milliseconds) or a quantity in it; default: "
      "the study's objective, or the time");
  add("maximize", o.as.maximize, "without --study: more of the objective is better");
  const auto values = add.parse(
      words,
      "tuner import FILE... [options]\n\n"
      "FILE is a T1 benchmark (becomes a YAML study), a Kernel Tuner cache, T4 results\n"
      "(both also .gz), a ranked CSV of this program, a folder or a .tar.gz of these,\n"
      "or another results folder or tuner.sqlite. Imported results are marked and never taken for "
      "measured ones.");
  o.files = inputs(values);
  if (o.files.empty()) wrong_usage("which file? Give its path (see --help)");
  return o;
}

namespace fs = std::filesystem;

// Begins the first line of a study that is made here (commands/output_guard).
const std::string kMadeBy = "Made by tuner " TUNER_VERSION " from ";

bool to_output(const ImportOptions& options) {
  return options.output.empty() || options.output == "-";
}

void write_study(const ImportOptions& options, const std::string& text) {
  if (to_output(options)) {
    std::cout << text;
    return;
  }
  OutputGuard guard(options.force);
  for (const std::string& file : options.files) guard.protect(file, "is the file that is imported");
  if (!options.study.empty()) guard.protect(options.study, "is the study");
  guard.protect_store(options.results);
  guard.check(options.output);
  if (fs::path(options.output).extension() == ".json") {
    wrong_usage("a study is written as YAML: -o NAME.yaml");
  }
  guard.write(options.output, sealed(text));
  std::cerr << "wrote " << options.output << "\n";
}

void import_t1(const ImportOptions& options, const fs::path& path) {
  const StudyFile file = read_t1_file(path);
  std::string remark = kMadeBy + path.filename().string() + ".";
  for (const Complaint& warning : file.warnings) {
    std::cerr << "warning: " << render(warning, file.study.text) << "\n";
    remark += "\n" + warning.message;
  }
  // The same tree again, with paths that are relative to the study that is written.
  const fs::path folder =
      to_output(options) ? fs::current_path() : fs::absolute(options.output).parent_path();
  Diagnostics diagnostics(path.string(), file.study.text);
  const YamlRef root = parse_json(diagnostics);
  write_study(options, yaml_text(*t1_as_study(*root, folder), remark));
}

// Parameters only: the constraints behind a recording are not in it.
void write_space(const ImportOptions& options, const Recording& recording) {
  if (!options.as.size.empty()) wrong_usage("--size does not go with -o");
  write_study(options, yaml_text(*space_tree(recording.parameters),
                                 kMadeBy + recording.name + ": its space."));
}

// Whether two machines that measured the same configurations agree.
std::string agreement_text(const std::vector<double>& ratios) {
  constexpr double kNotable = 0.02;
  const double middle = median(ratios);
  const auto [least, most] = std::ranges::minmax(ratios);
  std::string text = fmt::format(
      "  {} configurations were measured in both: the imported times are {:.3f} times those here "
      "in the median ({:.3f} to {:.3f})",
      ratios.size(), middle, least, most);
  if (std::abs(middle - 1) > kNotable) {
    text +=
        "\n  devices of one model do not differ that much: do not trust rankings of both together "
        "until one of the machines has run the study again, which measures the best again";
  }
  return text;
}

void merge(Store& store, const fs::path& path) {
  const MergeReport report = merge_store(store, path);
  std::cout << fmt::format("{}: {}, {} of them new; {} added, {} replaced by newer ones, {} kept\n",
                           path.string(), count_text(report.contexts, "context"),
                           report.new_contexts, count_text(report.added, "trial"), report.replaced,
                           report.kept);
  if (!report.ratios.empty()) std::cout << agreement_text(report.ratios) << "\n";
  if (report.damaged > 0) {
    std::cerr << fmt::format("{}: {} damaged rows are left out\n", path.string(), report.damaged);
  }
  if (report.ahead > 0) {
    tell(fmt::format(
        "{}: {} trials are dated ahead of this machine's clock, up to {}; they count as "
        "recorded now",
        path.string(), report.ahead, report.furthest.substr(0, 20)));
  }
}

}  // namespace

int import_command(const Strings& words) {
  const ImportOptions options = parse_import(words);
  std::optional<Study> study;
  if (!options.study.empty()) study = read_study(options.study, DataFiles::kIgnored);
  std::vector<fs::path> stores;
  std::vector<TrialBatch> batches;
  // All files are read before anything is written.
  for (const std::string& name : options.files) {
    const fs::path path = name;
    const ImportKind kind = import_kind(path, study.has_value());
    const bool makes_study =
        kind == ImportKind::kT1 || (kind == ImportKind::kRecording && !options.output.empty());
    if (makes_study && options.files.size() > 1) {
      wrong_usage("a study is made from one file at a time");
    }
    if (kind == ImportKind::kT1) {
      import_t1(options, path);
      return kExitDone;
    }
    if (makes_study) {
      write_space(options, read_import(path, options.objective, tell));
      return kExitDone;
    }
    if (kind == ImportKind::kStore) {
      stores.push_back(path);
    } else if (kind == ImportKind::kRecording) {
      batches.push_back(
          read_batch(path, options.as, options.objective, study ? &*study : nullptr, tell));
    } else if (study) {
      std::vector<std::string> notes;
      for (TrialBatch& batch : batches_of_csv(path, options.as, *study, notes)) {
        batches.push_back(std::move(batch));
      }
      for (const std::string& note : notes) tell(note);
    } else {
      reject(name, "importing these results needs a study", "--study STUDY");
    }
  }
  Store store = Store::open(options.results);
  for (const std::string& note : store.notes()) tell(note);
  for (const fs::path& path : stores) merge(store, path);
  record_all(store, batches);
  for (const TrialBatch& batch : batches) {
    std::cout << for_terminal(fmt::format("{}: {} results of {} on {}, {}",
                                          batch.key.identity[0].second, batch.trials.size(),
                                          batch.key.kernel, batch.key.device.name,
                                          batch.key.size.label()))
              << "\n";
  }
  return kExitDone;
}

}  // namespace tuner
