// Converts trials to what the database holds, and back, without a loss.

#include "tuner/store/trial_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "samples are stored as they lie");

std::string pack(const std::vector<double>& samples) {
  std::string bytes(samples.size() * sizeof(double), '\0');
  if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

std::vector<double> unpack(const std::string& bytes) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  return samples;
}

struct FactName {
  const char* name;
  std::int64_t DeviceFacts::*member;
};
constexpr std::array kFactNames{
    FactName{"multiprocessors", &DeviceFacts::multiprocessors},
    FactName{"warp_size", &DeviceFacts::warp_size},
    FactName{"max_threads_per_block", &DeviceFacts::max_threads_per_block},
    FactName{"max_threads_per_multiprocessor", &DeviceFacts::max_threads_per_multiprocessor},
    FactName{"max_blocks_per_multiprocessor", &DeviceFacts::max_blocks_per_multiprocessor},
    FactName{"registers_per_block", &DeviceFacts::registers_per_block},
    FactName{"registers_per_multiprocessor", &DeviceFacts::registers_per_multiprocessor},
    FactName{"max_shared_memory_per_block", &DeviceFacts::max_shared_memory_per_block},
    FactName{"max_shared_memory_per_block_optin", &DeviceFacts::max_shared_memory_per_block_optin},
    FactName{"shared_memory_per_multiprocessor", &DeviceFacts::shared_memory_per_multiprocessor},
    FactName{"reserved_shared_memory_per_block", &DeviceFacts::reserved_shared_memory_per_block},
    FactName{"l2_bytes", &DeviceFacts::l2_bytes},
    FactName{"memory_bytes", &DeviceFacts::memory_bytes},
    FactName{"clock_khz", &DeviceFacts::clock_khz},
};

struct ResourceName {
  const char* name;
  std::int64_t Resources::*member;
};
constexpr std::array kResourceNames{
    ResourceName{"registers", &Resources::registers},
    ResourceName{"static_shared_bytes", &Resources::static_shared_bytes},
    ResourceName{"constant_bytes", &Resources::constant_bytes},
    ResourceName{"local_bytes", &Resources::local_bytes},
    ResourceName{"spill_bytes", &Resources::spill_bytes},
    ResourceName{"max_threads", &Resources::max_threads},
};

Json number(double value) { return value_to_json(Value(value)); }

double number_from(const Json& json) {
  const Value value = value_from_json(json);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return to_number(value);
}

Json detail_of(const Trial& trial) {
  Json metrics = Json::array();
  for (const auto& [name, value] : trial.metrics) metrics.push_back({name, number(value)});
  Json final_samples = Json::array();
  for (const double sample : trial.final_samples) final_samples.push_back(number(sample));
  Json resources = Json::object();
  for (const auto& [name, member] : kResourceNames) resources[name] = trial.resources.*member;
  Json json = {{"ci_low_ms", number(trial.timing.ci_low)},
               {"ci_high_ms", number(trial.timing.ci_high)},
               {"min_ms", number(trial.timing.min)},
               {"final_samples", std::move(final_samples)},
               {"metrics", std::move(metrics)},
               {"grid", trial.geometry.grid},
               {"block", trial.geometry.block},
               {"dynamic_shared_bytes", trial.geometry.dynamic_shared_bytes},
               {"resources", std::move(resources)},
               {"occupancy", number(trial.occupancy)},
               {"watts", number(trial.watts)},
               {"compile_ms", number(trial.compile_ms)},
               {"cache_hit", trial.cache_hit},
               {"max_error", number(trial.max_error)},
               {"cost_seconds", number(trial.cost_seconds)},
               // The row's own columns turn NaN into NULL and back; here all bits are kept.
               {"median_ms", number(trial.timing.median)},
               {"objective", number(trial.objective)}};
  if (!trial.sources_known) json["sources_known"] = false;
  if (!trial.further_files.empty()) {
    Json files = Json::array();
    for (const FileState& file : trial.further_files) files.push_back({file.path, file.digest});
    json["further_files"] = std::move(files);
  }
  if (trial.search_objective) json["search_objective"] = number(*trial.search_objective);
  if (trial.outdated) json["outdated"] = true;
  if (trial.timing.counted > 0) json["counted"] = trial.timing.counted;
  return json;
}

}  // namespace

std::int64_t TrialRow::checksum(std::int64_t context, std::int64_t generation) const {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(context)).add(static_cast<std::uint64_t>(generation));
  for (const std::string* field : {&configuration, &state, &samples, &detail, &message}) {
    hasher.add(*field);
  }
  return static_cast<std::int64_t>(hasher.digest().low);
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json parse_json(const std::string& text) { return Json::parse(text); }

Json value_to_json(const Value& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real)) {
    return {{"float", to_text(value)}};
  }
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  const auto text = json.at("float").get<std::string>();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string canonical_configuration(std::span<const std::string> names,
                                    const Configuration& configuration) {
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return names[i]; });
  Json json = Json::object();
  for (const std::size_t i : order) json[names[i]] = value_to_json(configuration.at(i));
  return dump(json);
}

