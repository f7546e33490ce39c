// The entry point; everything else is in libraries, so that tests can call it.

#include "tuner/commands/commands.h"

int main(int argc, char** argv) { return tuner::run_program(argc, argv); }
