#pragma once
// The part of an exported header that computes what the study's expressions say: which
// configurations are valid, and how they are launched.

#include <string>

#include "tuner/codegen/header_model.h"

namespace tuner {

// The struct of names, constraints, extents, valid(), and the launches that follow. Belongs behind
// the header's types and numbers.
std::string header_rules(const HeaderModel& model);

}  // namespace tuner
