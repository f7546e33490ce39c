// The symbol by which this plugin is found.

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/cuda_backend.h"
#include "tuner/plugins/cuda/nvcc_compiler.h"
#include "tuner/plugins/cuda/nvrtc_compiler.h"

TUNER_PLUGIN("cuda", "1.0", tuner::sdk::Backends<tuner::cuda::CudaBackend>,
             tuner::sdk::Compilers<tuner::cuda::NvrtcCompiler, tuner::cuda::NvccCompiler>);
