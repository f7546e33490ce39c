#pragma once
// Elements of inputs that no formula of a device makes. They follow from the seed alone, so they
// are equal on every backend.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/model/plan.h"

namespace tuner {

// Makes the contents for a fill from FillSpec::Kind::kPermutation on. The error is a sentence.
Expected<std::vector<std::byte>, std::string> made_on_host(const ArgumentPlan& argument);

// Describes why the argument cannot be filled so, as far as its first and last elements show.
std::optional<std::string> fill_fault(const ArgumentPlan& argument);

// Sorts elements, ascending.
void sort_elements(DataType type, std::vector<std::byte>& bytes);

}  // namespace tuner
