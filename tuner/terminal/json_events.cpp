// Prints the events of a run as JSON lines.

#include "tuner/terminal/json_events.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "tuner/base/processor_time.h"
#include "tuner/base/usable_cores.h"
#include "tuner/codec/json_text.h"
#include "tuner/engine/objective.h"
#include "tuner/report/figures.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

void print(std::FILE* out, Json event) {
  event["since_start_s"] = process_age();
  fmt::print(out, "{}\n", dump(event));
  std::fflush(out);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const ProblemSize& size) {
  Json out = Json::object();
  for (const auto& [name, extent] : size.dims) out[name] = extent;
  return out;
}

Json json_of(const std::vector<Parameter>& parameters, const Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t i = 0; i < parameters.size() && i < configuration.size(); ++i) {
    out[parameters[i].name] = value_to_json(configuration[i]);
  }
  return out;
}

Json json_of(const std::vector<std::pair<std::string, double>>& metrics) {
  Json out = Json::object();
  for (const auto& [name, value] : metrics) out[name] = number(value);
  return out;
}

Json json_of(const std::array<std::size_t, 8>& states) {
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

// Where several shared the search.
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
    for (const DeviceBusy& busy : outcome.course.value_or(Course{}).devices) {
      if (busy.device == one.device) device["busy"] = number(busy.share);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace

void JsonEvents::turn_to(const RunLane& lane) {
  now_ = &lanes_[lane.number];
  size_ = lane.size;
}

void JsonEvents::begin(const RunPart& part, const Study& study) {
  study_ = &study;
  *now_ = {part};
  print(out_, {{"event", "begin"},
               {"title", part.title},
               {"total", number(std::strtod(part.total.c_str(), nullptr))},
               {"kernel", study.kernel.name},
               {"device", part.device},
               {"size", json_of(part.size)},
               {"seconds", part.seconds ? Json(*part.seconds) : Json(nullptr)},
               {"search", part.is_search},
               {"objective", study.objective.name},
               {"maximize", study.objective.maximize}});
}

void JsonEvents::reached(std::string_view step) {
  Json event{{"event", "step"}, {"step", step}};
  if (size_) event["size"] = json_of(*size_);
  print(out_, std::move(event));
}

void JsonEvents::trial(const Trial& trial, double seconds) {
  ++now_->done;
  ++now_->states.at(static_cast<std::size_t>(trial.state));
  const bool ok = trial.state == TrialState::kOk;
  std::optional<Trial>& best = now_->best;
  if (ok && (!best || better(study_->objective, trial.objective, best->objective))) best = trial;
  Json event{{"event", "trial"},
             {"done", now_->done},
             {"state", name_of(trial.state)},
             {"elapsed_s", seconds},
             {"from_store", trial.from_store},
             {"device", now_->part.device},
             {"size", json_of(now_->part.size)},
             {"configuration", json_of(study_->parameters, trial.configuration)}};
  if (ok || trial.state == TrialState::kDropped) {
    event["time_ms"] = number(trial.timing.median);
    event["objective"] = number(trial.objective.value());
    event["metrics"] = json_of(trial.metrics);
  }
  event["best_ms"] = best ? number(best->timing.median) : Json(nullptr);
  event["best"] = best ? number(best->objective.value()) : Json(nullptr);
  if (!trial.message.empty()) event["message"] = trial.message;
  print(out_, std::move(event));
}

void JsonEvents::note(const std::string& text) {
  Json event{{"event", "note"}, {"text", text}};
  if (size_) event["size"] = json_of(*size_);
  print(out_, event);
}

void JsonEvents::round(int done, int rounds) {
  print(out_, {{"event", "final"},
               {"done", done},
               {"rounds", rounds},
               {"device", now_->part.device},
               {"size", json_of(now_->part.size)}});
}

void JsonEvents::end(double seconds) {
  Json event{{"event", "end"},
             {"done", now_->done},
             {"elapsed_s", seconds},
             {"device", now_->part.device},
             {"size", json_of(now_->part.size)},
             {"states", json_of(now_->states)},
             {"best", nullptr}};
  if (const std::optional<Trial>& best = now_->best) {
    event["best"] = {{"configuration", json_of(study_->parameters, best->configuration)},
                     {"time_ms", number(best->timing.median)},
                     {"objective", number(best->objective.value())}};
  }
  print(out_, std::move(event));
}

void JsonEvents::ranked(const SizeOutcome& outcome) {
  const RankedResults& results = outcome.results;
  Json event{{"event", "ranked"},
             {"device", results.device.name},
             {"size", json_of(results.size)},
             {"ranked", results.ranked},
             {"trials", results.trials.size()},
             {"elapsed_s", number(outcome.seconds)},
             {"reference_ms", nullptr},
             {"best", nullptr},
             {"file", outcome.csv_path}};
  if (results.ranked > 0) {
    const Trial& best = results.trials.front();
    const Figures figures = figures_of(best, study_->objective);
    if (best.reference_ms) event["reference_ms"] = *best.reference_ms;
    event["best"] = {{"configuration", json_of(study_->parameters, best.configuration)},
                     {"unit", study_->objective.name == "time" ? "ms" : study_->objective.name},
                     {"search", json_of(figures.search)},
                     {"final", json_of(figures.final_round)},
                     {"metrics", json_of(best.metrics)}};
  }
  event["bound"] = nullptr;
  if (outcome.course) {
    const Bound bound = bound_of(*outcome.course, usable_cores());
    event["bound"] = {{"by", bound.by},
                      {"help", bound.help},
                      {"compile_workers", outcome.course->workers},
                      {"compile_workers_busy", outcome.course->compilers},
                      {"device_busy", outcome.course->device}};
  }
  if (outcome.devices.size() > 1) event["devices"] = json_of_devices(outcome);
  files_.push_back(outcome.csv_path);
  print(out_, std::move(event));
}

void JsonEvents::finish(int status) {
  print(out_, {{"event", "done"}, {"status", status}, {"files", files_}});
}

void JsonEvents::error(const std::string& message, int status) {
  print(out_, {{"event", "error"}, {"message", message}, {"status", status}});
}

}  // namespace tuner
