// The symbol by which this plugin is found.

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/opencl/opencl_backend.h"
#include "tuner/plugins/opencl/opencl_compiler.h"

TUNER_PLUGIN("opencl", "1.0", tuner::sdk::Backends<tuner::opencl::OpenClBackend>,
             tuner::sdk::Compilers<tuner::opencl::OpenClCompiler>);
