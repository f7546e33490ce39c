#pragma once
// Everything that can change a trial, by name: a difference in any of them is a different context
// in the store, so an old trial is never taken for a new one. Device name, architecture and driver
// are parts of the key already; two devices of one model answer for each other.

#include <memory>
#include <optional>
#include <string>

#include "tuner/base/hash.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/store/store.h"

namespace tuner {

// Conditions that trials depend on beside study, device and size.
struct MeasuredWith {
  std::string source_digest;  // over the source and everything that it includes
  // Digests of the files that fill arguments, each read once; may be null where there are none.
  std::shared_ptr<FileDigests> data;
  std::string compiler;
  std::string backend_options;
  std::string plugins{};  // versions of those that the study leaves its problem and metrics to
};

ContextKey context_key(const Study& study, const DeviceFacts& device, const ProblemSize& size,
                       const MeasuredWith& with);

// Returns the key's text for this component, such as "compiler"; empty: it has none.
std::string identity_part(const ContextKey& key, const std::string& component);

// Returns how launches were timed under this key; nothing where that is unknown, as in an import.
std::optional<TimedHow> timed_how(const ContextKey& key);

// Whether what was measured under this key was compared with no right answer at all.
bool has_no_reference(const ContextKey& key);

}  // namespace tuner
