#pragma once
// The nouns of model/ as JSON documents, for the wire. from_json throws nlohmann's exceptions on
// anything missing or of the wrong type, and ProtocolError on a value that has no meaning: callers
// treat a worker that sends such a thing as one that crashed.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"

namespace tuner {

// A member that is a text; empty when it is not there or something else. Never throws.
std::string text_in(const nlohmann::json& message, const char* member);
// A member that is true; false when it is not there or something else. Never throws.
bool flag_in(const nlohmann::json& message, const char* member);
// Members of a list that are texts; a worker may have been scribbled over. Never throws.
std::vector<std::string> texts_in(const nlohmann::json& message, const char* member);
// Whether a final's samples can be that: as many times of each finalist, and of no more rounds than
// there were to be.
bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  int rounds);
// Of such a plan: times of rounds, or a value of each counter.
bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  const FinalPlan& plan);

// A time; 0 when it is not there or something else. Never throws.
double time_in(const nlohmann::json& message, const char* member);

void to_json(nlohmann::json& j, const CompileRequest& request);
void from_json(const nlohmann::json& j, CompileRequest& request);
void to_json(nlohmann::json& j, const Artifact& artifact);
void from_json(const nlohmann::json& j, Artifact& artifact);
void to_json(nlohmann::json& j, const CompileFailure& failure);
void from_json(const nlohmann::json& j, CompileFailure& failure);
void to_json(nlohmann::json& j, const DeviceFacts& facts);
void from_json(const nlohmann::json& j, DeviceFacts& facts);
void to_json(nlohmann::json& j, const LaunchGeometry& geometry);
void from_json(const nlohmann::json& j, LaunchGeometry& geometry);
void to_json(nlohmann::json& j, const SizePlan& plan);
void from_json(const nlohmann::json& j, SizePlan& plan);
void to_json(nlohmann::json& j, const VariantPlan& plan);
void from_json(const nlohmann::json& j, VariantPlan& plan);
void to_json(nlohmann::json& j, const FinalPlan& plan);
void from_json(const nlohmann::json& j, FinalPlan& plan);
void to_json(nlohmann::json& j, const Verdict& verdict);
void from_json(const nlohmann::json& j, Verdict& verdict);

}  // namespace tuner
