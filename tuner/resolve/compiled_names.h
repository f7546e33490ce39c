#pragma once
// What compilers say of a variant, as names of metrics, objectives and `compiled`.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/expression/value.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

inline constexpr std::array<std::string_view, 6> kCompiledNames{
    "registers",           "spill_bytes",          "occupancy",
    "static_shared_bytes", "dynamic_shared_bytes", "image_bytes"};

// `names` and those that are known of the trial. What the study calls so keeps its meaning.
Bindings with_compiled(const Bindings& names, const Trial& trial);

// The first of the study's `compiled` that does not hold, with what it says, or nothing. What
// nothing is known of rules nothing out.
std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              const Trial& trial);
// The same for one that was compiled just now, whose occupancy nobody has computed yet.
std::optional<std::string> broken_by_compiled(const Study& study, const Bindings& names,
                                              Trial trial, const DeviceFacts& device);

}  // namespace tuner
