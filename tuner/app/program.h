#pragma once
// The whole program as a function.

namespace tuner {

// The whole program; returns its exit status.
int run_program(int argc, char** argv);

}  // namespace tuner
