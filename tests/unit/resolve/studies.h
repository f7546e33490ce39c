#pragma once
// A small study, built by hand: y = a * x, for n elements.

#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/resolve/resolve.h"

namespace tuner::test {

inline Expression expr(const std::string& text) { return Expression::parse_or_throw(text); }

inline ArgumentSpec scalar(std::string name, DataType type, const std::string& value) {
  ArgumentSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.is_scalar = true;
  spec.value = expr(value);
  return spec;
}

inline ArgumentSpec buffer(std::string name, DataType type, const std::string& extent, Role role) {
  ArgumentSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.shape = {expr(extent)};
  spec.role = role;
  if (role == Role::kIn) spec.fill = {FillSpec::Kind::kUniform, -1, 1, {}};
  return spec;
}

inline Study scale_study() {
  Study study;
  study.kernel.name = "scale";
  study.kernel.source = "/kernels/scale.cu";
  study.kernel.entry = "scale";
  study.sizes = {{{{"n", 1000}}}};
  study.parameters = {{"BLOCK", {std::int64_t{64}, std::int64_t{128}}, {}},
                      {"VEC", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}, {}}};
  study.derived = {{"per_block", expr("BLOCK * VEC")}, {"half", expr("n // 2")}};
  study.launch.block[0] = expr("BLOCK");
  study.launch.grid[0] = expr("ceil_div(n, per_block)");
  study.arguments = {buffer("x", DataType::kFloat32, "n", Role::kIn),
                     buffer("y", DataType::kFloat32, "n", Role::kOut),
                     scalar("n", DataType::kInt32, "n")};
  study.reference.emplace();
  study.reference->entry = "scale_reference";
  study.reference->launch.block[0] = expr("256");
  study.reference->launch.grid[0] = expr("ceil_div(n, 256)");
  return study;
}

inline DeviceFacts h200() {
  DeviceFacts device = nominal_facts("sm_90");
  device.multiprocessors = 132;
  return device;
}

inline SearchSpace space_of(const Study& study) {
  return SearchSpace::build(space_definition(study, study.sizes[0], h200()));
}

// What the compiler is told of the reference's first case at the study's first size.
inline Expected<CompileRequest, std::string> reference_of(const Study& study) {
  const SearchSpace space = SearchSpace::build(space_definition(study, study.sizes[0], h200()));
  return reference_request(study, space, reference_cases(study, space).at(0), h200(), "source");
}

}  // namespace tuner::test
