// `tuner import`: takes over stores, recordings and benchmarks of others.

#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/recordings/compressed_file.h"
#include "tuner/run/output_guard.h"
#include "tuner/run/store_recording.h"
#include "tuner/study/study_yaml.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// The first line of a study that is made here says so (run/output_guard).
const std::string kMadeBy = "Made by tuner " TUNER_VERSION " from ";

enum class Kind { kStore, kCsv, kT1, kRecording };

Kind kind_of(const fs::path& path, bool with_study) {
  if (!fs::exists(path)) {
    throw InputError(Complaint{{path.string(), 0, 0}, "there is no such file", ""});
  }
  if (fs::is_directory(path)) {
    if (fs::exists(path / "tuner.sqlite")) return Kind::kStore;
    if (with_study) return Kind::kCsv;  // a folder of them
    throw InputError(Complaint{{path.string(), 0, 0},
                               "there is no tuner.sqlite in this folder",
                               "a folder of ranked CSV files needs --study"});
  }
  if (is_store(path)) return Kind::kStore;
  if (path.extension() == ".csv") return Kind::kCsv;
  return is_t1(read_maybe_compressed(path).text) ? Kind::kT1 : Kind::kRecording;
}

void write_study(const ImportOptions& options, const Study& study, const std::string& remark) {
  const bool to_output = options.output.empty() || options.output == "-";
  const fs::path folder = to_output ? fs::path(".") : fs::absolute(options.output).parent_path();
  const std::string text = study_yaml(study, folder, remark);
  if (to_output) {
    std::cout << text;
    return;
  }
  OutputGuard guard(options.force);
  for (const std::string& file : options.files) guard.protect(file, "is the file that is imported");
  if (!options.study.empty()) guard.protect(options.study, "is the study");
  guard.protect_store(options.results);
  guard.check(options.output);
  write_file_atomically(options.output, text);
  std::cerr << "wrote " << options.output << "\n";
}

void import_t1(const ImportOptions& options, const fs::path& path) {
  const StudyFile file = read_t1_file(path);
  std::string remark = kMadeBy + path.filename().string() + ".";
  for (const Complaint& warning : file.warnings) {
    std::cerr << "warning: " << render(warning, file.study.text) << "\n";
    remark += "\n" + warning.message;
  }
  write_study(options, file.study, remark);
}

// Parameters only: the constraints behind a recording are not in it.
void write_space(const ImportOptions& options, const Recording& recording) {
  Study study;
  study.parameters = recording.parameters;
  if (!options.as.size.empty()) throw InputError(Complaint{{}, "--size does not go with -o", ""});
  write_study(options, study, kMadeBy + recording.name + ": its space.");
}

Recording read(const std::string& objective, const fs::path& path) {
  Recording recording = read_any_recording(path, objective);
  for (const std::string& note : recording.notes) std::cerr << for_terminal(note) << "\n";
  return recording;
}

// Under a study that tunes for a metric the study's own formula comes first: a file's quantity of
// the same name may be in another unit.
TrialBatch read_batch(const ImportOptions& options, const fs::path& path, const Study* study) {
  if (study != nullptr && options.as.maximize) {
    throw InputError(Complaint{{}, "--maximize does not go with --study: the study says it", ""});
  }
  if (study != nullptr && options.objective.empty()) {
    try {
      return batch_of(read("time", path), options.as, study);
    } catch (const InputError& by_time) {
      if (study->objective.name == "time") throw;
      try {
        return batch_of(read(study->objective.name, path), options.as, study);
      } catch (const InputError&) {
        throw by_time;
      }
    }
  }
  TrialBatch batch = batch_of(read(options.objective, path), options.as, study);
  const ObjectiveSpec& objective = batch.ranked_by.objective;
  if (study == nullptr && objective.name != "time" && !objective.maximize) {
    std::cerr << path.string() << ": less of '" << objective.name
              << "' is taken to be better; with --maximize more is\n";
  }
  return batch;
}

void merge(Store& store, const fs::path& path) {
  const MergeReport report = merge_store(store, path);
  std::cout << fmt::format(
      "{}: {} contexts, {} of them new; {} trials added, {} replaced by newer ones, {} kept\n",
      path.string(), report.contexts, report.new_contexts, report.added, report.replaced,
      report.kept);
  if (report.damaged > 0) {
    std::cerr << fmt::format("{}: {} damaged rows are left out\n", path.string(), report.damaged);
  }
}

}  // namespace

int import_command(const ImportOptions& options) {
  std::optional<Study> study;
  if (!options.study.empty()) study = read_study(options.study);
  std::vector<fs::path> stores;
  std::vector<TrialBatch> batches;
  // All files are read before anything is written.
  for (const std::string& name : options.files) {
    const fs::path path = name;
    const Kind kind = kind_of(path, study.has_value());
    const bool makes_study =
        kind == Kind::kT1 || (kind == Kind::kRecording && !options.output.empty());
    if (makes_study && options.files.size() > 1) {
      throw InputError(Complaint{{}, "a study is made from one file at a time", ""});
    }
    if (kind == Kind::kT1) {
      import_t1(options, path);
      return kExitDone;
    }
    if (makes_study) {
      write_space(options, read(options.objective, path));
      return kExitDone;
    }
    if (kind == Kind::kStore) {
      stores.push_back(path);
    } else if (kind == Kind::kRecording) {
      batches.push_back(read_batch(options, path, study ? &*study : nullptr));
    } else if (study) {
      std::vector<std::string> notes;
      for (TrialBatch& batch : batches_of_csv(path, options.as, *study, notes)) {
        batches.push_back(std::move(batch));
      }
      for (const std::string& note : notes) std::cerr << for_terminal(note) << "\n";
    } else {
      throw InputError(Complaint{{name, 0, 0}, "whose results are these?", "--study STUDY"});
    }
  }
  Store store = Store::open(options.results);
  for (const std::string& note : store.notes()) std::cerr << for_terminal(note) << "\n";
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
