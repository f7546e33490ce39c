#include "tuner/store/store_recording.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "tuner/base/error.h"
#include "tuner/store/recording_builder.h"

namespace tuner {
namespace {

std::string label_of(const StoredContext& context) {
  return context.key.kernel + "/" + context.key.device.slug() + "/" + context.key.size.label();
}

double objective_of(const Trial& trial, const std::string& objective) {
  if (objective == "time") return trial.timing.median;
  for (const auto& [name, value] : trial.metrics) {
    if (name == objective) return value;
  }
  return std::nan("");
}

void add(const Trial& trial, const std::vector<std::string>& names, const std::string& objective,
         RecordingBuilder& builder) {
  builder.begin_entry("a trial");
  for (std::size_t p = 0; p < names.size(); ++p) {
    builder.parameter(names[p], trial.configuration[p]);
  }
  if (trial.state == TrialState::kOk || trial.state == TrialState::kDropped) {
    builder.objective(objective_of(trial, objective));
    for (const double sample : trial.timing.samples) builder.sample(sample);
  } else {
    builder.failed(trial.state);
  }
  builder.cost_milliseconds(trial.cost_seconds * 1000);
  builder.end_entry();
}

// The newest context of each name.
std::map<std::string, StoredContext> by_label(const std::vector<StoredContext>& contexts) {
  std::map<std::string, StoredContext> newest;
  for (const StoredContext& one : contexts) {
    if (one.trials == 0) continue;
    const auto [at, fresh] = newest.emplace(label_of(one), one);
    if (!fresh && at->second.newest <= one.newest) at->second = one;
  }
  return newest;
}

const StoredContext& chosen(const std::map<std::string, StoredContext>& contexts,
                            const std::string& file, const std::string& which) {
  if (which.empty() && contexts.size() == 1) return contexts.begin()->second;
  const auto found = contexts.find(which);
  if (found != contexts.end()) return found->second;
  std::vector<std::string> labels;
  std::string list;
  for (const auto& [label, context] : contexts) {
    labels.push_back(label);
    list += "\n  " + file + "#" + label;
  }
  if (labels.empty()) throw InputError(Complaint{{file, 0, 0}, "holds no trials", {}});
  const std::string what =
      which.empty() ? "holds several recordings" : "holds no recording '" + which + "'";
  throw InputError(
      Complaint{{file, 0, 0}, what + "; there are" + list, did_you_mean(which, labels)});
}

}  // namespace

bool is_store(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return true;
  std::string head(15, '\0');
  std::ifstream(path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == "SQLite format 3";
}

Recording store_recording(Store& store, const StoredContext& context,
                          const std::string& objective) {
  Recording recording;
  recording.name = label_of(context);
  recording.device = context.key.device.name;
  recording.kernel = context.key.kernel;
  recording.objective = objective;
  RecordingBuilder builder(recording);
  for (const Trial& trial : store.trials(context.context)) {
    add(trial, context.context.parameters, objective, builder);
  }
  if (!recording.entries.empty()) builder.finish();
  return recording;
}

Recording store_recording(const std::filesystem::path& path, const std::string& which,
                          const std::string& objective) {
  Store store = Store::open(path, Store::Access::kRead);
  const std::vector<StoredContext> all = store.contexts();
  const auto contexts = by_label(all);
  Recording recording = store_recording(store, chosen(contexts, path.string(), which), objective);
  if (recording.entries.empty()) {
    throw InputError(Complaint{{path.string(), 0, 0}, "holds no readable trials", {}});
  }
  const auto same = std::ranges::count_if(all, [&](const StoredContext& one) {
    return one.trials > 0 && label_of(one) == recording.name;
  });
  if (same > 1) {
    recording.notes.push_back(std::to_string(same) + " contexts are called " + recording.name +
                              "; the one with the newest trial is taken");
  }
  for (const std::string& note : store.notes()) recording.notes.push_back(note);
  return recording;
}

}  // namespace tuner