TrialRow to_row(const Trial& trial, std::span<const std::string> names) {
  return {canonical_configuration(names, trial.configuration),
          std::string(name_of(trial.state)),
          trial.timing.median,
          trial.objective,
          pack(trial.timing.samples),
          dump(detail_of(trial)),
          trial.message,
          utc_now()};
}

Trial from_row(const TrialRow& row, std::span<const std::string> names) {
  Trial trial;
  const Json configuration = parse_json(row.configuration);
  for (const std::string& name : names) {
    trial.configuration.push_back(value_from_json(configuration.at(name)));
  }
  const auto state = trial_state_named(row.state);
  if (!state) throw FatalError("unknown state '" + row.state + "'");
  trial.state = *state;
  trial.message = row.message;
  const Json detail = parse_json(row.detail);
  trial.timing.samples = unpack(row.samples);
  trial.timing.median = number_from(detail.at("median_ms"));
  trial.timing.ci_low = number_from(detail.at("ci_low_ms"));
  trial.timing.ci_high = number_from(detail.at("ci_high_ms"));
  trial.timing.min = number_from(detail.at("min_ms"));
  for (const Json& sample : detail.at("final_samples")) {
    trial.final_samples.push_back(number_from(sample));
  }
  for (const Json& metric : detail.at("metrics")) {
    trial.metrics.emplace_back(metric.at(0).get<std::string>(), number_from(metric.at(1)));
  }
  trial.objective = number_from(detail.at("objective"));
  if (detail.contains("search_objective")) {
    trial.search_objective = number_from(detail.at("search_objective"));
  }
  trial.outdated = detail.value("outdated", false);
  trial.timing.counted = detail.value("counted", std::uint64_t{0});
  detail.at("grid").get_to(trial.geometry.grid);
  detail.at("block").get_to(trial.geometry.block);
  detail.at("dynamic_shared_bytes").get_to(trial.geometry.dynamic_shared_bytes);
  for (const auto& [name, member] : kResourceNames) {
    trial.resources.*member = detail.at("resources").value(name, std::int64_t{-1});
  }
  trial.occupancy = number_from(detail.at("occupancy"));
  if (detail.contains("watts")) trial.watts = number_from(detail.at("watts"));
  trial.compile_ms = number_from(detail.at("compile_ms"));
  trial.cache_hit = detail.at("cache_hit").get<bool>();
  trial.max_error = number_from(detail.at("max_error"));
  trial.cost_seconds = number_from(detail.at("cost_seconds"));
  trial.sources_known = detail.value("sources_known", true);
  if (detail.contains("further_files")) {
    for (const Json& file : detail.at("further_files")) {
      trial.further_files.push_back({file.at(0).get<std::string>(), file.at(1).get<std::string>()});
    }
  }
  trial.from_store = true;
  return trial;
}

Json to_json(const RankedBy& how) {
  const auto spec = [](const ObjectiveSpec& one) {
    return Json{{"name", one.name}, {"maximize", one.maximize}};
  };
  Json json = spec(how.objective);
  json["beside"] = Json::array();
  for (const ObjectiveSpec& other : how.objective.beside) json["beside"].push_back(spec(other));
  json["confidence"] = how.measure.confidence;
  json["simpler_within"] = how.measure.simpler_within;
  return json;
}

RankedBy ranked_by_from(const Json& json) {
  const auto spec = [](const Json& one) {
    ObjectiveSpec objective;
    one.at("name").get_to(objective.name);
    one.at("maximize").get_to(objective.maximize);
    return objective;
  };
  RankedBy how;
  how.objective = spec(json);
  for (const Json& other : json.at("beside")) how.objective.beside.push_back(spec(other));
  json.at("confidence").get_to(how.measure.confidence);
  json.at("simpler_within").get_to(how.measure.simpler_within);
  return how;
}

Json to_json(const DeviceFacts& facts) {
  Json json = {{"backend", facts.backend}, {"name", facts.name},
               {"uuid", facts.uuid},       {"arch", facts.arch},
               {"driver", facts.driver},   {"compute_capability", facts.compute_capability}};
  for (const auto& [name, member] : kFactNames) json[name] = facts.*member;
  json["max_block"] = facts.max_block;
  json["max_grid"] = facts.max_grid;
  return json;
}

DeviceFacts device_facts_from(const Json& json) {
  DeviceFacts facts;
  json.at("backend").get_to(facts.backend);
  json.at("name").get_to(facts.name);
  json.at("uuid").get_to(facts.uuid);
  json.at("arch").get_to(facts.arch);
  json.at("driver").get_to(facts.driver);
  json.at("compute_capability").get_to(facts.compute_capability);
  for (const auto& [name, member] : kFactNames) facts.*member = json.value(name, facts.*member);
  json.at("max_block").get_to(facts.max_block);
  json.at("max_grid").get_to(facts.max_grid);
  return facts;
}

Json to_json(const ProblemSize& size) {
  Json json = Json::object();
  for (const auto& [name, extent] : size.dims) json[name] = extent;
  return json;
}

ProblemSize problem_size_from(const Json& json) {
  ProblemSize size;
  for (const auto& [name, extent] : json.items()) {
    size.dims.emplace_back(name, extent.get<std::int64_t>());
  }
  return size;
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

}  // namespace tuner
