// Reads a recording from a file of others or from a context of a store.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "tuner/base/error.h"
#include "tuner/files/ranked_files.h"
#include "tuner/files/recording_reader.h"
#include "tuner/history/identity.h"
#include "tuner/history/stored_results.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

std::string label_of(const std::string& kernel, const DeviceFacts& device,
                     const ProblemSize& size) {
  return kernel + "/" + device.slug() + "/" + size.label();
}

std::string label_of(const StoredContext& context) {
  return label_of(context.key.kernel, context.key.device, context.key.size);
}

double objective_of(const Trial& trial, const std::string& objective) {
  if (objective == "time") return trial.timing.median;
  for (const auto& [name, value] : trial.metrics) {
    if (name == objective) return value;
  }
  return std::nan("");
}

struct Best {
  Configuration configuration;
  double value;
};

// The trial that ranks first.
std::optional<Best> best_of(std::vector<Trial> trials, const RankedBy& how,
                            const std::vector<std::string>& parameters) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].objective = SearchFigure(objective_of(trials[i], how.objective.name));
  }
  const RankedResults results = ranked_trials(how, parameters, std::move(trials));
  if (results.ranked == 0 || std::isnan(results.trials.front().objective.value()))
    return std::nullopt;
  return Best{results.trials.front().configuration, results.trials.front().objective.value()};
}

void add(const Trial& trial, const std::vector<std::string>& names, const RankedBy& how,
         const std::optional<Best>& best, RecordingBuilder& builder) {
  builder.begin_entry("a trial");
  for (std::size_t p = 0; p < names.size(); ++p) {
    builder.parameter(names[p], trial.configuration[p]);
  }
  const double own = objective_of(trial, how.objective.name);
  if (!is_valid(trial)) {
    builder.failed(trial.state);
  } else if (how.objective.name == "time" && !is_time(own)) {
    builder.failed(TrialState::kRuntime);  // of a file that was imported before such were refused
  } else {
    const bool is_other = best && best->configuration != trial.configuration;
    builder.objective(is_other ? beside_best(how.objective, best->value, own) : own);
    for (const double sample : trial.timing.samples) {
      if (is_time(sample)) builder.sample(sample);
    }
  }
  builder.compile_milliseconds(trial.compile_ms);
  builder.benchmark_milliseconds(trial.cost_seconds * 1000 - trial.compile_ms);
  builder.end_entry();
}

Recording recording_of(const std::string& name, const std::string& kernel,
                       const DeviceFacts& device, const RankedBy& how) {
  Recording recording;
  recording.name = name;
  recording.device = device.name;
  recording.kernel = kernel;
  recording.objective = how.objective.name;
  recording.maximize = how.objective.maximize;
  return recording;
}

// Whether `b` answers before `a`, another context of the same kernel, device and size.
bool goes_before(const StoredContext& a, const StoredContext& b) {
  const auto worth = [](const StoredContext& one) {
    if (!identity_part(one.key, "imported").empty()) return 0;
    return identity_part(one.key, "backend options").empty() ? 2 : 1;
  };
  return worth(a) != worth(b) ? worth(a) < worth(b) : is_behind(a, b);
}

// The one of each name that answers for it.
std::map<std::string, StoredContext> by_label(const std::vector<StoredContext>& contexts,
                                              const ResultFilter& filter) {
  std::map<std::string, StoredContext> chosen;
  for (const StoredContext& one : contexts) {
    if (one.trials == 0 || !fits(one.key.device, one.key.size, filter)) continue;
    const auto [at, fresh] = chosen.emplace(label_of(one), one);
    if (!fresh && goes_before(at->second, one)) at->second = one;
  }
  return chosen;
}

