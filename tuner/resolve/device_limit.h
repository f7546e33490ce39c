#pragma once
// The work that a study's kernel has to do at least, compared with what the device can do.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// The types that 'work' may name: those of arguments, and tf32.
std::vector<std::string> work_types();
// Finds a type by its name, or by a name of C; nothing: there is no such type.
std::optional<std::string> work_type_named(std::string_view name);

// Bytes or operations; nothing where it is no number, infinite or below 0.
std::optional<double> amount_of(const Value& value);

// Computes the least time; nothing where the study does not name the work, or no ceiling of it is
// known.
std::optional<DeviceLimit> device_limit(const Study& study, const Bindings& names,
                                        const Ceilings& ceilings);

// Whether that is less time than the device needs: why. Both figures are measured, so that a tenth
// is left to their errors.
std::optional<std::string> too_fast(const Study& study, const Bindings& names,
                                    const Ceilings& ceilings, const Timing& timing);

}  // namespace tuner
