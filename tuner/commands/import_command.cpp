// `tuner import`: takes over stores, recordings and benchmarks of others.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <string>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/imports.h"
#include "tuner/commands/output_guard.h"
#include "tuner/model/statistics.h"
#include "tuner/study/study_yaml.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

struct ImportOptions {
  Words files;
  std::string results = "results";
  std::string output;  // of a study made from a T1 file or a recording
  bool force = false;  // whatever file has that name is replaced
  std::string study;   // whose kernel, parameters and sizes imported results belong to
  ImportAs as;
  std::string objective;  // empty = the study's, else what the file says, else the time
};

ImportOptions parse_import(const Words& words) {
  ImportOptions o;
  OptionTable add;
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("output,o", po::value(&o.output), "write a T1 file, or a recording's space, as YAML study");
  add("force", po::bool_switch(&o.force), "replace that file even if tuner has not written it");
  add("study", po::value(&o.study), "the study that imported results belong to");
  add("kernel", po::value(&o.as.kernel), "its name, instead of what the file says");
  add("device", po::value(&o.as.device), "its name, instead of what the file says");
  add("size", po::value(&o.as.size), "problem size of a recording, such as M=1024,N=1024");
  add("objective", po::value(&o.objective),
      "what a recording's results are: time (milliseconds) or a quantity in it; otherwise the "
      "study's objective, or the time");
  add("maximize", po::bool_switch(&o.as.maximize),
      "without --study: more of the objective is better");
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

// The first line of a study that is made here says so (commands/output_guard).
const std::string kMadeBy = "Made by tuner " TUNER_VERSION " from ";

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
  if (!options.as.size.empty()) wrong_usage("--size does not go with -o");
  write_study(options, study, kMadeBy + recording.name + ": its space.");
}

// Whether two machines that measured the same configurations agree.
std::string agreement_text(const std::vector<double>& ratios) {
  constexpr double kNotable = 0.02;
  const double middle = median(ratios);
  const auto [least, most] = std::ranges::minmax(ratios);
  std::string text = fmt::format(
      "  {} configurations were measured in both: their times over those here are {:.3f} in the "
      "median ({:.3f} to {:.3f})",
      ratios.size(), middle, least, most);
  if (std::abs(middle - 1) > kNotable) {
    text +=
        "\n  that is more than devices of one model differ: rankings of both together are doubtful "
        "until one of the machines runs the study again, which measures the best anew";
  }
  return text;
}

void merge(Store& store, const fs::path& path) {
  const MergeReport report = merge_store(store, path);
  std::cout << fmt::format(
      "{}: {} contexts, {} of them new; {} trials added, {} replaced by newer ones, {} kept\n",
      path.string(), report.contexts, report.new_contexts, report.added, report.replaced,
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

int import_command(const Words& words) {
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
      reject(name, "whose results are these?", "--study STUDY");
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
