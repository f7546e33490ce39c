// Opens the CUDA driver and resolves its functions.

#include "tuner/plugins/cuda/driver_api.h"

#include "tuner/plugins/cuda/driver_error.h"
#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {

DriverApi load_driver() {
  const auto library = DynamicLibrary::open_first({"libcuda.so.1"});
  DriverApi api;
#define TUNER_ROW(member, function, symbol) \
  api.member = reinterpret_cast<decltype(api.member)>(library.require(symbol));
  TUNER_CUDA_FUNCTIONS(TUNER_ROW)
#undef TUNER_ROW
  api.func_get_param_info = reinterpret_cast<FuncGetParamInfo>(library.find("cuFuncGetParamInfo"));
  api.stream_wait_value_32 =
      reinterpret_cast<StreamWaitValue32>(library.find("cuStreamWaitValue32_v2"));
  api.tensor_map_encode_tiled =
      reinterpret_cast<TensorMapEncodeTiled>(library.find("cuTensorMapEncodeTiled"));
  check(api, api.init(0), "cuInit");
  return api;
}

}  // namespace tuner::cuda
