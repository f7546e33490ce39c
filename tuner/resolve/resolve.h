#pragma once
// Plans made from a study's expressions, for one problem size, one device and one configuration.
// Pure functions; a failure is a sentence that names the expression at fault.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/sequence_plan.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Lists the folders in which the includes of a source of the study are looked up: the source's own,
// and the study's folders.
std::vector<std::string> include_dirs_for(const Study& study, const std::filesystem::path& source);

// Dimensions of the problem ("M") and the device ("device.warp_size") as names with values.
Bindings facts_of(const ProblemSize& size, const DeviceFacts& device);

// Adds a configuration and the study's derived names to facts_of(): everything that one of its
// expressions can name. A derived name that has no value is not there.
Bindings bindings_of(const Study& study, const Configuration& configuration,
                     const DeviceFacts& device, const ProblemSize& size);

// Whether all constraints hold with these names (bindings_of()), and the conditions of the run.
bool constraints_hold(const Study& study, const Bindings& names);

SpaceDefinition space_definition(const Study& study, const ProblemSize& size,
                                 const DeviceFacts& device);

// Narrows space_definition() to this configuration's values; the constraints stay.
SpaceDefinition definition_of_one(const Study& study, const Configuration& configuration,
                                  const ProblemSize& size, const DeviceFacts& device);

// Makes the compiler's request for one configuration. Each parameter becomes a definition
// <prefix>NAME: booleans 1 or 0, floats in the shortest form that reads back. A text parameter also
// gives <prefix>NAME_IS_<value> = 1 or 0 for each of its values (made an identifier), and the same
// in upper case. {NAME} in entries and options becomes the value of a parameter, derived name,
// dimension or device fact. `then` are the launches that follow (variant_plan() says which), whose
// kernels are compiled with it: of them only the names count. `source_text` is the text of
// study.kernel.source.
Expected<CompileRequest, std::string> compile_request(const Study& study, const SearchSpace& space,
                                                      const Configuration& configuration,
                                                      std::span<const NextLaunchPlan> then,
                                                      const DeviceFacts& device,
                                                      const std::string& source_text);

// The reference kernel, with the definitions of a case, because its source may hold the tuned
// kernel as well. `source_text` is the text of reference.source, or of the kernel's source where
// that is absent. Requires study.reference.
Expected<CompileRequest, std::string> reference_request(const Study& study,
                                                        const SearchSpace& space,
                                                        const ReferenceCase& one,
                                                        const DeviceFacts& device,
                                                        const std::string& source_text);

// Whether a metric uses `power` or `energy`.
bool needs_power(const Study& study);

// Buffers, constants, tolerances and the reference's launches, one for each case. The caller fills
// in the artifacts of plan.reference->answers. Arguments that depend on parameters (scalars and
// scratch buffers may) are placeholders here, elements = 0 or scalar = zeros, and are overridden by
// variant_plan(). With a reference, every out and inout buffer is checked: with the study's
// tolerance, else with the usual one of its type.
Expected<SizePlan, std::string> size_plan(const Study& study, const ProblemSize& size,
                                          const DeviceFacts& device,
                                          const std::vector<ReferenceCase>& cases);

// Launches and overrides of one configuration of `space` (built from space_definition()). The
// caller fills in artifact and best_ms. An override's index counts SizePlan::arguments first, then
// SizePlan::constants.
Expected<VariantPlan, std::string> variant_plan(const Study& study, const SearchSpace& space,
                                                const Configuration& configuration);

}  // namespace tuner
