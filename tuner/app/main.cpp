#include "tuner/app/program.h"

int main(int argc, char** argv) { return tuner::run_program(argc, argv); }
