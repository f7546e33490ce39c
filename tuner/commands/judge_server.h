#pragma once
// The process that `tuner judge` starts, so that the next verdict finds everything ready.

#include "tuner/commands/options.h"

namespace tuner {

// Words: where it serves, how many seconds it stays without a request, and plugin folders.
int judge_server(const Words& words);

}  // namespace tuner
