#pragma once
// The part of an exported header that answers sizes of a domain by what was learned.

#include <string>

#include "tuner/exporters/header_model.h"

namespace tuner {

// The predictors of model.table->learned and what chooses among them, in terms of TUNER_SAME and
// the like, which selection.hpp has, too.
std::string header_predictors(const HeaderModel& model);

}  // namespace tuner
