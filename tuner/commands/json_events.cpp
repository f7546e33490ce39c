// Writes a run's events for programs, one JSON object a line.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "tuner/base/process_state.h"
#include "tuner/commands/progress.h"
#include "tuner/files/results_json.h"
#include "tuner/model/figures.h"
#include "tuner/model/json_text.h"
#include "tuner/model/trial_figures.h"

namespace tuner {

namespace {

using Json = nlohmann::ordered_json;

void print(std::FILE* out, Json event) {
  event["since_start_s"] = process_age();
  std::fputs((dump(event) + "\n").c_str(), out);  // a run goes on when nobody reads it any more
  std::fflush(out);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const std::vector<std::pair<std::string, double>>& metrics) {
  Json out = Json::object();
  for (const auto& [name, value] : metrics) out[name] = number(value);
  return out;
}

Json json_of(const std::array<std::size_t, kTrialStates>& states) {
  Json out = Json::object();
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (states[s] > 0) out[std::string(name_of(static_cast<TrialState>(s)))] = states[s];
  }
  return out;
}

// A figure of the ranking, null where there is none.
Json json_of(const std::optional<MeasuredFigure>& figure) {
  if (!figure) return nullptr;
  return {{"value", number(figure->value)},
          {"low", number(figure->low)},
          {"high", number(figure->high)}};
}

// Lists each device's part in a search that several shared.
Json json_of_devices(const SizeOutcome& outcome) {
  Json devices = Json::array();
  for (const DeviceShare& one : outcome.devices) {
    Json device{{"device", one.device.number},
                {"rank", one.device.rank},
                {"uuid", one.uuid},
                {"trials", one.trials},
                {"ratio", nullptr},
                {"scale", one.factor},
                {"busy", 0},
                {"lost", nullptr}};
    if (one.ratio) device["ratio"] = number(*one.ratio);
    if (!one.lost.empty()) device["lost"] = one.lost;
    for (const DeviceBusy& busy : outcome.utilization.value_or(Utilization{}).devices) {
      if (busy.device == one.device) device["busy"] = number(busy.share);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

// Writes an event that is a text; names the size if several sizes are tuned side by side.
Json text_json(const char* kind, const char* key, const RunEvent& event) {
  Json line{{"event", kind}, {key, event.text}};
  if (event.lane > 0) line["size"] = json_of(event.size);
  return line;
}

Json begin_json(const RunEvent& event, const Study& study) {
  const RunPart& part = *event.part;
  return {{"event", "begin"},
          {"title", part.title},
          {"total", number(std::strtod(part.total.c_str(), nullptr))},
          {"kernel", study.kernel.name},
          {"device", event.device},
          {"size", json_of(event.size)},
          {"seconds", part.seconds ? Json(*part.seconds) : Json(nullptr)},
          {"search", part.is_search},
          {"objective", study.objective.name},
          {"maximize", study.objective.maximize}};
}

Json trial_json(const RunEvent& event, const Study& study, const SearchTally& tally) {
  const Trial& trial = *event.trial;
  Json line{{"event", "trial"},
            {"done", tally.done()},
            {"state", name_of(trial.state)},
            {"elapsed_s", event.seconds},
            {"from_store", trial.from_store},
            {"device", event.device},
            {"size", json_of(event.size)},
            {"configuration", json_of(study.parameters, trial.configuration)}};
  if (is_valid(trial)) {
    line["time_ms"] = number(trial.timing.median);
    line["objective"] = number(trial.objective.value());
    line["metrics"] = json_of(trial.metrics);
    add_figures(line, trial, TrialFigure::Json::kIfKnown);
    if (trial.limit) line["limit"] = {{"ms", trial.limit->ms}, {"of", trial.limit->of}};
  }
  const std::optional<Trial>& best = tally.best();
  line["best_ms"] = best ? number(best->timing.median) : Json(nullptr);
  line["best"] = best ? number(best->objective.value()) : Json(nullptr);
  if (!trial.message.empty()) line["message"] = trial.message;
  return line;
}

Json round_json(const RunEvent& event) {
  return {{"event", "final"},
          {"done", event.done},
          {"rounds", event.rounds},
          {"device", event.device},
          {"size", json_of(event.size)}};
}

Json end_json(const RunEvent& event, const Study& study, const SearchTally& tally) {
  Json line{
      {"event", "end"},         {"done", tally.done()},        {"elapsed_s", event.seconds},
      {"device", event.device}, {"size", json_of(event.size)}, {"states", json_of(tally.states())},
      {"best", nullptr}};
  if (const std::optional<Trial>& best = tally.best()) {
    line["best"] = {{"configuration", json_of(study.parameters, best->configuration)},
                    {"time_ms", number(best->timing.median)},
                    {"objective", number(best->objective.value())}};
  }
  return line;
}

Json ranked_json(const SizeOutcome& outcome, const Study& study) {
  const RankedResults& results = outcome.results;
  Json event{{"event", "ranked"},
             {"device", results.device.name},
             {"size", json_of(results.size)},
             {"ranked", results.ranked},
             {"trials", results.trials.size()},
             {"outside", results.outside},
             {"warnings", results.warnings},
             {"elapsed_s", number(outcome.seconds)},
             {"reference_ms", nullptr},
             {"best", nullptr},
             {"file", outcome.csv_path}};
  if (results.ranked > 0) {
    const Trial& best = results.trials.front();
    const Figures figures = figures_of(best, study.objective);
    if (best.reference_ms) event["reference_ms"] = *best.reference_ms;
    event["best"] = {{"configuration", json_of(study.parameters, best.configuration)},
                     {"unit", study.objective.name == "time" ? "ms" : study.objective.name},
                     {"search", json_of(figures.search)},
                     {"final", json_of(figures.final_round)},
                     {"metrics", json_of(best.metrics)}};
  }
  if (!results.advice.empty()) event["advice"] = json_of(results.advice);
  event["bound"] = nullptr;
  if (outcome.utilization) {
    const Bottleneck bound =
        bottleneck_of(*outcome.utilization, usable_cores(), study.search.strategy == "default");
    event["bound"] = {{"by", bound.by},
                      {"help", bound.help},
                      {"compile_workers", outcome.utilization->workers},
                      {"compile_workers_busy", outcome.utilization->compilers},
                      {"device_busy", outcome.utilization->device}};
  }
  if (outcome.devices.size() > 1) event["devices"] = json_of_devices(outcome);
  return event;
}

}  // namespace

void JsonEvents::hear(const RunEvent& event, const Study& study) {
  using Kind = RunEvent::Kind;
  switch (event.kind) {
    case Kind::kNote:
      return print(out_, text_json("note", "text", event));
    case Kind::kStep:
      return print(out_, text_json("step", "step", event));
    case Kind::kBegin:
      tallies_.insert_or_assign(event.lane, SearchTally(*event.part, study));
      return print(out_, begin_json(event, study));
    case Kind::kTrial:
      tallies_.at(event.lane).add(*event.trial);
      return print(out_, trial_json(event, study, tallies_.at(event.lane)));
    case Kind::kSearched:
      return print(out_, end_json(event, study, tallies_.at(event.lane)));
    case Kind::kRound:
      return print(out_, round_json(event));
    case Kind::kRanked:
      files_.push_back(event.outcome->csv_path);
      return print(out_, ranked_json(*event.outcome, study));
  }
}

void JsonEvents::finish(int status) {
  print(out_, {{"event", "done"}, {"status", status}, {"files", files_}});
}

void JsonEvents::error(const std::string& message, int status) {
  print(out_, {{"event", "error"}, {"message", message}, {"status", status}});
}

}  // namespace tuner
