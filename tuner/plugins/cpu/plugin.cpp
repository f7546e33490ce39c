// The symbol by which this plugin is found.

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cpu/cpu_backend.h"
#include "tuner/plugins/cpu/cpu_compiler.h"

TUNER_PLUGIN("cpu", "1.0", tuner::sdk::Backends<tuner::cpu::CpuBackend>,
             tuner::sdk::Compilers<tuner::cpu::CpuCompiler>);
