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
// there were to be; or a value of each counter.
bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  const FinalPlan& plan);

// A time; 0 when it is not there or something else. Never throws.
double time_in(const nlohmann::json& message, const char* member);

// Each has its to_json() and from_json().
#define TUNER_WIRE_NOUNS(ROW)                                                             \
  ROW(CompileRequest)                                                                     \
  ROW(Artifact)                                                                           \
  ROW(CompileFailure) ROW(DeviceFacts) ROW(LaunchGeometry) ROW(SizePlan) ROW(VariantPlan) \
      ROW(FinalPlan) ROW(Verdict)

#define TUNER_DECLARE_WIRE_NOUN(Noun)                \
  void to_json(nlohmann::json& j, const Noun& noun); \
  void from_json(const nlohmann::json& j, Noun& noun);
TUNER_WIRE_NOUNS(TUNER_DECLARE_WIRE_NOUN)

}  // namespace tuner
