// A map of a matrix for the copy engine of devices from compute capability 9.0 on: what it says of
// the matrix, and what the driver made of it for the last address.
struct matrix_map {
  detail::map_numbers says{};
  mutable const void* address = nullptr;
  mutable CUtensorMap made{};
};

// The driver's function, found without linking the driver; null where it is too old.
decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  static void* const found = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    const cudaError_t failed = cudaGetDriverEntryPointByVersion(
        "cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t failed =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result);
#endif
    return failed == cudaSuccess && result == cudaDriverEntryPointSuccess ? function : nullptr;
  }();
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
}

CUtensorMapSwizzle swizzle_of(long long bytes) {
  return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
         : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                       : CU_TENSOR_MAP_SWIZZLE_NONE;
}

// Whether all of it are numbers that a map can have.
bool has_values(const detail::map_numbers& says) {
  for (int i = 0; i < says.rank; ++i) {
    const detail::num& extent = says.extents[i];
    const detail::num& box = says.box[i];
    if (extent.k != detail::kind::integer || extent.i < 1) return false;
    if (box.k != detail::kind::integer || box.i < 1 || box.i > 256) return false;
  }
  const long long swizzle = says.swizzle.k == detail::kind::integer ? says.swizzle.i : -1;
  return swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128;
}

// Makes the map anew where the matrix lies somewhere else than in the last call of this size.
cudaError_t map_matrix(const device_state& state, const matrix_map& map, const void* matrix) {
  if (map.address == matrix && matrix != nullptr) return cudaSuccess;
  if (state.facts.compute_capability < 90) return cudaSuccess;  // no instruction could read it
  const auto encode = tensor_map_encoder();
  if (encode == nullptr) return cudaErrorNotSupported;
  // The driver counts from the fastest dimension, and leaves out its stride.
  cuuint64_t extents[5] = {}, strides[5] = {}, stride = map.says.element;
  cuuint32_t box[5] = {}, every_one[5] = {1, 1, 1, 1, 1};
  for (int i = 0; i < map.says.rank; ++i) {
    const int from = map.says.rank - 1 - i;
    extents[i] = static_cast<cuuint64_t>(map.says.extents[from].i);
    box[i] = static_cast<cuuint32_t>(map.says.box[from].i);
    stride *= extents[i];
    strides[i] = stride;
  }
  const CUresult failed = encode(&map.made, map.says.type, static_cast<cuuint32_t>(map.says.rank),
                                 const_cast<void*>(matrix), extents, strides, box, every_one,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map.says.swizzle.i),
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  map.address = failed == CUDA_SUCCESS ? matrix : nullptr;
  return failed == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
