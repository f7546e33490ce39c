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

inline bool is_signed(DataType type) { return type >= DataType::kInt8 && type <= DataType::kInt64; }

// How many bits of a floating type are its exponent, and how many its mantissa.
struct FloatForm {
  int exponent;
  int mantissa;
};
FloatForm form_of(DataType type);

// Of a fill from FillSpec::Kind::kPermutation on. The error is a sentence.
Expected<std::vector<std::byte>, std::string> made_on_host(const ArgumentPlan& argument);

// Why the argument cannot be filled so, as far as its first and last elements tell.
std::optional<std::string> fill_fault(const ArgumentPlan& argument);

// Ascending.
void sort_elements(DataType type, std::vector<std::byte>& bytes);

}  // namespace tuner
