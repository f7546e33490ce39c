#pragma once
// What an exported header computes of the study's expressions: which configurations are valid, and
// how they are launched.

#include "tuner/codegen/embedded_text.h"
#include "tuner/codegen/header_model.h"

namespace tuner {

// Adds what cpp/rules.hpp needs, but for the parameters.
void fill_rules(const HeaderModel& model, Filling& out);

}  // namespace tuner
