#pragma once
// What `tuner gate` compares, as the command line names it.

#include <optional>
#include <string>

#include "tuner/commands/one_try.h"
#include "tuner/model/study.h"
#include "tuner/run/gate.h"

namespace tuner {

// A tree that holds the study's sources, a results folder, a file with results or an export, or
// "NAME=VALUE,...". `given`: what a tree runs; empty: the study's baseline, or else its first valid
// configuration. Throws InputError.
GateSide gate_side(const std::string& text, const Study& study, const Assignments& given);

}  // namespace tuner
