// The symbol by which this plugin is found.

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/program/measured_values.h"
#include "tuner/plugins/program/program_backend.h"
#include "tuner/plugins/program/program_compiler.h"

TUNER_PLUGIN("program", "1.0", tuner::sdk::Backends<tuner::program::ProgramBackend>,
             tuner::sdk::Compilers<tuner::program::ProgramCompiler>,
             tuner::sdk::Observers<tuner::program::MetricObserver>);
