#pragma once
// What `tuner verify-export` prints.

#include <cstddef>
#include <string>

#include "tuner/run/export_check.h"
#include "tuner/run/retune.h"

namespace tuner {

std::string check_header(const std::string& exported, const DeviceFacts& device,
                         const std::string& backend);
std::string check_line(const CheckedSelection& checked, const Study& study);
std::string retuned_line(const RetunedSize& one);

}  // namespace tuner
