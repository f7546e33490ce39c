#pragma once
// What a SearchSpace holds; only its own sources include this.

#include <memory>
#include <mutex>
#include <vector>

#include "tuner/space/construct.h"
#include "tuner/space/name_table.h"
#include "tuner/space/search_space.h"

namespace tuner {

struct SearchSpace::Impl {
  Impl(SpaceDefinition given, const BuildOptions& options);

  // Index = sum of digit * stride over the groups; strides saturate at 2^128-1.
  struct Group {
    const detail::Diagram* diagram = nullptr;
    ConfigIndex stride = 0;
  };

  SpaceDefinition definition;
  SpaceReport report;
  detail::NameTable names;
  detail::Construction construction;
  std::vector<Group> groups;  // the last one counts fastest
  ConfigIndex size = 0;
  bool saturated = false;

  // For ordered parameters, the place of each value among the sorted ones. On first use.
  const std::vector<std::vector<std::uint32_t>>& ranks() const;

  mutable std::once_flag ranked;
  mutable std::vector<std::vector<std::uint32_t>> value_ranks;
  mutable std::once_flag reported;
  mutable std::vector<ConstraintReport> constraint_reports;
};

}  // namespace tuner
