#pragma once
// Trials and what identifies them as text and bytes, exactly: what is read equals what was written,
// types, infinities and NaN included.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/json_text.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/trial.h"
#include "tuner/store/store.h"

namespace tuner {

// One trial as the database holds it.
struct TrialRow {
  std::string configuration;  // canonical text: the key
  std::string state;
  double time_ms = 0;  // median, for those who query the database by hand
  double objective = 0;
  std::string samples;  // little-endian doubles, milliseconds
  std::string detail;   // JSON of the rest
  std::string message;
  std::string recorded;  // ISO 8601, UTC

  // Computes a checksum of the row's data and of where it belongs: a row that was damaged on disk
  // is not believed.
  std::int64_t checksum(std::int64_t context, std::int64_t generation) const;
};

// {"BM":64,"PAD":0.5,"SHARED":"static"}: names sorted, types kept, one text for one configuration.
std::string canonical_configuration(std::span<const std::string> names,
                                    const Configuration& configuration);

// Returns a configuration's values in the order of `names`. Throws nlohmann::json::exception.
Configuration configuration_from(const std::string& text, std::span<const std::string> names);

TrialRow to_row(const Trial& trial, std::span<const std::string> names);

// The configuration's values come in the order of `names`. Throws nlohmann::json::exception or
// FatalError when the row does not say what it should.
Trial from_row(const TrialRow& row, std::span<const std::string> names);

nlohmann::ordered_json to_json(const RankedBy& how);
// Throws nlohmann::json::exception.
RankedBy ranked_by_from(const nlohmann::ordered_json& json);
// Throws nlohmann::json::exception.
DeviceFacts device_facts_from(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const ProblemSize& size);
ProblemSize problem_size_from(const nlohmann::ordered_json& json);

// "2026-01-31T12:00:00Z"
std::string utc_now();

}  // namespace tuner
