#pragma once
// Arguments of kernels, and the launcher of a source that is compiled with BM alone.

#include <set>
#include <string>

#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/launcher.h"

namespace tuner {

inline ArgumentSpec buffer(const std::string& name, const std::vector<std::string>& shape,
                           Role role = Role::kIn, DataType type = DataType::kFloat32) {
  ArgumentSpec spec;
  spec.name = name;
  spec.type = type;
  for (const std::string& extent : shape) spec.shape.push_back(Expression::parse_or_throw(extent));
  spec.role = role;
  return spec;
}

inline ArgumentSpec scalar(const std::string& name, const std::string& value,
                           DataType type = DataType::kFloat32) {
  ArgumentSpec spec;
  spec.name = name;
  spec.type = type;
  spec.is_scalar = true;
  spec.value = Expression::parse_or_throw(value);
  return spec;
}

inline LauncherOptions launcher_options(const std::string& source) {
  LauncherOptions options;
  options.stem = "matmul_launcher";
  options.source.text = source;
  options.source.relevant = [](const CompileRequest&) { return std::set<std::string>{"TUNE_BM"}; };
  return options;
}

inline LauncherFiles launcher_of(const Study& study, const std::string& source) {
  return export_launcher(study, sample_results(), launcher_options(source));
}

}  // namespace tuner
