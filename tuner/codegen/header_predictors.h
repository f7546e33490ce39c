#pragma once
// The part of an exported header that answers sizes of a domain by what was learned.

#include <string>

#include "tuner/codegen/header_model.h"

namespace tuner {

// The predictors of model.table->learned, after what chooses among them.
std::string header_predictors(const HeaderModel& model);

}  // namespace tuner
