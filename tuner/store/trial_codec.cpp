// Converts trials to what the database holds, and back, without a loss.

#include "tuner/store/trial_codec.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <ctime>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/model/json.h"

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

template <typename Name, std::size_t N>
bool contains(const std::array<Name, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The fields of a trial that have columns of their own; the others are the row's detail.
constexpr std::array<std::string_view, 3> kColumns{"state", "samples_ms", "message"};
// The field that each row has, so that a row without one is no trial.
constexpr const char* kInEach = "median_ms";
// Rows have files as pairs of path and digest.
Json json_of_files(const std::vector<FileState>& files) {
  Json json = Json::array();
  for (const FileState& file : files) json.push_back({file.path, file.digest});
  return json;
}

void read_files(const Json& json, std::vector<FileState>& files) {
  for (const Json& file : json) {
    files.push_back({file.at(0).get<std::string>(), file.at(1).get<std::string>()});
  }
}

template <typename Field>
constexpr bool kIsFiles = std::same_as<std::remove_cvref_t<Field>, std::vector<FileState>>;

Json whole_detail(const Trial& trial) {
  Json json = Json::object();
  for_each_field(trial, [&](const char* name, const auto& field) {
    if (contains(kColumns, name)) return;
    if constexpr (kIsFiles<decltype(field)>) {
      json[name] = json_of_files(field);
    } else {
      json[name] = encoded<Json>(field);
    }
  });
  return json;
}

// The row's own columns turn NaN into NULL and back; here all bits are kept. A field that is as in
// a new trial is left out.
Json detail_of(const Trial& trial) {
  static const Json usual = whole_detail({});
  Json all = whole_detail(trial);
  Json json = Json::object();
  for (auto& [name, value] : all.items()) {
    if (name == kInEach || !(value == usual.at(name))) json[name] = std::move(value);
  }
  return exact(std::move(json));
}

void read_detail(const Json& detail, Trial& trial) {
  static_cast<void>(detail.at(kInEach));
  for_each_field(trial, [&](const char* name, auto&& field) {
    if (contains(kColumns, name)) return;
    if (!detail.contains(name)) return;
    if constexpr (kIsFiles<decltype(field)>) {
      read_files(detail.at(name), field);
    } else {
      decode(detail.at(name), field, Missing::kKept);
    }
  });
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

std::string canonical_configuration(std::span<const std::string> names,
                                    const Configuration& configuration) {
  std::vector<std::size_t> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return names[i]; });
  Json json = Json::object();
  for (const std::size_t i : order) json[names[i]] = value_to_json(configuration.at(i));
  return dump(json);
}

Configuration configuration_from(const std::string& text, std::span<const std::string> names) {
  const Json values = parse_json(text);
  Configuration configuration;
  for (const std::string& name : names) configuration.push_back(value_from_json(values.at(name)));
  return configuration;
}

TrialRow to_row(const Trial& trial, std::span<const std::string> names) {
  return {canonical_configuration(names, trial.configuration),
          std::string(name_of(trial.state)),
          trial.timing.median,
          trial.objective.value(),
          pack(trial.timing.samples),
          dump(detail_of(trial)),
          trial.message,
          utc_now()};
}

Trial from_row(const TrialRow& row, std::span<const std::string> names) {
  Trial trial;
  trial.configuration = configuration_from(row.configuration, names);
  const auto state = trial_state_named(row.state);
  if (!state) throw FatalError("unknown state '" + row.state + "'");
  trial.state = *state;
  trial.message = row.message;
  trial.timing.samples = unpack(row.samples);
  read_detail(plain(parse_json(row.detail)), trial);
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
  if (!how.limit.empty()) json["limit"] = how.limit;
  if (!how.space.empty()) json["space"] = how.space;
  if (!how.warnings.empty()) json["warnings"] = how.warnings;
  for (const auto& [name, value] : how.baseline) json["baseline"][name] = value_to_json(value);
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
  how.limit = json.value("limit", "");
  how.space = json.value("space", "");
  how.warnings = json.value("warnings", std::vector<std::string>{});
  if (!json.contains("baseline")) return how;
  for (const auto& [name, value] : json.at("baseline").items()) {
    how.baseline.emplace_back(name, value_from_json(value));
  }
  return how;
}

DeviceFacts device_facts_from(const Json& json) {
  for (const char* name : {"backend", "name", "uuid", "arch", "driver", "compute_capability",
                           "max_block", "max_grid"}) {
    static_cast<void>(json.at(name));
  }
  DeviceFacts facts;
  decode(json, facts, Missing::kKept);
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
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace tuner
