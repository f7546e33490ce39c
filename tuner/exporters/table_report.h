#pragma once
// What a user is told of a table beside its file.

#include <string>

#include "tuner/exporters/tuned_table.h"
#include "tuner/model/study.h"

namespace tuner {

// Which of an earlier export's winners stay (TableOptions::earlier) and why, one line each.
std::string kept_report(const Study& study, const TunedTable& table);

// How many configurations there are, and what each size loses in a reduced table.
std::string loss_report(const TunedTable& table);

}  // namespace tuner