// The one with this label; any where there is one alone.
template <typename One>
const One& chosen(const std::map<std::string, One>& all, const std::string& file,
                  const std::string& which, const ResultFilter& filter) {
  if (which.empty() && all.size() == 1) return all.begin()->second;
  const auto found = all.find(which);
  if (found != all.end()) return found->second;
  std::vector<std::string> labels;
  std::string list;
  for (const auto& [label, one] : all) {
    labels.push_back(label);
    list += "\n  " + file + "#" + label;
  }
  if (labels.empty()) {
    reject(file, filter.size.empty() ? "holds no trials" : "holds no trials of " + filter.size);
  }
  const std::string what =
      which.empty() ? "holds several recordings" : "holds no recording '" + which + "'";
  reject(file, what + "; there are" + list, did_you_mean(which, labels));
}

}  // namespace

Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective) {
  RankedBy how = context.ranked_by.value_or(RankedBy{});
  if (!objective.empty() && objective != how.objective.name) how.objective = {objective, false, {}};
  Recording recording =
      recording_of(label_of(context), context.key.kernel, context.key.device, how);
  std::vector<Trial> trials = store.trials(context.context);
  std::erase_if(trials, [](const Trial& one) { return one.outside; });
  // Another objective than the ranking's is asked for by those who rank by themselves.
  const auto best =
      objective.empty() ? best_of(trials, how, context.context.parameters) : std::nullopt;
  RecordingBuilder builder(recording);
  for (const Trial& trial : trials) {
    add(trial, context.context.parameters, how, best, builder);
  }
  if (!recording.entries.empty()) builder.finish();
  return recording;
}

namespace {

// `which` names the context as kernel/device/size, "matmul/nvidia-h200/M1024_N1024"; it may be
// empty where there is only one.
Recording read_store(const std::filesystem::path& path, const std::string& which,
                     const std::string& objective, const ResultFilter& filter) {
  Store store = Store::open(path, Store::Access::kRead);
  const std::vector<StoredContext> all = store.contexts();
  const auto contexts = by_label(all, filter);
  Recording recording =
      store_recording(store, chosen(contexts, path.string(), which, filter), objective);
  if (recording.entries.empty()) {
    reject(path, "holds no readable trials");
  }
  const auto same = std::ranges::count_if(all, [&](const StoredContext& one) {
    return one.trials > 0 && label_of(one) == recording.name;
  });
  if (same > 1) {
    recording.notes.push_back(std::to_string(same) + " contexts are called " + recording.name +
                              "; the newest that was measured as usual is taken");
  }
  for (const std::string& note : store.notes()) recording.notes.push_back(note);
  return recording;
}

// Reads ranked CSV files, which 'tuner run' writes and which are shipped.
Recording read_rankings(const std::filesystem::path& path, const std::string& which,
                        const ResultFilter& filter) {
  std::map<std::string, LooseRanking> all;
  for (LooseRanking& one : read_loose_rankings(path)) {
    if (!fits(one.ranked.device, one.ranked.size, filter)) continue;
    all.emplace(label_of(one.kernel, one.ranked.device, one.ranked.size), std::move(one));
  }
  LooseRanking one = chosen(all, path.string(), which, filter);
  // Some finalists have no time in a file but the final's.
  for (Trial& trial : one.ranked.trials) {
    if (trial.final && !is_time(trial.timing.median)) {
      trial.timing.median = trial.final->median_ms.value();
    }
  }
  RankedBy how;
  how.objective = one.objective;
  Recording recording = recording_of(label_of(one.kernel, one.ranked.device, one.ranked.size),
                                     one.kernel, one.ranked.device, how);
  std::optional<Best> best;
  if (one.ranked.ranked > 0) {
    const Trial& first = one.ranked.trials.front();
    best = Best{first.configuration, objective_of(first, how.objective.name)};
  }
  RecordingBuilder builder(recording);
  for (const Trial& trial : one.ranked.trials) add(trial, one.parameters, how, best, builder);
  if (recording.entries.empty()) reject(path, "holds no trials");
  builder.finish();
  return recording;
}

}  // namespace

Recording read_any_recording(const std::filesystem::path& path, const std::string& objective,
                             const ResultFilter& filter) {
  // "results#matmul/nvidia-h200/M1024": one context of a results directory.
  const std::string text = path.string();
  const auto mark = text.rfind('#');
  const bool whole = mark == std::string::npos || std::filesystem::exists(path);
  const std::filesystem::path file = whole ? text : text.substr(0, mark);
  const std::string which = whole ? "" : text.substr(mark + 1);
  const bool folder = std::filesystem::is_directory(file);
  if (folder ? std::filesystem::exists(file / "tuner.sqlite") : is_store(file)) {
    return read_store(file, which, objective, filter);
  }
  const std::string kind = file.extension().string();
  if (folder || kind == ".csv" || kind == ".tgz" || file.string().ends_with(".tar.gz")) {
    return read_rankings(file, which, filter);
  }
  if (!filter.size.empty())
    reject(path, "is one recording; --size chooses one of a results folder");
  return read_recording(path, objective);
}

}  // namespace tuner
